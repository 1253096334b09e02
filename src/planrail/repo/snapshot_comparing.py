"""A close look at what differs from a snapshot, where a first look could not say that nothing does."""

from planrail.records import replace
from planrail.repo.git_writing import ask_git, encode_name
from planrail.repo.snapshot_changes import ADDED, DELETED, MODE, MODIFIED, TYPE, FileChange, RefChange
from planrail.repo.snapshot_ignores import judge_ignored
from planrail.repo.snapshot_model import Changes, GitState, Snapshot
from planrail.repo.snapshot_signature import Watch, file_status
from planrail.repo.snapshot_status import Difference, parse_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LETTERS = {"?": ADDED, "M": MODIFIED, "D": DELETED, "T": TYPE, "A": ADDED}
_OWN_REPOSITORY = "a repository of its own: neither copied nor restored"
_NOT_COPIED = "its content was not copied when planning began"


def compare_closely(
    snapshot: Snapshot, entries: "Sequence[str]", exempt: "Sequence[str]", *, is_quiet: bool
) -> Changes:
    """What differs, given the answer of `git status`; `is_quiet` says that git's own files need no look."""
    state = Changes([], []) if is_quiet else _compare_state(snapshot)
    files = _describe(snapshot, judge_ignored(snapshot, parse_status(entries), state.settings))
    return replace(state, files=_without(files, snapshot.root, exempt), notes=snapshot.notes)


def compare_outside_git(snapshot: Snapshot, exempt: "Sequence[str]") -> Changes:
    """What differs from a manifest."""
    from planrail.repo.snapshot_folder import compare_folder

    return Changes(_without(compare_folder(snapshot), snapshot.root, exempt), [], notes=snapshot.notes)


def difference_of_states(then: GitState, now: GitState) -> Changes:
    """What git itself keeps otherwise now than then."""
    names = sorted({*then.refs, *now.refs})
    refs = [RefChange(name, then.refs.get(name, ""), now.refs.get(name, "")) for name in names]
    settings = sorted({*then.settings, *now.settings})
    return Changes(
        [],
        [ref for ref in refs if ref.was != ref.now],
        RefChange("HEAD", then.head, now.head) if then.head != now.head else None,
        now.index if then.index != now.index else "",
        (now.stash or "empty") if then.stash != now.stash else "",
        [name for name in settings if then.settings.get(name) != now.settings.get(name)],
    )


def _compare_state(snapshot: Snapshot) -> Changes:
    from planrail.repo.snapshot_controls import read_state

    watch = Watch(snapshot.git_dir, snapshot.common_dir, snapshot.seen)
    changes = difference_of_states(snapshot.state, read_state(snapshot.root, snapshot.git_dir, snapshot.common_dir))
    if not changes:
        watch.remember()
    return changes


def _describe(snapshot: Snapshot, differences: list[Difference]) -> list[FileChange]:
    files = [
        _describe_one(snapshot, difference) for difference in differences if difference.path not in snapshot.unread
    ]
    for path, was in snapshot.unread.items():
        now = file_status(f"{snapshot.root}/{path}")
        if now != was:
            files.append(FileChange(path, MODIFIED if now else DELETED, _NOT_COPIED))
    return files


def _describe_one(snapshot: Snapshot, difference: Difference) -> FileChange:
    if difference.is_repository:
        return FileChange(difference.path, _LETTERS[difference.letter], _OWN_REPOSITORY)
    kind = _LETTERS[difference.letter]
    if kind == MODIFIED and difference.was_mode != difference.now_mode and _has_same_content(snapshot.root, difference):
        kind = MODE
    return FileChange(difference.path, kind)


def _has_same_content(root: str, difference: Difference) -> bool:
    return (ask_git(root, "hash-object", "--", difference.path) or "").strip() == difference.oid


def _without(files: list[FileChange], root: str, exempt: "Sequence[str]") -> list[FileChange]:
    kept = frozenset(exempt)
    return sorted(
        (file for file in files if f"{root}/{file.path}" not in kept), key=lambda file: encode_name(file.path)
    )
