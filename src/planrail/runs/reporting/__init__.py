"""What happened: facts, progress, attempts, reports, a timeline."""
