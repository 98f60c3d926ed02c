"""What is being studied: attention and the modules around it, in torch alone."""
