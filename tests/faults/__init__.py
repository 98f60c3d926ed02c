"""Faults put into the project on purpose, and which tests notice them."""
