"""The parts of init and uninstall."""
