"""A small project with a plan, for the demo and for people who want to try planrail on something."""
