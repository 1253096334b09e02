"""What each program may be asked while an agent plans."""
