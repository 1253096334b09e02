"""The language of each agent program."""
