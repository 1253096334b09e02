"""The files that a text refers to: paths with a known ending and names such as Makefile, each place once.

Addresses, domains, versions, e-mail addresses and library names are none, nor is what only looks like a file for its
dot, such as `np.sum`.
"""

import re
from posixpath import normpath

from planrail.plans.lint.grounding.file_types import EXTENSIONS, LIBRARY_NAMES, PLAIN_FILES
from planrail.plans.words import word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ADDRESS = re.compile(
    r"[A-Za-z][\w+.-]*://[^\s)>\]\"'`|]*|(?<![\w.])//[\w-][^\s)>\]\"'`|]*|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
)
_PATH = re.compile(r"[A-Za-z0-9_.@+~$\-/\\]+(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)?")
_ANY_PATH = re.compile(r"[\w.@+~$\-/\\]+\.[A-Za-z0-9]+(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)?")
_PLACE = re.compile(r"(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$")
_DOMAIN = re.compile(
    r"(?:www\..*|.*\.(?:com|org|net|io|dev|app|ai|co|gov|edu|info|local|de|fr|kr|jp|cn|uk|ru|eu|us|me|tv)|docs\.rs)$",
    re.I,
)
# Endings that are words of code or of the net as well: these are files only in a folder, or under a name of their own.
_AMBIGUOUS = word_set("org|sum|mod|rules|service|timer|example|sample|feature|template|lock|properties|less|d|r|v|snap")
_NAMED = word_set(
    "go.mod|go.sum|cargo.lock|yarn.lock|poetry.lock|uv.lock|flake.lock|gemfile.lock|composer.lock|podfile.lock|"
    "mix.lock|pnpm.lock|bun.lock|deno.lock|pdm.lock|pipfile.lock|.env.example|.env.sample|gradle.properties"
)


def find_references(text: str, exists: "Callable[[str], bool] | None" = None) -> "Iterator[str]":
    """The distinct references to files, each with the line it names, in an order that is always the same.

    With `exists`, whatever names a file there is one, and nothing else.
    """
    seen: set[str] = set()
    for token in dict.fromkeys(text.split()):
        if "." in token or "/" in token or token.strip("`*_()[]\"',:;") in PLAIN_FILES:
            for reference in _in_token(token, exists):
                if reference not in seen:
                    seen.add(reference)
                    yield reference


def _in_token(token: str, exists: "Callable[[str], bool] | None") -> "Iterator[str]":
    if "://" in token or "//" in token or "@" in token:
        token = _ADDRESS.sub(" ", token)
    found = [reference for match in _PATH.findall(token) if (reference := _reference(match, exists))]
    if not found and not token.isascii():
        found = [reference for match in _ANY_PATH.findall(token) if (reference := _reference(match, exists))]
    yield from found


def _reference(candidate: str, exists: "Callable[[str], bool] | None") -> str:
    """The reference in one spelling, "" where it is none."""
    place = _PLACE.search(candidate)
    path = (candidate[: place.start()] if place else candidate).replace("\\", "/").rstrip("./-+~$")
    if not path or len(path) > 1000 or "//" in path or not any(char.isalpha() for char in path):
        return ""
    is_file = _looks_like_file(path) if exists is None else exists(path)
    return normpath(path) + (place[0] if place else "") if is_file else ""


def _looks_like_file(path: str) -> bool:
    first, slash, _ = path.partition("/")
    base = path.rpartition("/")[2]
    stem, dot, extension = base.rpartition(".")
    if slash and _DOMAIN.match(first) and not first.startswith("."):
        return False
    if base in PLAIN_FILES or base.lower() in _NAMED:
        return True
    if not dot or not stem.strip("."):
        return False
    if extension.lower() not in EXTENSIONS or not (extension.islower() or extension.isupper()):
        return False
    return bool(slash) or not (extension.lower() in _AMBIGUOUS or base.lower() in LIBRARY_NAMES)
