"""The short-lived process that an agent starts at each event."""
