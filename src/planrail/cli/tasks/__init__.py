"""The tasks of a project at the command line: one file for each command, and what they share."""
