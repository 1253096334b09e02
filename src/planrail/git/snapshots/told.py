"""What changed in a tree, and what was last told of it.

A caller that looks again and finds the same gets the same answer, and nothing is parked twice.

The answer holds for one look: the entries of `git status`, the status of each file they name, that of git's own files.
Like these, it is kept only where no file is so young that it could change again without showing it.
"""

import posix

from planrail.base.decoding import decode, encode
from planrail.git.git_writing import encode_name
from planrail.git.snapshots.look import GIT, TreeSnapshot, load_snapshot, path_of, says_nothing, take_look
from planrail.git.snapshots.signature import file_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from planrail.git.snapshots.look import Look

    Told = dict[str, str]

# Set by what starts an agent in a workspace that nobody else works in: its root.
_PRIVATE_WORKSPACE = b"PLANRAIL_PRIVATE_WORKSPACE"
_CTIME = 3


def compare_tree(request: "dict[str, str]") -> "Told":
    """What changed since a snapshot; parked on a branch before it is reported, and undone in a private workspace.

    The answer is a `mark`, which tells one set of changes from another, and a `report`; "" where nothing changed.
    A first look most often says that nothing did, or nothing since it was last told; only else is more loaded.
    """
    snapshot = load_snapshot(f"{request['folder']}/snapshots", request["snapshot"])
    look = take_look(snapshot) if snapshot.kind == GIT else None
    is_private = posix.environ.get(_PRIVATE_WORKSPACE) == encode_name(snapshot.root)
    finding, told = None, None
    if look and says_nothing(look, snapshot, (request["plan"],)):
        told = None if request["is_leaving"] else {"mark": "", "report": ""}
    elif look and not is_private:
        finding = TreeFinding(snapshot, look, request["plan"])
        told = finding.recall()
    if not told:
        from planrail.git.snapshots.effect_report import report_changes

        told = report_changes(request, look, finding.remember if finding else None, is_private=is_private)
    return {"mark": told["mark"], "report": told["report"]}


class TreeFinding:
    """A look that found something, and the status of what it found, before that is read and parked."""

    def __init__(self, kept: TreeSnapshot, look: "Look", plan: str) -> None:
        self._kept, self._look = kept, look
        own = plan.removeprefix(f"{kept.root}/")
        paths = [path_of(entry) for entry in look.noise if entry[0] != "!"]
        self._statuses = [file_status(f"{kept.root}/{path}") for path in (*paths, *kept.unread) if path != own]
        # After new rules of what to ignore, files count that `git status` does not name.
        self._is_plain = not any(entry.endswith(".gitignore") for entry in look.noise)
        self._key = [plan, look.noise, self._statuses, look.watch.signature]

    def recall(self) -> "Told | None":
        """What was told of the same finding, as long as the branch that it names holds the copy."""
        try:
            with open(self._kept.told, "rb", 0) as file:
                kept = decode(file.read().decode("ascii"))
            if not (isinstance(kept, list) and len(kept) == 2 and isinstance(kept[1], dict) and kept[0] == self._key):
                return None
            # A branch that is packed is taken for gone, and found by the longer way.
            with open(f"{self._kept.common_dir}/refs/heads/{kept[1]['branch']}", "rb", 0) as file:
                return kept[1] if file.read().decode("ascii").strip() == kept[1]["commit"] else None
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def remember(self, told: "Told", settings: "Sequence[str]") -> None:
        """Keep what is told now; not where settings of git have changed, which may say what to ignore."""
        youngest = max((status[_CTIME] for status in self._statuses if status), default=0)
        if self._is_plain and not settings and self._look.watch.is_settled(youngest):
            from planrail.base.whole_files import write_whole

            try:
                write_whole(self._kept.told, encode([self._key, told]))
            except (OSError, ValueError):
                return  # it only costs time
