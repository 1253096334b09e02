"""What may land: candidates, proofs, pull requests."""
