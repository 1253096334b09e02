"""Planning inside a session: the full package behind the hook."""
