"""Grounding: is what a plan cites there? Each path, symbol and command is resolved in a tree of files."""
