"""Commands: what a command line needs in the repository, that is a target of make, a script of npm, a file, a test."""

import re
from collections.abc import Iterator

from planrail.base.records import record
from planrail.plans.lint.grounding.shapes import PathShape, read_path


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
        yield from _make(arguments)
    elif program in _SCRIPT_RUNNERS:
        yield from _script(program, arguments)
    elif program in ("pytest", "py.test"):
        yield from _tests(arguments)
    elif program in _INTERPRETERS:
        yield from _first_file(arguments)
    elif program.startswith("./") and len(words) > 1:
        yield from _first_file([program])


def _make(arguments: list[str]) -> Iterator[Reference]:
    if any(argument.startswith(("-C", "-f", "--directory", "--file")) for argument in arguments):
        return
    for argument in _without_options(arguments, _MAKE_VALUE):
        if "=" not in argument and _MAKE_TARGET.match(argument):
            yield Reference("make", argument, None)


def _script(program: str, arguments: list[str]) -> Iterator[Reference]:
    """`npm run x` names a script; of `yarn x` and `pnpm x` only a name with a colon is no command of theirs."""
    plain = _without_options(arguments, _NPM_VALUE)
    if plain[:1] in (["run"], ["run-script"]) and len(plain) > 1 and _SCRIPT.match(plain[1]):
        if "/" not in plain[1] and "." not in plain[1]:
            yield Reference("script", plain[1], None)
    elif program != "npm" and plain and ":" in plain[0] and _SCRIPT.match(plain[0]):
        yield Reference("script", plain[0], None)


def _tests(arguments: list[str]) -> Iterator[Reference]:
    for argument in arguments:
        target, _, name = argument.partition("::")
        path = read_path(target)
        if not argument.startswith("-") and path is not None and (path.is_file or path.has_folder):
            yield Reference("test", name.partition("[")[0].rsplit("::", 1)[-1], path)


def _first_file(arguments: list[str]) -> Iterator[Reference]:
    """The script that an interpreter is given, unless an option such as `-c` or `-m` comes first."""
    if arguments and not arguments[0].startswith("-"):
        path = read_path(arguments[0].strip("\"'"))
        if path is not None and path.is_file and not path.is_glob:
            yield Reference("file", "", path)


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
