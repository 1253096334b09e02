"""Commands about agent sessions, and connecting planrail with agents."""
