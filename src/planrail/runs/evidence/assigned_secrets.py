"""Values that a text gives to a name that says password, secret, token or key, and that nobody types by hand. Pure.

Tests and documents are full of passwords that are none. So a value counts only where its signs change kind all the
time, as those of a generator do, where nothing in it says that it stands for another, and where the file is no test.
"""

import math
from collections import Counter
from collections.abc import Iterator

from planrail.base.masking import Secret
from planrail.base.patterns import pattern
from planrail.runs.strength.files import belongs_to_tests, is_lock

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


def find_assigned(path: str, text: str) -> Iterator[Secret]:
    """The values in a file that are certainly no words."""
    if belongs_to_tests(path) or is_lock(path) or _STANDS_FOR_FILE.search(path):
        return
    name = path.rpartition("/")[2]
    is_bare = name.rpartition(".")[2].lower() in _BARE or "." not in name or name.startswith(".env")
    start = 0
    for line in text.split("\n"):
        for match in _ASSIGNED.finditer(line[:_LONGEST_LINE]) if _may_assign(line) else ():
            group = "quoted" if match["quoted"] else "bare"
            if (group == "quoted" or is_bare) and _is_generated(match[group]):
                yield Secret("value that is called a secret", start + match.start(group), match[group])
        start += len(line) + 1


def _may_assign(line: str) -> bool:
    """A look that costs nothing beside the pattern: nearly no line has one of these words."""
    small = line[:_LONGEST_LINE].lower()
    return ("=" in small or ":" in small) and any(word in small for word in _WORDS)


def _is_generated(value: str) -> bool:
    if _NO_SECRET.search(value):
        return False
    piece = max(_PIECE.findall(value), key=len, default="")
    has_both = any(sign.isdigit() for sign in piece) and any(sign.isalpha() for sign in piece)
    if len(piece) < _SHORTEST or not has_both:
        return False
    return len(_RUN.findall(piece)) / len(piece) >= _CHANGES and _entropy(piece) >= _BITS


def _entropy(text: str) -> float:
    return -sum(count / len(text) * math.log2(count / len(text)) for count in Counter(text).values())
