"""How long a test waits for what has to happen: no promise is about it, and a busy machine is slow."""

PATIENCE = 600.0  # seconds until what has not come is called hanging
