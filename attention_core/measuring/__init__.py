"""Tools that all studies measure with: settings, verdicts, bounds, seeded inputs, snippets, and how one is run."""
