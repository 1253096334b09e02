"""From the text of a shell command to words and simple commands."""
