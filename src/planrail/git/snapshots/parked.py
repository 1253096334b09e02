"""What the parked copies of a snapshot hold: only what they hold may be undone."""

from planrail.base.records import record
from planrail.git.git_writing import run_git
from planrail.git.snapshots.look import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Entry = tuple[str, str]

GONE = ("", "")
CHANGED_AGAIN = "it has changed since it was parked; to park it as it is now: planrail changes --park"


@record
class Undone:
    """What was restored, and what was not, with the reason for each."""

    restored: list[str]
    left: list[tuple[str, str]]


@record
class Parked:
    """What parked copies hold: the states of paths, the values of refs and HEAD, the digests of index and stash."""

    files: "dict[str, set[Entry]]"
    values: dict[str, set[str]]


def read_parked(snapshot: Snapshot, branches: "Sequence[str]") -> Parked:
    parked = Parked({}, {})
    for branch in branches:
        ref = f"refs/heads/{branch}"
        fields = run_git(snapshot.root, "diff-tree", "-r", "-z", "--no-renames", snapshot.commit, ref).split("\0")
        for about, path in zip(fields[::2], fields[1::2], strict=False):
            _, mode, _, oid, letter = about.split(" ")
            parked.files.setdefault(path, set()).add(GONE if letter == "D" else (mode, oid))
        for line in run_git(snapshot.root, "log", "-1", "--format=%B", ref).splitlines():
            key, _, value = line.partition(": ")
            if key == "Planrail-Ref":
                name, _, now = value.split("\t")
                parked.values.setdefault(name, set()).add("" if now == "-" else now)
            elif key in ("Planrail-Index", "Planrail-Stash"):
                parked.values.setdefault(key, set()).add(value)
    return parked
