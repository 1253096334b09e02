"""The harness of tests: scripts and settings that decide what a command like `make test` does. Did the phase change it?

Where it did, planrail runs the old harness on the new tree as well: what passes only with the new one may have been
made to pass.
"""

import json
import re

from planrail.records import record
from planrail.runs.evidence.hollow_checks import why_hollow
from planrail.runs.evidence.tree_changes import name_some
from planrail.runs.model import Finding
from planrail.runs.strength.files import RULES, fits, is_steering, is_test, takes_a_place
from planrail.runs.strength.late_patterns import LatePattern
from planrail.runs.strength.shell_words import folders_of, script_of, split_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from planrail.runs.model import CheckOrder, CheckRun
    from planrail.runs.strength.weakening import Changes

_WRAPPER = LatePattern(
    r"test|check|verif|spec|lint|valid|e2e|smoke|(?:^|[/_.-])(?:ci|run|all|suite|runner)(?:[/_.-]|$)", re.I
)
_RUNS_ALL = LatePattern(r"(?:^|[/_.-])(?:run|all|suite|runner|main|ci)(?:[_.-]|$)|run.?tests?", re.I)
_TESTISH = LatePattern(r"test|surefire|failsafe|skip|exclude|shell|junit|jacoco|coverage|spec\b|harness", re.I)
_PACKAGE_KEYS = ("scripts", "jest", "mocha", "ava", "nyc", "c8", "tap", "vitest", "babel")
_TOOLS = ("pytest", "coverage", "tox", "nox", "hatch", "poe", "taskipy", "pdm", "rye", "uv")  # tables of pyproject.toml
_CRATE_KEYS = ("test", "bench", "lib", "profile")
_RECIPES = ("Makefile", "makefile", "GNUmakefile", "*.mk", "justfile", "Justfile", ".justfile", "Taskfile.*", "*.rake")
_MIXED = ("setup.cfg", "vite.config.*", "babel.config.*", ".babelrc*", ".npmrc")  # they are about more than tests
_RUNS_TESTS = LatePattern(
    r"test|spec|check|tox|nox|jest|mocha|playwright|cypress|karma|rake|npm|yarn|pnpm|bun|make|just"
)


@record
class Harness:
    """A file that decides what checks do, and that the phase changed. `checks` are those that go through it."""

    path: str
    checks: "tuple[CheckOrder, ...]"


def changed_harnesses(checks: "Iterable[CheckOrder]", changes: "Changes") -> list[Harness]:
    """The files of the phase that decide what its checks and the project's tests do, and that the base can replace.

    A script that the phase wrote anew and that a check of the plan calls by name is its work, not a harness; a file
    that a runner loads by itself is a harness even where it is new.
    """
    ordered = list(checks)
    found = []
    for path, (old, new) in sorted(changes.items()):
        pair = (None if old is None else _decode(old), _decode(new))
        used = tuple(check for check in ordered if _goes_through(check, path, *pair))
        if used:
            found.append(Harness(path, used))
    return found


def judge_harnesses(harnesses: "Sequence[Harness]", runs: "Sequence[CheckRun]") -> list[Finding]:
    """What follows from the checks that were run with the old harness on the new tree."""
    by_command = {(run.command, run.origin): run for run in runs}
    found = []
    for harness in harnesses:
        run = [by_command[key] for check in harness.checks if (key := (check.command, check.origin)) in by_command]
        failed = [one for one in run if one.exit]
        through = name_some(f"`{check.command.strip().splitlines()[0][:80]}`" for check in harness.checks)
        text = f"{through} goes through {harness.path}, which this phase changed"
        how = (
            f"with the old one it ends with exit code {failed[0].exit}" if failed else "it passes with the old one too"
        )
        missing = len(run) < len(harness.checks)
        how = "it was not run with the old one" if missing and not failed else how
        found.append(Finding("harness_changed", f"{text}; {how}", harness.path, is_failure=bool(failed) or missing))
    return found


def _goes_through(check: "CheckOrder", path: str, old: str | None, new: str) -> bool:
    if is_steering(path):
        return bool(_RUNS_TESTS.search(check.command)) and _is_about_tests(path, old or "", new)
    if old is None and takes_a_place(path, folders_of(check.command)):
        return check.origin == "tests" or "py" in check.command or bool(_RUNS_TESTS.search(check.command))
    if old is None:  # a new script is work, unless it is a wrapper that says yes to everything
        scripts = [script_of(words) for words in split_commands(check.command)]
        return path in scripts and _WRAPPER.search(path) is not None and bool(why_hollow(new))
    return any(_uses(words, check.origin, path, old, new) for words in split_commands(check.command))


def _uses(words: list[str], origin: str, path: str, old: str, new: str) -> bool:
    if script_of(words) == path:
        name = path.rpartition("/")[2]
        if is_test(path):
            return _RUNS_ALL.search(name) is not None
        return origin == "tests" or _WRAPPER.search(path) is not None
    program = words[0] if words[0] in RULES else words[0].rpartition("/")[2]
    return _matches(path, RULES.get(program, ())) and _matters(words, path, old, new)


def _matters(words: list[str], path: str, old: str, new: str) -> bool:
    """Whether the change is about what this command does, and the old file knows how to do it."""
    name = path.rpartition("/")[2]
    if name == "package.json":
        return _package_matters(words, old, new)
    if name in ("pyproject.toml", "Cargo.toml"):
        return _tables(name, old) != _tables(name, new)
    if _matches(path, _RECIPES):
        return _knows_targets(words, old)
    return _is_about_tests(path, old, new, always=False)


def _is_about_tests(path: str, old: str, new: str, *, always: bool = True) -> bool:
    """Whether a changed line speaks of tests; for a file that is about tests alone, any line does."""
    if always and not _matches(path, _MIXED):
        return True
    changed = set(old.splitlines()) ^ set(new.splitlines())
    return any(_TESTISH.search(line) for line in changed)


def _package_matters(words: list[str], old: str, new: str) -> bool:
    before, after = _json(old), _json(new)
    if any(before.get(key) != after.get(key) for key in _PACKAGE_KEYS if key != "scripts"):
        return True
    operands = [word for word in words[1:] if not word.startswith("-") and word not in ("run", "run-script")]
    name = {"t": "test", "tst": "test"}.get(operands[0], operands[0]) if operands else "test"
    scripts, now = (part.get("scripts") if isinstance(part.get("scripts"), dict) else {} for part in (before, after))
    assert isinstance(scripts, dict)
    assert isinstance(now, dict)
    return name in scripts and any(scripts.get(key) != now.get(key) for key in (name, f"pre{name}", f"post{name}"))


def _knows_targets(words: list[str], old: str) -> bool:
    targets = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return all(re.search(rf"^\s*[^#\n]*\b{re.escape(target)}\b[^=\n]*:", old, re.M) for target in targets)


def _tables(name: str, text: str) -> object:
    import tomllib

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return text
    if name == "Cargo.toml":
        return {key: document.get(key) for key in _CRATE_KEYS}
    tools = document.get("tool")
    return {key: tools.get(key) for key in _TOOLS} if isinstance(tools, dict) else dict.fromkeys(_TOOLS)


def _json(text: str) -> "dict[str, object]":
    try:
        value = json.loads(text)
    except ValueError:
        return {"scripts": text}
    return value if isinstance(value, dict) else {}


def _matches(path: str, globs: "Iterable[str]") -> bool:
    name = path.rpartition("/")[2]
    return any(fits(name, glob) or path.endswith(glob) for glob in globs)


def _decode(data: bytes | None) -> str:
    return (data or b"").decode(errors="replace")
