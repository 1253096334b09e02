"""The parts of headless planning."""
