"""Options that several commands have: declared once, and read into the requests that are made of them."""
