"""Does the work bring a secret into the repository? Where it is and what kind, never its value. Pure.

What the base has already does not count: fixtures that are moved or copied are no news. Neither does what the project's
settings name, by the path or by the fingerprint that a finding tells.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase

from planrail.base.masking import Secret, find_secrets, mask
from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.base.run_model import Finding
from planrail.runs.strength.files import belongs_to_tests, is_lock
from planrail.runs.strength.weakening import Changes

_NAME = (
    r"(?:password|passwd|passphrase|passwort|pwd|secret|token|credentials?"
    r"|(?:api|auth|access|secret|private|encryption|signing|master|account)[_-]?key)"
)
_TYPE = r"(?:\s*:\s*[\w.\[\]| ]{1,30}(?=\s*=))?"
_ASSIGNED = pattern(
    rf"(?i){_NAME}[\"'\]]*{_TYPE}\s*(?:=>|:=|[=:])\s*(?:(?P<quote>[\"'`])(?P<quoted>[^\"'`\s]{{10,200}})(?P=quote)"
    rf"|(?P<bare>[^\s\"'`,;(){{}}\[\]<>$#]{{10,200}})(?=\s*(?:[#;]|$)))"
)

# Where a value stands without quotes; in a program that is a name.
_BARE = ("", "env", "ini", "cfg", "conf", "config", "properties", "yml", "yaml", "toml", "tfvars", "netrc", "service")
_NO_SECRET = pattern(
    r"(?i)example|sample|change|placeholder|dummy|fake|test|your|xxx|todo|redact|secret|passw|token|default|demo|mock"
    r"|insert|replace|undefined|process\.|environ|://|^[/.~]|[$<{(]|^arn:|^sha\d|^vault:|^enc[:(]"
)
_STANDS_FOR_FILE = pattern(
    r"(?i)(?:^|[/._-])(?:examples?|samples?|templates?|fixtures?|mocks?|stubs?|dist)(?:[/._-]|$)"
)
_PIECE = pattern(r"[A-Za-z0-9+/=]+")
_RUN = pattern(r"[a-z]+|[A-Z]+|[0-9]+|[^A-Za-z0-9]+")
_WORDS = ("passw", "passphrase", "pwd", "secret", "token", "credential", "key")
_LONGEST_LINE = 2_000
_SHORTEST = 10
_CHANGES = 0.4  # how often the kind of sign changes; words in camel case: 0.3
_BITS = 3.0  # of entropy for each sign
KIND = "secret"
_FINGERPRINT = 12
_MOST = 20
_LONG_VALUE = 12


# Values that a text gives to a name that says password, secret, token or key, and that nobody types by hand. Pure.
#
# Tests and documents are full of passwords that are none. So a value counts only where its signs change kind all the
# time, as those of a generator do, where nothing in it says that it stands for another, and where the file is no test.


def find_assigned(path: str, text: str) -> Iterator[Secret]:
    """The values in a file that are certainly no words."""
    if belongs_to_tests(path) or is_lock(path) or _STANDS_FOR_FILE.search(path):
        return
    name = path.rpartition("/")[2]
    is_bare = name.rpartition(".")[2].lower() in _BARE or "." not in name or name.startswith(".env")
    start = 0
    for line in text.split("\n"):
        small = line[:_LONGEST_LINE].lower()  # a look that costs nothing beside the pattern
        may_assign = ("=" in small or ":" in small) and any(word in small for word in _WORDS)
        for match in _ASSIGNED.finditer(line[:_LONGEST_LINE]) if may_assign else ():
            group = "quoted" if match["quoted"] else "bare"
            if (group == "quoted" or is_bare) and _is_generated(match[group]):
                yield Secret("value that is called a secret", start + match.start(group), match[group])
        start += len(line) + 1


def _is_generated(value: str) -> bool:
    if _NO_SECRET.search(value):
        return False
    piece = max(_PIECE.findall(value), key=len, default="")
    has_both = any(sign.isdigit() for sign in piece) and any(sign.isalpha() for sign in piece)
    if len(piece) < _SHORTEST or not has_both:
        return False
    shares = [count / len(piece) for count in Counter(piece).values()]
    entropy = -sum(share * math.log2(share) for share in shares)
    return len(_RUN.findall(piece)) / len(piece) >= _CHANGES and entropy >= _BITS


@record
class Ground:
    """What is no news: values that settings allow, those of the base, and those that are known to be secret."""

    allowed: Sequence[str]  # globs of paths, and fingerprints
    is_on_base: Callable[[str], bool]
    known: Sequence[str] = ()  # the values of secret variables; short ones are found everywhere


def find_landing_secrets(changes: Changes, context: Ground) -> list[Finding]:
    """A failure for each secret that the work adds, in a file or in its name."""
    known = [value for value in context.known if len(value) >= _LONG_VALUE]
    added = [
        (mask(path, known), line, secret)
        for path, (before, after) in sorted(changes.items())
        if after is not None and not any(fnmatchcase(path, pattern) for pattern in context.allowed)
        for line, secret in (
            *((0, secret) for secret in find_secrets(path, known) if before is None),  # in the name of a new file
            *_added(path, before or b"", after, known),
        )
        if fingerprint(secret.value) not in context.allowed
        and not context.is_on_base(max(secret.value.split("\n"), key=len))
    ]
    found = []
    for path, line, secret in added[:_MOST]:
        named, place = fingerprint(secret.value), f"{path}:{line}" if line else f"the name of {path}"
        text = (
            f"{place} adds what looks like a secret ({secret.kind}); nothing lands with it. Take it out. If it is "
            "none, name it in planrail.toml, or the path of the file, and commit that: "
            f'[run] known_secrets = ["{named}"]'
        )
        found.append(Finding(KIND, text, place))
    return found


def fingerprint(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:_FINGERPRINT]


def _added(path: str, before: bytes, after: bytes, known: Sequence[str]) -> Iterator[tuple[int, Secret]]:
    """The secrets in the lines that are new, with the number of their line."""
    old = set(before.split(b"\n"))
    lines = [(number, line) for number, line in enumerate(after.split(b"\n"), 1) if line not in old]
    text = "\n".join(line.replace(b"\0", b"").decode("utf-8", "surrogateescape") for _, line in lines)  # or UTF-16
    certain = list(find_secrets(text, known))
    called = (one for one in find_assigned(path, text) if not any(one.value in other.value for other in certain))
    for secret in (*certain, *called):
        yield lines[text.count("\n", 0, secret.start)][0], secret
