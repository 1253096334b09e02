"""Commands about plans: what one says, writing one, saying yes to one."""
