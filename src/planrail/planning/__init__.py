"""Authoring: how a plan comes to be, phase by phase."""
