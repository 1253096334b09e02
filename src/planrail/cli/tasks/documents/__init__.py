"""Commands about the documents of tasks, and about what other tools wrote."""
