"""Commands about plans: what one says, writing one, approving one."""
