"""The contents of changed files, before and after: all of them from one git."""

from collections.abc import Iterable

from planrail.base.errors import ToolFailed
from planrail.git.git_writing import encode_name, run_git
from planrail.git.object_store import object_id

Changes = dict[str, tuple[bytes | None, bytes | None]]


def read_changes(root: str, base: str, commit: str, paths: Iterable[str]) -> Changes:
    """What each file was and what it is; None where it was not, or is no more. A path with a line break is left out."""
    names = [path for path in paths if "\n" not in path]
    asked = [f"{revision}:{path}" for path in names for revision in (base, commit)]
    found = read_blobs(root, asked)
    return {path: (found[2 * place], found[2 * place + 1]) for place, path in enumerate(names)}


def read_blobs(root: str, names: list[str]) -> list[bytes | None]:
    """The contents of objects by their names; None for one that is missing or is no file."""
    if not names:
        return []
    wanted = b"".join(encode_name(name) + b"\n" for name in names)
    printed = encode_name(run_git(root, "cat-file", "--batch", data=wanted))
    found: list[bytes | None] = []
    place = 0
    for _ in names:
        end = printed.index(b"\n", place)
        head = printed[place:end].rsplit(b" ", 2)
        place = end + 1
        if len(head) != 3 or head[1] not in (b"blob", b"tree", b"commit", b"tag"):
            found.append(None)
            continue
        size = int(head[2])
        content = printed[place : place + size]
        found.append(_verified(head[0].decode(), content) if head[1] == b"blob" else None)
        place += size + 1
    return found


def _verified(name: str, content: bytes) -> bytes:
    """The content, if it is what the name says: git itself does not look when it checks a file out."""
    if object_id("blob", content, like=name) != name:
        raise ToolFailed(f"the object {name[:12]} holds another content than it should", remedy="git fsck")
    return content
