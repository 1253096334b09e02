"""A run at the command line: what was ordered, how it is conducted, shown and reported."""
