"""One agent process: its lines, its limits, and an end that leaves nothing behind."""
