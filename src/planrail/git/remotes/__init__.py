"""What is pushed to and fetched from other repositories."""
