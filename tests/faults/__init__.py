"""Faults put into the project on purpose, and what notices them."""
