"""What is known of runs: their folders, their facts, their journals, and those that a team shares."""
