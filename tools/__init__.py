"""What is run at a desk, and by no visitor."""
