"""Telling a person that a run needs them, is stuck, has failed, rests or is complete."""
