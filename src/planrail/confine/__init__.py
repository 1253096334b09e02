"""Processes that cannot reach past their workspace."""
