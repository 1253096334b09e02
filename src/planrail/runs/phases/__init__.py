"""The phases of a plan as a run takes them over, and which of them comes next."""
