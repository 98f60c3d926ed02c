"""What is asked of attention: a folder for each study, with its settings, claims, measurements and drawings."""
