"""Trained models: read from safetensors files, computed by this package's modules, written again."""
