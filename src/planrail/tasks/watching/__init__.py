"""What has changed in the tree while agents only read, and which of it was planrail's own doing."""
