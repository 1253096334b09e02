"""A local page where a person sees plans and runs, reviews and decides."""
