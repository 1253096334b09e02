"""The parts of doctor."""
