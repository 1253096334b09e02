"""Where the ledger of a repository lies: in its git common directory, which all worktrees share, else in the state.

git is not asked: `.git` is a folder, or a file that names one, and that is all there is to know.
"""

import hashlib
import os
from collections.abc import Mapping

from planrail.base.primed import common_directory as common_directory  # hooks need it too, and import little
from planrail.base.state_folder import state_folder


def ledger_folder(root: str | None, environment: Mapping[str, str] | None = None) -> str:
    """The folder of the ledger for a root (None: plans that lie in no repository). It need not be there yet."""
    values = os.environ if environment is None else environment
    common = common_directory(root) if root is not None else None
    if common is not None and not values.get("PLANRAIL_STATE_DIR"):
        return os.path.join(common, "planrail")
    place = common or (os.path.realpath(root) if root is not None else "")
    return os.path.join(state_folder(values), "ledgers", hash_place(place))


def make_private(folder: str) -> None:
    """Make the folder, for its owner alone."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if os.stat(folder).st_mode & 0o077:
        os.chmod(folder, 0o700)


def hash_place(place: str) -> str:
    """A short name for a place; that of none is `none`."""
    return hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:32] if place else "none"
