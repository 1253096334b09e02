"""Landing by a pull request."""
