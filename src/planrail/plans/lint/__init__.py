"""What is wrong with a plan: rules that are pure functions of the document, the settings and a tree of files."""
