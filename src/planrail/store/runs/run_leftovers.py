"""What is left in the folder of a run that has ended: it gets less, until nothing is.

Each removal may be cut off anywhere, and is done again by the next one.
"""

import contextlib
import os
import shutil
from collections.abc import Iterable

from planrail.store.journal_lines import NAME as JOURNAL
from planrail.store.runs.run_folders import ENDING, ORDER, TEXT
from planrail.store.runs.run_locks import LOCK

_WORKING = ("surroundings.json", "outside-", "index-")  # how the names begin that only a run which goes on needs
_REPORTED = (ORDER, TEXT, ENDING, LOCK, JOURNAL)  # how those of a report begin; pictures are others
_PICTURE, _GONE = ".png", ".gone.tmp"  # what ends with .tmp is no run


def list_files(folder: str) -> list[str]:
    return [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]


def list_unreported(folder: str) -> list[str]:
    """The files that no report needs, such as what agents and checks printed."""
    return [path for path in list_files(folder) if not _is_top(path, folder, _REPORTED) and not path.endswith(_PICTURE)]


def measure(paths: Iterable[str]) -> int:
    """The bytes of files, as far as they are there."""
    size = 0
    for path in paths:
        with contextlib.suppress(OSError):
            size += os.lstat(path).st_size
    return size


def drop_working_files(folder: str) -> None:
    """The run has ended for good: what it compared its surroundings with goes, and logs that nothing was put into."""
    files = list_files(folder)
    empty = [path for path in files if path.endswith("log") and not measure([path])]
    drop_files(folder, [*empty, *(path for path in files if _is_top(path, folder, _WORKING))])


def drop_files(folder: str, paths: Iterable[str]) -> None:
    """Remove files, and the folders that are empty then."""
    for path in paths:
        with contextlib.suppress(OSError):  # another process was faster
            os.unlink(path)
    for place, _, _ in os.walk(folder, topdown=False):
        with contextlib.suppress(OSError):
            os.rmdir(place)


def drop_folder(folder: str) -> None:
    """Remove the whole: others see it as it was, or not at all."""
    os.rename(folder, folder + _GONE)
    shutil.rmtree(folder + _GONE, ignore_errors=True)


def drop_halves(place: str) -> None:
    """Remove what a process that died had begun to remove, among the runs of a repository."""
    for name in os.listdir(place) if os.path.isdir(place) else ():
        if name.endswith(_GONE):
            shutil.rmtree(os.path.join(place, name), ignore_errors=True)


def _is_top(path: str, folder: str, names: tuple[str, ...]) -> bool:
    return os.path.dirname(path) == folder and os.path.basename(path).startswith(names)
