"""What follows from each kind of event. Pure."""
