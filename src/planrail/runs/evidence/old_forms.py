"""What was there before the phase, tried on its work: the old harness, and the old tests as they were.

A test can be made to miss what broke: by other values, by a double in the place of what it is about, by a new file that
reaches into it. So where tests were touched, those of the base are run on the work, without any of the new ones.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from planrail.base.json_reading import object_in, read_object
from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.base.run_model import CheckOrder, CheckRun, Finding
from planrail.base.wording import name_some
from planrail.runs.evidence.judging import ReadOutput, compare_tests
from planrail.runs.evidence.results import read_results
from planrail.runs.strength import files as files_
from planrail.runs.strength import reached_commands as shell
from planrail.runs.strength.blocks import read_blocks
from planrail.runs.strength.weakening import Changes, decode

_WRAPPER = pattern(
    r"test|check|verif|spec|lint|valid|e2e|smoke|(?:^|[/_.-])(?:ci|run|all|suite|runner)(?:[/_.-]|$)", re.I
)
_RUNS_ALL = pattern(r"(?:^|[/_.-])(?:run|all|suite|runner|main|ci)(?:[_.-]|$)|run.?tests?", re.I)
_TESTISH = pattern(r"test|surefire|failsafe|skip|exclude|shell|junit|jacoco|coverage|spec\b|harness", re.I)
_PACKAGE_KEYS = ("jest", "mocha", "ava", "nyc", "c8", "tap", "vitest", "babel")
_TOOLS = ("pytest", "coverage", "tox", "nox", "hatch", "poe", "taskipy", "pdm", "rye", "uv")  # tables of pyproject.toml
_CRATE_KEYS = ("test", "bench", "lib", "profile")
_RECIPES = ("Makefile", "makefile", "GNUmakefile", "*.mk", "justfile", "Justfile", ".justfile", "Taskfile.*", "*.rake")
_MANIFESTS = tuple({glob for globs in files_.RULES.values() for glob in globs})
_MIXED = ("setup.cfg", "vite.config.*", "babel.config.*", ".babelrc*", ".npmrc")  # they are about more than tests
RUNS_TESTS = pattern(r"test|spec|check|tox|nox|jest|mocha|playwright|cypress|karma|rake|npm|yarn|pnpm|bun|make|just")

# What names itself a check. A script of another name may be the work, and printing one line all that it has to do.
_CHECKS = pattern(r"test|check|verif|spec|lint|valid|e2e|smoke|accept", re.IGNORECASE)
_SHELL_SCRIPTS = (".sh", ".bash", ".zsh")

# Runs checks on the work with some files as they were on the base; the name is for the outputs.
TryOn = Callable[[Sequence[str], tuple[CheckOrder, ...], str], Sequence[CheckRun]]
_TELLING = ("regression", "tests_failed", "tests_contradict", "tests_silent", "nothing_ran")
_FEWEST_LETTERS = 4  # of a test's name that is looked for in another one


# The harness of tests: scripts and settings that decide what a command like `make test` does. Did the phase change it?
# Such a change counts against the phase unless the plan, or the verifier, names the file: an agent that guts the
# tests in one phase can break the code in the next. planrail also runs the old harness on the new tree: what passes
# only with the new one may have been made to pass.


def changed_harnesses(
    checks: Iterable[CheckOrder], changes: Changes, read: Callable[[str], bytes | None] = lambda _: None
) -> dict[str, list[CheckOrder]]:
    """The files of the phase that decide what its checks and the project's tests do, and that the base can replace,
    each with the checks that go through it.

    `read` gives a file of the base. A script that the phase wrote anew and that a check of the plan calls by name is
    its work, not a harness; a file that a runner loads by itself is a harness even where it is new.
    """

    @cache
    def read_old(path: str) -> str | None:
        old = changes[path][0] if path in changes else read(path)
        return None if old is None else decode(old)

    found: dict[str, list[CheckOrder]] = {}
    ordered = list(checks)
    commands = "\n".join(check.command for check in ordered)
    candidates = [path for path in sorted(changes) if _may_run(path, commands)]
    for check in ordered if candidates else ():
        reached = shell.reach_commands(check.command, read_old)
        for path in candidates:
            old, new = changes[path]
            if _goes_through(check, reached, path, None if old is None else decode(old), decode(new)):
                found.setdefault(path, []).append(check)
    return dict(sorted(found.items()))


def judge_harnesses(harnesses: Mapping[str, list[CheckOrder]], runs: Sequence[CheckRun]) -> list[Finding]:
    by_command = {(run.command, run.origin): run for run in runs}
    found = []
    for path, checks in harnesses.items():
        run = [by_command[key] for check in checks if (key := (check.command, check.origin)) in by_command]
        failed = [one for one in run if one.exit]
        through = name_some(f"`{check.command.strip().splitlines()[0][:80]}`" for check in checks)
        text = f"{through} goes through {path}, which this phase changed"
        missing = len(run) < len(checks)
        how = "it was not run with the old one" if missing else "it passes with the old one too"
        how = f"with the old one it ends with exit code {failed[0].exit}" if failed else how
        kind = "harness_changed" if failed or missing else "harness_unnamed"
        found.append(Finding(kind, f"{text}; {how}", path))
    return found


def _may_run(path: str, commands: str) -> bool:
    """Whether checks may run or load this file: for most files nobody has to read what its checks lead to."""
    folder = path.rpartition("/")[0]
    if (
        files_.is_steering(path)
        or files_.takes_a_place(path, (folder, folder.rpartition("/")[0]))
        or _matches(path, _MANIFESTS)
    ):
        return True
    if files_.is_test(path):
        return _RUNS_ALL.search(path.rpartition("/")[2]) is not None
    return shell.is_shell_script(path) or _WRAPPER.search(path) is not None or path.rpartition("/")[2] in commands


def _goes_through(check: CheckOrder, reached: Sequence[shell.Reached], path: str, old: str | None, new: str) -> bool:
    if files_.is_steering(path):
        runs_tests = check.origin == "tests" or any(RUNS_TESTS.search(" ".join(one.words)) for one in reached)
        return runs_tests and _is_about_tests(path, old or "", new)
    if old is None and files_.takes_a_place(path, shell.folders_of(check.command)):
        return check.origin == "tests" or "py" in check.command or bool(RUNS_TESTS.search(check.command))
    if old is None:  # a new script is work, unless it is a wrapper that passes everything
        scripts = [shell.script_of(one.words) for one in reached]
        return path in scripts and _WRAPPER.search(path) is not None and bool(shell.why_hollow(new))
    return any(_uses(one, check.origin, path, old, new) for one in reached)


def _uses(command: shell.Reached, origin: str, path: str, old: str, new: str) -> bool:
    words = command.words
    script = shell.script_of(words)
    if script and path in command.places(script):
        if files_.is_test(path):
            return _RUNS_ALL.search(path.rpartition("/")[2]) is not None
        runs_tests = origin == "tests" and (command.is_direct or shell.is_shell_script(path))
        return runs_tests or _WRAPPER.search(path) is not None
    program = words[0] if words[0] in files_.RULES else words[0].rpartition("/")[2]
    return _matches(path, files_.RULES.get(program, ())) and _matters(words, path, old, new)


def _matters(words: list[str], path: str, old: str, new: str) -> bool:
    """Whether the change is about what this command does, and the old file knows how to do it."""
    name = path.rpartition("/")[2]
    if name == "package.json":
        before, after = (read_object(text.encode()) for text in (old, new))
        if any(before.get(key) != after.get(key) for key in _PACKAGE_KEYS):
            return True
        names, scripts, now = shell.script_names(words), object_in(before, "scripts"), object_in(after, "scripts")
        return names[0] in scripts and any(scripts.get(key) != now.get(key) for key in names)
    if name in ("pyproject.toml", "Cargo.toml"):
        return _tables(name, old) != _tables(name, new)
    if _matches(path, _RECIPES):
        targets = shell.operands_of(words)
        if not all(re.search(rf"^\s*[^#\n]*\b{re.escape(one)}\b[^=\n]*:", old, re.M) for one in targets):
            return False
        is_read = not path.endswith((".yml", ".yaml", ".rake"))  # of others all counts, whatever the target is
        return old != new and not (is_read and shell.reached_rules(old, targets) == shell.reached_rules(new, targets))
    return _is_about_tests(path, old, new, always=False)


def _is_about_tests(path: str, old: str, new: str, *, always: bool = True) -> bool:
    """Whether a changed line speaks of tests; for a file that is about tests alone, any line does."""
    if always and not _matches(path, _MIXED):
        return True
    changed = set(old.splitlines()) ^ set(new.splitlines())
    return any(_TESTISH.search(line) for line in changed)


def _tables(name: str, text: str) -> object:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return text
    if name == "Cargo.toml":
        return {key: document.get(key) for key in _CRATE_KEYS}
    tools = object_in(document, "tool")
    return {key: tools.get(key) for key in _TOOLS}


def _matches(path: str, globs: Iterable[str]) -> bool:
    name = path.rpartition("/")[2]
    return any(files_.fits(name, glob) or path.endswith(glob) for glob in globs)


def find_hollow_scripts(checks: Iterable[CheckOrder], changes: Changes) -> list[Finding]:
    """Each script that the phase wrote, that a check runs and nothing else, and that always succeeds."""
    whole = (shell.split_commands(check.command) for check in checks)
    called = {shell.script_of(commands[0]) for commands in whole if len(commands) == 1}
    found = []
    for path in sorted(called & changes.keys()):
        text = decode(changes[path][1])
        first = text.partition("\n")[0].rstrip()
        is_shell = path.endswith(_SHELL_SCRIPTS) or (first.startswith("#!") and first.endswith("sh"))
        if is_shell and _CHECKS.search(path) and (why := shell.why_hollow(text)):
            found.append(Finding("hollow_script", f"{path}, which this phase wrote, cannot fail: {why}", path))
    return found


@record
class Before:
    """The base of a phase: what the checks said there, how outputs are read, and how a file of it is."""

    runs: Sequence[CheckRun]
    read: ReadOutput
    file: Callable[[str], bytes | None]


def try_old_forms(
    checks: Sequence[CheckOrder], changes: Changes, before: Before, try_on: TryOn, *, files: Iterable[str] = ()
) -> list[Finding]:
    """What the old harness and the old tests say of the work. Nothing is run where neither was touched."""
    globs = tuple(files)
    harnesses = changed_harnesses(checks, changes, before.file)
    steering = list(harnesses)
    found = []
    if harnesses:
        through = tuple({check.command: check for used in harnesses.values() for check in used}.values())
        found += judge_harnesses(harnesses, try_on(steering, through, "harness"))
    tests = [path for path in sorted(changes) if path not in steering and files_.belongs_to_tests(path, files=globs)]
    known = {(run.command, run.origin): run for run in before.runs}
    passed = [key for key, run in known.items() if not run.exit]
    # The project's tests, and what else runs tests and passed on the base.
    old = {
        check.command: check
        for check in checks
        if tests and (key := (check.command, check.origin)) in known
        if check.origin == "tests" or (key in passed and RUNS_TESTS.search(check.command))
    }
    if old:
        runs = try_on([*steering, *tests], tuple(old.values()), "old-tests")
        pairs = [(known[run.command, run.origin], run) for run in runs]
        found += judge_old_tests(pairs, {path: changes[path][0] for path in tests}, before.read)
    return found


def judge_old_tests(
    pairs: Sequence[tuple[CheckRun, CheckRun]], tests: dict[str, bytes | None], read: ReadOutput
) -> list[Finding]:
    """What follows from checks on the base and on the work with the tests of the base. `tests` are the files that the
    phase touched, as they were. A failure is told with the files that may have had to change."""
    blamed: dict[str, list[str]] = {}
    for base, now in pairs:
        was, said = read(base) or "", read(now) or ""
        told = [one for one in compare_tests(base, now, was, said) if one.is_failure and one.kind in _TELLING]
        if told:
            names = sorted(read_results(said).failed_names - read_results(was).failed_names)
            for name in names or [""]:
                for path in _owners(name, tests) or [""]:
                    blamed.setdefault(path, []).append(name)
    found, new = [], [path for path, old in tests.items() if old is None] or list(tests)
    for path, names in blamed.items():
        named = name_some(dict.fromkeys(name for name in names if name))
        text = f"tests that passed, run as they were on the base, fail on this work{': ' if named else ''}{named}"
        if path:
            found.append(Finding("old_test_fails", f"{text}; this phase changed {path}", path))
        else:
            found.append(Finding("old_tests_evaded", f"{text}; they pass with {name_some(new)} alone", new[0]))
    return found


def _owners(name: str, tests: dict[str, bytes | None]) -> list[str]:
    """The changed files that a failed test stands in, or else those that it may use: what is no test by its name."""
    old = {path: decode(data) for path, data in tests.items() if data is not None}
    if not name:
        return list(old)
    holding = []
    for path, text in old.items():
        blocks = [block for block in read_blocks(path, text) if len(block) >= _FEWEST_LETTERS]
        words = [path.rpartition("/")[2].partition(".")[0], *blocks]
        if any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", name) for word in words):
            holding.append(path)
    return holding or [path for path in old if not files_.is_collected(path)]
