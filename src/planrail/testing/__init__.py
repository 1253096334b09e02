"""Fakes that are shipped: what planrail's own tests stand on, and what the tests of its users may."""
