"""A working tree at the moment planning begins, and what has changed in it since."""
