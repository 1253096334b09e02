"""The read-only guard: judges each tool call of a session that plans. Sound, not complete."""
