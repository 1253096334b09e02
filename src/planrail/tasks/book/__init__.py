"""The book of tasks, and its views in a checkout."""
