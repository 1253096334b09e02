"""The formats of plans and the tools that keep them: one reader for each."""
