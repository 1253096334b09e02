"""The repository around a plan: git, by subprocess with a scrubbed environment."""
