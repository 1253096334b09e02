"""How each agent program is driven: an assignment becomes a stream of events and one outcome, and can be stopped."""
