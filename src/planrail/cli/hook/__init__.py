"""What agents themselves call, and the full package behind the hook."""
