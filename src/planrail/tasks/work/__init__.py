"""From a planned task to a completed one."""
