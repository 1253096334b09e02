"""Patterns that are compiled when they are first used.

Compiling all that the readers of plans know took 24 ms of CPU at every start, twice what the interpreter takes; a
document needs a few of them. Type checkers see `re.compile`.
"""

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    pattern = re.compile
else:

    class pattern:  # noqa: N801 - called as a function
        """What `re.compile` gives. A method is looked up once and kept: later calls of it cost what they always do."""

        def __init__(self, *source):
            self._source = source

        def __getattr__(self, name):
            method = getattr(re.compile(*self._source), name)
            setattr(self, name, method)
            return method
