"""Attention as a small torch package, experiments that measure it, and figures that draw them."""
