"""What is done with the modules: a frozen config in, a frozen result with verdicts out."""
