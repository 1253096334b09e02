"""Commands about what goes on by itself: queue, schedules, workers, the service."""
