"""Durable steps: what has ended is never done again."""
