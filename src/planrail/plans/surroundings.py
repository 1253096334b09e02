"""What may stand around a plan and bear witness to it: other files and commits. A port; `repo` implements it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    class Surroundings(Protocol):
        """The files near a plan, and the commits since it was written."""

        def read(self, path: str) -> str | None:
            """The text of a file, by its path from the plan's folder or the repository's root."""

        def names(self, folder: str) -> Sequence[str]:
            """The names of what a folder holds, in order; none where there is no such folder."""

        def exists(self, path: str) -> bool:
            """Whether there is such a file or folder."""

        def subjects(self) -> Sequence[tuple[str, str]]:
            """Hash and subject of each commit since the plan was added, newest first."""

else:
    Surroundings = object  # a name for annotations: `typing` is dear
