"""The port through which rules see files. `planrail.git.working_files` has the real one; a test needs a few lines."""

from collections.abc import Sequence
from typing import Protocol


class Tree(Protocol):
    """Files by their paths relative to a root, with `/` between the parts."""

    def files(self) -> Sequence[str]:
        """All paths, untracked files included and ignored ones left out."""

    def read(self, path: str) -> str | None:
        """The text of one of them; None where it is not a text of bearable size."""

    def find_words(self, expression: str, *, excluding: str) -> set[str] | None:
        """The distinct whole words in the texts that match an extended regular expression.

        The file `excluding` is not searched: a plan's own words prove nothing. None where the search was
        given up, so that nobody takes an unfinished one for proof of absence.
        """
