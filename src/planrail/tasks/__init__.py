"""What work exists, and in which state? Tasks, their life, their documents and how they are shown. Pure."""
