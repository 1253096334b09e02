"""The files that a text refers to: paths with a known ending and names such as Makefile, each file once.

Addresses, domains, versions, e-mail addresses and library names are none, nor is what only looks like a file for its
dot, such as `np.sum`. Two places in one file count as two where they are more than a screen apart.
"""

import re
from collections.abc import Callable, Iterator
from posixpath import normpath

from planrail.plans.lint.grounding.files import EXTENSIONS, LIBRARY_NAMES, PLAIN_FILES
from planrail.plans.words.words import word_set

Exists = Callable[[str], bool]


_SCREEN = 40  # lines
_MOST_LOOKUPS = 5_000  # questions to the repository: an exploration names a few dozen files
_MOST_FOLDERS = 20
_PLACES = r"(?::\d{1,7}(?:[-:]\d{1,7})?|#L\d{1,7}(?:-L?\d{1,7})?)"
_ADDRESS = re.compile(
    r"[A-Za-z][\w+.-]*://[^\s)>\]\"'`|]*|(?<![\w.])//[\w-][^\s)>\]\"'`|]*|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
)
_PATH = re.compile(rf"[A-Za-z0-9_.@+~$\-/\\]+{_PLACES}?")
_ANY_PATH = re.compile(rf"[\w.@+~$\-/\\]+\.[A-Za-z0-9]+{_PLACES}?")
# Folders and files of routes: src/routes/[id].tsx, app/(shop)/page.tsx.
_BRACKETED = re.compile(rf"[\w.@+~$\-/]+/[\w.@+~$\-/]*+(?:[\[(][\w.\-]+[\])][\w.@+~$\-/]*+)+{_PLACES}?")
_PLACE = re.compile(rf"{_PLACES}$")
_QUOTED = re.compile(r"`([^`\n]{1,200}[ \t][^`\n]{1,200})`")
_LISTED = re.compile(rf"^[ \t│├└─|`+\\-]*+([^\s:]+(?:{_PLACES}(?=:|$))?)(?::.*|[ \t]*)$", re.MULTILINE)
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


def find_references(text: str, exists: Exists | None = None, *, listed: str = "") -> Iterator[str]:
    """The distinct references to files, each with the line it names, in an order that is always the same.

    With `exists`, whatever names a file there is one, and nothing else. `listed` is what stands in fences: only a line
    that is a path, as `ls` or `grep -n` print it, refers to a file there.
    """
    lines = [match[1] for match in _LISTED.finditer(listed)]
    look = _make_look(exists, [*text.split(), *lines]) if exists else _by_looks
    tokens = dict.fromkeys(text.split())
    may = [token for token in tokens if "." in token or "/" in token or token.strip("`*_()[]\"',:;") in PLAIN_FILES]
    quoted = (match[1] for match in _QUOTED.finditer(text)) if exists else ()  # names with blanks can be looked up only
    seen: dict[str, list[int]] = {}
    for spellings in (*map(_in_token, dict.fromkeys((*may, *lines))), *([[name]] for name in quoted)):
        for spelling in spellings:
            parts = (_split(candidate) for candidate in spelling)
            found = [(file, place) for path, place in parts if path and (file := look(path))]
            yield from (path + place for path, place in found if _is_new(seen, path, place))
            if found:
                break


def _is_new(seen: dict[str, list[int]], path: str, place: str) -> bool:
    """Whether a file, or a place far from all others in it, is named for the first time."""
    line = int(re.search(r"\d+", place)[0]) if place else 0  # type: ignore[index] # a place has a number
    known = seen.get(path)
    if known is None:
        seen[path] = [line] if line else []
        return True
    is_far = bool(line and known) and all(abs(line - other) > _SCREEN for other in known)
    if line and (is_far or not known):
        known.append(line)
    return is_far


def _in_token(token: str) -> list[list[str]]:
    """The ways to read a token, the likeliest first, each with the paths that it would hold."""
    if "://" in token or "//" in token or "@" in token:
        token = _ADDRESS.sub(" ", token)
    has_route = ("[" in token or "(" in token) and "](" not in token
    routes = _BRACKETED.findall(token) if has_route else []
    return [routes, _PATH.findall(token), [] if token.isascii() else _ANY_PATH.findall(token)]


def _split(candidate: str) -> tuple[str, str]:
    place = _PLACE.search(candidate)
    path = (candidate[: place.start()] if place else candidate).replace("\\", "/").rstrip("./-+~$")
    if not path or len(path) > 1000 or "//" in path or not any(char.isalpha() for char in path):
        return "", ""
    return path, place[0] if place else ""


def _make_look(exists: Exists, tokens: list[str]) -> Callable[[str], str]:
    """Looks files up in a repository, a bounded number of times; also in the folders that are named as such."""
    named = dict.fromkeys(token.strip("`*_()\"',:;│├└─ ") for token in tokens if "/" in token)
    folders = [name.removeprefix("./") for name in named if name.endswith("/") and len(name) > 2][:_MOST_FOLDERS]
    turns = iter(range(_MOST_LOOKUPS))

    def spell(path: str) -> Iterator[str]:
        """A path; without the a/ or b/ of a difference; an absolute one from some folder on; a name in its folder."""
        parts = path.split("/")
        if not parts[0]:
            yield from ("/".join(parts[at:]) for at in range(2, min(len(parts) - 1, 12)))
        yield path
        if parts[0] in ("a", "b") and len(parts) > 1:
            yield "/".join(parts[1:])
        elif parts[0] and len(parts) == 1:
            yield from (folder + path for folder in folders)

    # The path comes first: a spelling that is not tried uses up no turn.
    return lambda path: next((normpath(name) for name, _ in zip(spell(path), turns, strict=False) if exists(name)), "")


def _by_looks(path: str) -> str:
    """The path, if it looks like that of a file."""
    first, slash, _ = path.partition("/")
    base = path.rpartition("/")[2]
    stem, _, extension = base.rpartition(".")
    if slash and _DOMAIN.match(first) and not first.startswith("."):
        return ""
    is_known = extension.lower() in EXTENSIONS and (extension.islower() or extension.isupper())
    is_plain = bool(slash) or not (extension.lower() in _AMBIGUOUS or base.lower() in LIBRARY_NAMES)
    is_file = base in PLAIN_FILES or base.lower() in _NAMED or (bool(stem.strip(".")) and is_known and is_plain)
    return normpath(path) if is_file else ""
