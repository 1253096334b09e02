"""What exactly an approval holds of a plan's text."""
