"""Commands about runs: begin, go on, stop, look, prove."""
