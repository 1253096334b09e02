"""Checks as planrail runs them: where, with what around them, and what they leave."""
