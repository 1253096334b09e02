"""Rules of the predecessor about schedules that planrail answers for those who move over.

planrail itself does not poll: the end of a phase starts the next, and a schedule is a row that is changed in place.
"""
