"""What a run takes over from a plan: phases, items, criteria, needs, checks."""
