"""Agents that outlive planrail: each job in a process of its own."""
