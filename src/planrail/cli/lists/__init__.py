"""What `planrail list` shows: one module for each kind of thing, with `configure(parser)` and `run(arguments)`."""
