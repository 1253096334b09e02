"""From the text of a document to its blocks and sections."""
