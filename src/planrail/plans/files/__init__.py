"""Plan files: their names, their folder, their life."""
