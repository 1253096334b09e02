"""Rules of the predecessor that planrail answers for those who move over."""
