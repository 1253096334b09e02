"""Stages of tasks, carried out: agents are asked step by step, every answer is kept, the document is written."""
