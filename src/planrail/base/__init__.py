"""The small values that every part of planrail speaks."""
