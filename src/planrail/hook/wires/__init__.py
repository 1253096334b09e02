"""The wire formats of the agents, each translated into one kind of event and back. One file for each agent."""
