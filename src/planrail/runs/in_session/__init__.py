"""Working through a plan by hand or with an agent in the terminal, by the same rules as a run."""
