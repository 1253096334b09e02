"""The person's side of an approval: their terminal, their key, their editor."""
