"""Taking over a `specs/` folder that other tools and hands have written: what it says, and where it contradicts itself.

Pure: texts and names of files in, tasks and divergences out. Nothing is dropped: what planrail has no place for stays
with its task, under `imported`, and what does not fit together is told.
"""
