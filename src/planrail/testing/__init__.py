"""Fakes and conformance suites that are shipped: for the tests of drivers, hooks and engines of your own."""
