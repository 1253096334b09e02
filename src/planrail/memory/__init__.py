"""What earlier plannings and runs taught: lessons, kept with the project and shown before a new planning explores."""
