"""A worker: it fires schedules, takes submissions from the queue, and carries out each in a process of its own."""
