"""What an agent's session is doing: its state, its limits and how full its window is."""
