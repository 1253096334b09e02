"""Approval: what a person said yes to, through which channel, and whether it still stands."""
