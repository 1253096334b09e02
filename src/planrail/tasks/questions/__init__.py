"""Stages of a task: what agents are asked, what they have to answer, and what follows. Pure: no disk, no clock."""
