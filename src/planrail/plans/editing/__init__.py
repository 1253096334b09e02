"""One status or number changed, and not one other byte."""
