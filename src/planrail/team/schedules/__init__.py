"""When a plan goes on by itself: what an expression means, when it is next, and what follows at that time. Pure."""
