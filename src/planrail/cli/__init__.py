"""The command line: one file for each command, one function that returns an exit code."""
