"""A `specs/` folder of other tools taken over. Pure: texts and names of files in, tasks and divergences out."""
