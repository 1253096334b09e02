"""Many objects at once: read by one git, written by one git.

A landing needs a few trees, a file and a commit. One process for each would cost more CPU than all the rest of it; so
objects are asked for in one go, and written as a small pack that git takes apart, checks and stores.
"""

import hashlib
import zlib
from collections.abc import Iterable, Sequence

from planrail.base.errors import ToolFailed
from planrail.base.records import mutable_record, record
from planrail.git.git_writing import encode_name, run_git

_PACK_KINDS = {"commit": 1, "tree": 2, "blob": 3}
_SHA1_LENGTH = 40
Changes = dict[str, tuple[bytes | None, bytes | None]]  # the contents of files, before and after


@record
class Stored:
    """An object as git has it."""

    oid: str
    kind: str
    content: bytes


def read_objects(root: str, names: Sequence[str]) -> list[Stored | None]:
    """The objects of these names, in their order; None for what is not there. A name has no line break in it."""
    if not names:
        return []
    asked = b"".join(encode_name(name) + b"\n" for name in names)
    answer = encode_name(run_git(root, "--no-replace-objects", "cat-file", "--batch", data=asked))
    found: list[Stored | None] = []
    place = 0
    for _ in names:
        end = answer.index(b"\n", place)
        fields = answer[place:end].rsplit(b" ", 2)
        place = end + 1
        if len(fields) != 3 or not fields[2].isdigit():
            found.append(None)
            continue
        size = int(fields[2])
        found.append(Stored(fields[0].decode(), fields[1].decode(), answer[place : place + size]))
        place += size + 1
    return found


def read_blobs(root: str, names: Sequence[str]) -> list[bytes | None]:
    """The contents of files by their names; None for one that is missing or is no file.

    Each is what its name says: git itself does not look when it checks a file out.
    """
    found: list[bytes | None] = []
    for stored in read_objects(root, names):
        content = stored.content if stored is not None and stored.kind == "blob" else None
        if stored is not None and content is not None and object_id("blob", content, like=stored.oid) != stored.oid:
            raise ToolFailed(f"the object {stored.oid[:12]} holds another content than it should", remedy="git fsck")
        found.append(content)
    return found


def read_changes(root: str, base: str, commit: str, paths: Iterable[str]) -> Changes:
    """What each file was and what it is; None where it was not, or is no more. A path with a line break is left out."""
    names = [path for path in paths if "\n" not in path]
    found = read_blobs(root, [f"{revision}:{path}" for path in names for revision in (base, commit)])
    return {path: (found[2 * place], found[2 * place + 1]) for place, path in enumerate(names)}


def object_id(kind: str, content: bytes, *, like: str) -> str:
    """The name that git gives to an object, in a repository that has names like this one."""
    return _hash(b"%s %d\0" % (kind.encode(), len(content)) + content, like).hex()


def null_id(like: str) -> str:
    return "0" * len(like)


def empty_tree(like: str) -> str:
    return object_id("tree", b"", like=like)


@mutable_record
class NewObjects:
    """Objects that are not written yet. `like` is a name in the repository: it tells which hash is used there."""

    like: str
    objects: dict[str, tuple[str, bytes]]

    def add(self, kind: str, content: bytes) -> str:
        """Take an object in; its name."""
        oid = object_id(kind, content, like=self.like)
        self.objects[oid] = (kind, content)
        return oid

    def write(self, root: str) -> None:
        """Give all of them to git, which checks that each is sound and refers to nothing that is missing."""
        if self.objects:
            parts = [b"PACK", (2).to_bytes(4, "big"), len(self.objects).to_bytes(4, "big")]
            for kind, content in self.objects.values():
                parts += [_pack_header(_PACK_KINDS[kind], len(content)), zlib.compress(content, 1)]
            body = b"".join(parts)
            run_git(root, "unpack-objects", "-q", "--strict", data=body + _hash(body, self.like))


def require(stored: Stored | None, what: str) -> Stored:
    """The object; where it is missing, an error that says which."""
    if stored is None:
        raise ToolFailed(f"{what} is not in the repository any more", remedy="git fsck")
    return stored


def _pack_header(kind: int, size: int) -> bytes:
    """Four bits of the size with the kind, then seven in each byte, the lowest first."""
    bytes_ = [kind << 4 | size & 15]
    size >>= 4
    while size:
        bytes_[-1] |= 128
        bytes_.append(size & 127)
        size >>= 7
    return bytes(bytes_)


def _hash(data: bytes, like: str) -> bytes:
    method = hashlib.sha1 if len(like) == _SHA1_LENGTH else hashlib.sha256
    return method(data, usedforsecurity=False).digest()
