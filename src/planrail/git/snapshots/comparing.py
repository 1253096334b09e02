"""A close look at what differs from a snapshot, where a first look could not say that nothing does."""

from planrail.base.records import replace
from planrail.git.git_writing import ask_git, encode_name
from planrail.git.snapshots.ignores import judge_ignored
from planrail.git.snapshots.model import ADDED, DELETED, MODE, MODIFIED, TYPE, FileChange, RefChange, TreeChanges
from planrail.git.snapshots.signature import UNWATCHED_REFS, file_status
from planrail.git.status import SUBMODULE, Row, parse_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from planrail.git.snapshots.look import GitState, Look, TreeSnapshot

_LETTERS = {"?": ADDED, "M": MODIFIED, "D": DELETED, "T": TYPE, "A": ADDED, "U": MODIFIED}
_OWN_REPOSITORY = "a repository of its own: neither copied nor restored"
_NOT_COPIED = "its content was not copied when planning began"


def compare_closely(snapshot: "TreeSnapshot", look: "Look", exempt: "Sequence[str]") -> TreeChanges:
    """What differs, given what a first look found."""
    state = TreeChanges([], [])
    if not look.is_quiet:
        from planrail.git.snapshots.controls import read_state

        state = difference_of_states(snapshot.state, read_state(snapshot))
        if not state:
            look.watch.remember()
    files = _describe(snapshot, judge_ignored(snapshot, parse_status(look.noise), state.settings))
    return replace(state, files=_without(files, snapshot.root, exempt), notes=snapshot.notes)


def compare_outside_git(snapshot: "TreeSnapshot", exempt: "Sequence[str]") -> TreeChanges:
    from planrail.git.snapshots.folder import compare_folder

    return TreeChanges(_without(compare_folder(snapshot), snapshot.root, exempt), [], notes=snapshot.notes)


def difference_of_states(then: "GitState", now: "GitState") -> TreeChanges:
    """What git itself keeps otherwise now than then."""
    names = sorted(name for name in {*then["refs"], *now["refs"]} if not name.startswith(UNWATCHED_REFS))
    refs = [RefChange(name, then["refs"].get(name, ""), now["refs"].get(name, "")) for name in names]
    settings = sorted({*then["settings"], *now["settings"]})
    return TreeChanges(
        [],
        [ref for ref in refs if ref.was != ref.now],
        RefChange("HEAD", then["head"], now["head"]) if then["head"] != now["head"] else None,
        now["index"] if then["index"] != now["index"] else "",
        (now["stash"] or "empty") if then["stash"] != now["stash"] else "",
        [name for name in settings if then["settings"].get(name) != now["settings"].get(name)],
    )


def _describe(snapshot: "TreeSnapshot", differences: list[Row]) -> list[FileChange]:
    files = [
        _describe_one(snapshot, difference) for difference in differences if difference.path not in snapshot.unread
    ]
    for path, was in snapshot.unread.items():
        now = file_status(f"{snapshot.root}/{path}")
        if now != was:
            files.append(FileChange(path, MODIFIED if now else DELETED, _NOT_COPIED))
    return files


def _describe_one(snapshot: "TreeSnapshot", difference: Row) -> FileChange:
    kind = _LETTERS[difference.later]
    if difference.index_mode == SUBMODULE or difference.path.endswith("/"):
        return FileChange(difference.path, kind, _OWN_REPOSITORY)
    if kind == MODIFIED and difference.index_mode != difference.mode:
        content = (ask_git(snapshot.root, "hash-object", "--", difference.path) or "").strip()
        kind = MODE if content == difference.oid else kind
    return FileChange(difference.path, kind)


def _without(files: list[FileChange], root: str, exempt: "Sequence[str]") -> list[FileChange]:
    kept = frozenset(exempt)
    return sorted(
        (file for file in files if f"{root}/{file.path}" not in kept), key=lambda file: encode_name(file.path)
    )
