"""The short-lived process that an agent starts at each event."""

AGENTS = ("claude", "codex", "gemini", "opencode")  # the rest of each is in agents/NAME.py
