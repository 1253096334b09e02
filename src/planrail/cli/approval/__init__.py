"""The parts of approve, reject and approvals."""
