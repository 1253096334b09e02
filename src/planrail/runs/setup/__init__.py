"""Setting a project up for runs: its environment, its test command, and the proof of both on the base."""
