"""The plans of one project: which there are, which one is meant, what is proven of each."""
