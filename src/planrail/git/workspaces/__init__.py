"""Private working trees, and what an agent has made in one."""
