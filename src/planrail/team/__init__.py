"""Who works when: the queue, workers, schedules, the service."""
