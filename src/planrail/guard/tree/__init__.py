"""The second opinion: shfmt's syntax tree, judged."""
