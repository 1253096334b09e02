"""The word of a verifier: its schema, how it is read, and whether its citations hold."""
