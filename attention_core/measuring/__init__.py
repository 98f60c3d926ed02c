"""What all studies measure with: settings, checks, verdicts, bounds, seeded inputs, snippets, and how one is run."""
