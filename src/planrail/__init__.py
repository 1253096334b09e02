"""planrail makes coding agents plan before they act, and holds them to the plan."""

__version__ = "0.1.0"
