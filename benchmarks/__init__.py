"""Benchmarks: recorded ratios against a reference of the same run, never a timed test."""
