"""The documents of a task: their formats, names and links, and how they are written, judged and repaired. Pure."""
