"""Approval: what a person approved, through which channel, and whether it still stands."""
