"""Shapes: whether a piece of inline code is a path, a symbol or a command, and what of it is to be found."""

import re
from collections.abc import Iterator
from enum import IntEnum

from planrail.base.records import record
from planrail.plans.lint.grounding.files import EXTENSIONS, LIBRARY_NAMES, PLAIN_FILES


class Stance(IntEnum):
    """What a plan says about the thing it cites, the most telling first."""

    CREATED = 0  # this plan makes it
    EXISTS = 1  # it is there: the plan changes it, or says so
    RELIED_ON = 2  # it is there, or so the sentence sounds
    PLANNED = 3  # it may be there or be made by this plan: left open
    EXCUSED = 4  # it is gone, or elsewhere, or only an example, and the sentence knows it
    NEUTRAL = 5  # nothing is said


@record
class PathShape:
    """A path as it is cited. `first` and `last` are lines, 0 where none is given; `name` a symbol in the file."""

    path: str
    first: int
    last: int
    name: str
    is_folder: bool
    is_file: bool  # its last part has the form of a file name; where both are False it may be either
    is_glob: bool

    @property
    def has_folder(self) -> bool:
        return "/" in self.path


@record
class SymbolShape:
    """A symbol as it is cited: the names between its dots, and whether it is called."""

    parts: list[str]
    is_call: bool

    @property
    def last(self) -> str:
        return self.parts[-1]


_SUFFIX = re.compile(
    r"(?::L?(?P<first>\d+)(?:(?:-|–|:|,|\.\.)L?(?P<last>\d+))?|#L(?P<hash>\d+)(?:-L?(?P<until>\d+))?|"
    r"::?(?P<name>[A-Za-z_][\w.:]*)(?:\(\))?|#[\w-]*)$"
)
_PATH = re.compile(r"(?:\.{1,2}/)*[\w.@+*?\-\[\]()/]*[\w*\])/-]$")
# The worker will put another name there, or it is nobody's: <name>, {x}, ..., NNN, path/to/, foo, YYYY-MM-DD.
_PLACEHOLDER = re.compile(
    r"[<>{}$%…=,;|&'\"\s\\^!]|\.\.\.|://|(?:^|[/_.-])(?:N{1,4}|X{2,4}|x{3}|foo|bar|baz|qux|YYYY|MM|DD|TODO|HHMM\w*)(?=$|[/_.-])|"
    r"(?:^|/)(?:path/to|some/|your[-_/]|example\.|my[-_]?(?:app|project|file|module|feature|plan)\b)|(?:^|/)[A-Z](?=\.\w+$)"
)
_VERSION = re.compile(r"v?\d+(?:\.[\dx*]+)+(?:[-+]\w+)?$")
_DOMAIN = re.compile(r"(?:www\.)?[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|app|ai|co|gov|edu|local|example)(?:[:/]|$)")
_SYMBOL = re.compile(r"(?P<name>[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)*)(?P<call>\((?P<arguments>[^()]*)\))?;?$")
_CAMEL = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z]+[a-z0-9]*)+$")
_COMPOUND = re.compile(r"[A-Za-z0-9]+_\w+$|_?[a-z][a-z0-9]*[A-Z]\w*$|[A-Z][a-z0-9]+(?:[A-Z]+[a-z0-9]*)+$")


def read_path(text: str) -> PathShape | None:
    text, suffix = _without_suffix(text.strip())
    if not text or text[0] in "/~-@#:" or (text.startswith("..") and not text.startswith("../")):
        return None
    if _PLACEHOLDER.search(text) or _VERSION.match(text) or _DOMAIN.match(text):
        return None
    if not _PATH.match(text) or not re.search(r"[^\W\d]", text):
        return None
    is_folder = text.endswith("/")
    path = text.removeprefix("./").rstrip("/")
    base = path.rsplit("/", 1)[-1]
    is_glob = "*" in path or "?" in path
    is_file = not is_folder and _is_file_name(base)
    if not path or not (is_file or is_folder or "/" in path):
        return None
    if "/" not in path and (base.lower() in LIBRARY_NAMES or (is_folder and is_glob)):
        return None
    first = int(suffix["first"] or suffix["hash"] or 0) if suffix else 0
    last = int(suffix["last"] or suffix["until"] or first) if suffix else 0
    return PathShape(path, first, last, (suffix and suffix["name"]) or "", is_folder, is_file, is_glob)


def _without_suffix(text: str) -> tuple[str, re.Match[str] | None]:
    """A path without the line, the anchor or the name behind it. `::` after a word that is no file is Rust or C++."""
    suffix = _SUFFIX.search(text)
    if suffix is None or not suffix.start():
        return text, None
    bare = text[: suffix.start()]
    if suffix["name"] and not _is_file_name(bare.rsplit("/", 1)[-1]):
        return text, None
    return bare, suffix


def _is_file_name(base: str) -> bool:
    stem, dot, extension = base.rpartition(".")
    if not dot:
        return base in PLAIN_FILES
    return extension.lower() in EXTENSIONS and (bool(stem) or base in PLAIN_FILES)


def read_symbol(text: str) -> SymbolShape | None:
    """The symbol that a piece of code is, where it looks like code: a call, `CamelCase`, `Class.method`."""
    match = _SYMBOL.match(text.strip())
    if match is None:
        return None
    parts = re.split(r"\.|::|#", match["name"])
    is_call = match["call"] is not None
    if len(parts[-1]) < 3 or any(part.isupper() and len(part) < 3 for part in parts):
        return None
    if len(parts) == 1:
        name = parts[0]
        may_be_called = len(name) > 3 and not name.isupper() and not name.startswith(("test_", "Test", "it_"))
        looks_like_code = (is_call and may_be_called) or bool(_CAMEL.match(name))
        return SymbolShape(parts, is_call) if looks_like_code else None
    is_qualified = bool(_CAMEL.match(parts[-2]) or (parts[-2][0].isupper() and not parts[-2].isupper()))
    return SymbolShape(parts, is_call) if is_qualified or is_call or _COMPOUND.match(parts[-1]) else None


@record
class Reference:
    """A thing that a command needs: `kind` is make, script, test or file."""

    kind: str
    name: str
    path: PathShape | None


_ASSIGNMENT = re.compile(r"(?:[A-Za-z_]\w*=\S*\s+)+")
_SHELLS = ("bash", "sh", "zsh", "source", ".")
_INTERPRETERS = frozenset(("python", "python3", "node", "tsx", "ts-node", "ruby", "perl", "php", "lua", *_SHELLS))
_WRAPPERS = re.compile(r"(?:time|sudo|env|uv run|poetry run|pdm run|pipenv run|hatch run|npx|bunx|timeout \S+)\s+")
_SCRIPT_RUNNERS = frozenset(("npm", "yarn", "pnpm", "bun"))
# Options of make that take a value, and options of the package managers that do.
_MAKE_VALUE = frozenset(("-C", "-f", "-j", "-I", "-o", "-W", "-l", "--directory", "--file"))
_NPM_VALUE = frozenset(("-w", "--workspace", "--prefix", "--filter", "-F", "-C", "--cwd", "--dir"))
_MAKE_TARGET = re.compile(r"[A-Za-z_][\w./-]*$")
_SCRIPT = re.compile(r"[a-z][\w:.-]*$")


def read_command(code: str) -> list[Reference]:
    """What a command line needs; only what it needs for certain."""
    found: list[Reference] = []
    for part in re.split(r"&&|\|\||[;|]", code):
        words = _WRAPPERS.sub("", _ASSIGNMENT.sub("", part.strip().removeprefix("$ "), count=1)).split()
        if words and not any(mark in part for mark in "<>{}…") and "..." not in part:
            found += _needs(words)
    return found


def _needs(words: list[str]) -> Iterator[Reference]:
    program, arguments = words[0], words[1:]
    if program == "make":
        is_elsewhere = any(argument.startswith(("-C", "-f", "--directory", "--file")) for argument in arguments)
        for argument in _without_options(arguments, _MAKE_VALUE) if not is_elsewhere else ():
            if "=" not in argument and _MAKE_TARGET.match(argument):
                yield Reference("make", argument, None)
    elif program in _SCRIPT_RUNNERS:
        yield from _script(program, _without_options(arguments, _NPM_VALUE))
    elif program in ("pytest", "py.test"):
        for argument in arguments:
            target, _, name = argument.partition("::")
            path = read_path(target)
            if not argument.startswith("-") and path is not None and (path.is_file or path.has_folder):
                yield Reference("test", name.partition("[")[0].rsplit("::", 1)[-1], path)
    else:  # the script that an interpreter is given, unless an option such as `-c` or `-m` comes first
        itself = [program] if len(words) > 1 and program.startswith("./") else []
        given = arguments[:1] if program in _INTERPRETERS else itself
        path = read_path(given[0].strip("\"'")) if given and not given[0].startswith("-") else None
        if path is not None and path.is_file and not path.is_glob:
            yield Reference("file", "", path)


def _script(program: str, plain: list[str]) -> Iterator[Reference]:
    """`npm run x` names a script; of `yarn x` and `pnpm x` only a name with a colon is no command of theirs."""
    if plain[:1] in (["run"], ["run-script"]) and len(plain) > 1 and _SCRIPT.match(plain[1]):
        if "/" not in plain[1] and "." not in plain[1]:
            yield Reference("script", plain[1], None)
    elif program != "npm" and plain and ":" in plain[0] and _SCRIPT.match(plain[0]):
        yield Reference("script", plain[0], None)


def _without_options(arguments: list[str], with_value: frozenset[str]) -> list[str]:
    plain: list[str] = []
    skip = False
    for argument in arguments:
        if argument == "--":
            break
        if skip:
            skip = False
        elif argument.startswith("-"):
            skip = argument in with_value
        else:
            plain.append(argument)
    return plain
