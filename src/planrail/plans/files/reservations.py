"""Names for plans that somebody else will write: free on the disk, and kept from all others for a day.

The file itself is not made: agents refuse to write over a file that they have not read.
"""

import os

from planrail.plans.files.plan_files import TRIES, Refusal, no_free_name, open_folder, write_new

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_DAY = 86_400


def reserve(
    directory: str, prompt: str, *, choose: "Callable[[int], int]", kept_in: str, now: float, root: str | None = None
) -> str | Refusal:
    """A path for a new plan that nobody else is given. `kept_in` is the folder of reservations."""
    from planrail.plans.files.slugs import file_name

    try:
        place = open_folder(directory, root)
        if isinstance(place, Refusal):
            return place
        os.makedirs(kept_in, 0o700, exist_ok=True)
        for _ in range(TRIES):
            path = f"{place}/{file_name(prompt, choose)}"
            if not os.path.lexists(path) and _take(kept_in, path, now):
                return path
    except OSError as error:
        return Refusal(f"no plan file can be made in {directory}: {error.strerror}", "check that you may write there")
    return no_free_name(directory)


def _take(kept_in: str, path: str, now: float) -> bool:
    """Whether a name could be reserved; a reservation that is older than a day has lapsed."""
    import hashlib

    place = f"{kept_in}/{hashlib.sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()}"
    try:
        if now - os.stat(place).st_mtime <= _DAY:
            return False
        os.unlink(place)
    except FileNotFoundError:
        pass
    return write_new(place, path)
