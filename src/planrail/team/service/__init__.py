"""The service: what keeps a worker running on this machine, and which repositories it serves."""
