"""What `planrail init` and `planrail uninstall` do to one file, decided before anything is written.

Uninstalling is decided first: what would be left of a file without planrail. Installing starts from that, so that a
second installation changes nothing, and what a user wrote in between is part of what is given back.
"""

import hashlib

from planrail.base.records import record
from planrail.install.json import OddShape, dump, has_hooks, holds, load, put_in, take_out
from planrail.install.targets import JSON, SCRIPT, SCRIPT_MARK, Target


@record
class Entry:
    """What is remembered of a file that planrail wrote. `original` are the bytes before; None: there was none."""

    path: str
    kind: str
    original: bytes | None
    written: str  # the hash of the bytes that planrail wrote
    folders: list[str]  # that planrail made for it, the outermost first


@record
class Keep:
    """The file is as it should be."""

    path: str
    because: str = ""


@record
class WriteFile:
    """The file is to have these bytes; `original` is what uninstalling will give back."""

    path: str
    before: bytes | None
    original: bytes | None
    after: bytes


@record
class LeftAlone:
    """The file is left alone, and the user has to do something about it."""

    path: str
    reason: str
    remedy: str


@record
class Restore:
    """The file is to have these bytes again (None: none at all). `changed`: the user had written to it meanwhile."""

    path: str
    after: bytes | None
    changed: bool


Step = WriteFile | Keep | LeftAlone
StepBack = Restore | Keep | LeftAlone


def hash_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def decide_install(target: Target, current: bytes | None, entry: Entry | None) -> Step:
    """What to do with a file so that it connects planrail."""
    if target.kind != JSON:
        return _decide_text(target, current)
    try:
        if current and holds(load(current), target.entries):
            return Keep(target.path)
        original = restored(target.kind, current, entry)
        document = load(original) if original else {}
        merged = put_in(document, target.entries)
        if current and load(current) == merged:
            return Keep(target.path)
        after = dump(merged, original or None)
    except OddShape as error:
        return LeftAlone(
            target.path, f"{target.path} was left as it is: {error}", "correct it, then planrail init again"
        )
    return WriteFile(target.path, current, original, after)


def is_connected(kind: str, current: bytes | None) -> bool:
    """Whether a file has anything of planrail's that an agent would run. May raise `OddShape`."""
    if kind == JSON:
        return bool(current) and has_hooks(load(current or b"{}"))
    return current is not None and current.startswith(SCRIPT_MARK.encode())


def decide_uninstall(kind: str, path: str, current: bytes | None, entry: Entry | None) -> StepBack:
    """What to do with a file so that nothing of planrail's is left in it."""
    if current is None:
        return Keep(path, "it is gone already")
    try:
        after = restored(kind, current, entry)
    except OddShape as error:
        return LeftAlone(path, f"{path} was left as it is: {error}", "correct it, then planrail uninstall again")
    changed = entry is None or hash_of(current) != entry.written
    if after == current:
        ours = kind not in (JSON, SCRIPT) and entry is not None
        return Keep(path, "you have changed it, so it is yours" if ours else "nothing of planrail's is in it")
    return Restore(path, after, changed)


def restored(kind: str, current: bytes | None, entry: Entry | None) -> bytes | None:
    """A file without planrail: exactly what was there before, or what the user has made of it meanwhile."""
    if current is None:
        return None
    if entry is not None and hash_of(current) == entry.written:
        return entry.original
    if kind == SCRIPT:
        return None if current.startswith(SCRIPT_MARK.encode()) else current
    if kind != JSON:
        return current
    if entry is None and not has_hooks(load(current or b"{}")):
        return current  # whatever names planrail in there was written by the user
    return _without_entries(current, entry.original if entry is not None else None)


def _without_entries(current: bytes, original: bytes | None) -> bytes | None:
    now = load(current or b"{}")
    before = load(original) if original else {}
    rest = take_out(now, before)
    if rest == now:
        return current
    if original is not None and rest == before:
        return original
    if not rest and original is None:
        return None
    return dump(rest, current)


def _decide_text(target: Target, current: bytes | None) -> Step:
    after = target.text.encode()
    if current == after:
        return Keep(target.path)
    if target.kind == SCRIPT:
        if current is not None and not current.startswith(SCRIPT_MARK.encode()):
            reason = f"{target.path} is not planrail's and was left as it is"
            return LeftAlone(target.path, reason, "move it away, then planrail init again")
        return WriteFile(target.path, current, None, after)
    return WriteFile(target.path, None, None, after) if current is None else Keep(target.path, "it is yours")
