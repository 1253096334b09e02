"""What the plan states and reality contradicts: tokens, measures, corrections."""
