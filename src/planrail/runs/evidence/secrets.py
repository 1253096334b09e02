"""Does the work bring a secret into the repository? Where it is and what kind, never its value. Pure.

What the base has already does not count: fixtures that are moved or copied are no news. Neither does what the project's
settings name, by the path or by the fingerprint that a finding tells.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase

from planrail.base.masking import Secret, find_secrets, mask
from planrail.base.records import record
from planrail.base.run_model import Finding
from planrail.runs.evidence.assigned_secrets import find_assigned
from planrail.runs.strength.weakening import Changes

KIND = "secret"
_FINGERPRINT = 12
_MOST = 20
_LONG_VALUE = 12


@record
class Ground:
    """What is no news: values that settings allow, those of the base, and those that are known to be secret."""

    allowed: Sequence[str]  # globs of paths, and fingerprints
    is_on_base: Callable[[str], bool]
    known: Sequence[str] = ()  # the values of secret variables; short ones are found everywhere


def find_landing_secrets(changes: Changes, ground: Ground) -> list[Finding]:
    """A failure for each secret that the work adds, in a file or in its name."""
    known = [value for value in ground.known if len(value) >= _LONG_VALUE]
    found = [
        _finding(mask(path, known), line, secret)
        for path, (before, after) in sorted(changes.items())
        if after is not None and not _is_allowed(path, ground.allowed)
        for line, secret in (*_named(path, before, known), *_added(path, before or b"", after, known))
        if fingerprint(secret.value) not in ground.allowed and not ground.is_on_base(_longest_line(secret.value))
    ]
    return found[:_MOST]


def fingerprint(value: str) -> str:
    """What a value can be named by without being told."""
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:_FINGERPRINT]


def _named(path: str, before: bytes | None, known: Sequence[str]) -> Iterator[tuple[int, Secret]]:
    """The secrets in the name of a file that is new; they stand in no line."""
    if before is None:
        yield from ((0, secret) for secret in find_secrets(path, known))


def _added(path: str, before: bytes, after: bytes, known: Sequence[str]) -> Iterator[tuple[int, Secret]]:
    """The secrets in the lines that are new, with the number of their line."""
    old = set(before.split(b"\n"))
    lines = [(number, line) for number, line in enumerate(after.split(b"\n"), 1) if line not in old]
    text = "\n".join(line.replace(b"\0", b"").decode("utf-8", "surrogateescape") for _, line in lines)  # or UTF-16
    certain = list(find_secrets(text, known))
    called = (one for one in find_assigned(path, text) if not any(one.value in other.value for other in certain))
    for secret in (*certain, *called):
        yield lines[text.count("\n", 0, secret.start)][0], secret


def _is_allowed(path: str, allowed: Sequence[str]) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in allowed)


def _longest_line(value: str) -> str:
    return max(value.split("\n"), key=len)


def _finding(path: str, line: int, secret: Secret) -> Finding:
    named, place = fingerprint(secret.value), f"{path}:{line}" if line else f"the name of {path}"
    text = (
        f"{place} adds what looks like a secret ({secret.kind}); nothing lands with it. Take it out. If it is "
        f'none, name it in planrail.toml, or the path of the file, and commit that: [run] known_secrets = ["{named}"]'
    )
    return Finding(KIND, text, place)
