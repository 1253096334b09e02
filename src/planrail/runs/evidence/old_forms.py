"""What was there before the phase, tried on its work: the old harness, and the old tests as they were.

A test can be made to miss what broke: by other values, by a double in the place of what it is about, by a new file that
reaches into it. So where tests were touched, those of the base are run on the work, without any of the new ones.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from planrail.base.records import record
from planrail.base.run_model import CheckOrder, CheckRun, Finding
from planrail.runs.evidence.judging import ReadOutput, compare_tests
from planrail.runs.evidence.results import read_results
from planrail.runs.strength.blocks import read_blocks
from planrail.runs.strength.files import belongs_to_tests, is_collected, name_some
from planrail.runs.strength.harnesses import RUNS_TESTS, changed_harnesses, judge_harnesses
from planrail.runs.strength.weakening import Changes

# Runs checks on the work with some files as they were on the base; the name is for the outputs.
TryOn = Callable[[Sequence[str], tuple[CheckOrder, ...], str], Sequence[CheckRun]]
_TELLING = ("regression", "tests_failed", "tests_contradict", "tests_silent", "nothing_ran")
_FEWEST_LETTERS = 4  # of a test's name that is looked for in another one


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
    steering = [harness.path for harness in harnesses]
    found = []
    if harnesses:
        through = tuple({check.command: check for harness in harnesses for check in harness.checks}.values())
        found += judge_harnesses(harnesses, try_on(steering, through, "harness"))
    tests = [path for path in sorted(changes) if path not in steering and belongs_to_tests(path, files=globs)]
    known = {(run.command, run.origin): run for run in before.runs}
    old = {check.command: check for check in checks if _is_comparable(check, known)} if tests else {}
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
    return [_tell(path, names, tests) for path, names in blamed.items()]


def _tell(path: str, names: list[str], tests: dict[str, bytes | None]) -> Finding:
    named = name_some(dict.fromkeys(name for name in names if name))
    text = f"tests that passed, run as they were on the base, fail on this work{': ' if named else ''}{named}"
    if path:
        return Finding("old_test_fails", f"{text}; this phase changed {path}", path)
    new = [path for path, old in tests.items() if old is None] or list(tests)
    return Finding("old_tests_evaded", f"{text}; they pass with {name_some(new)} alone", new[0])


def _owners(name: str, tests: dict[str, bytes | None]) -> list[str]:
    """The changed files that a failed test stands in, or else those that it may use: what is no test by its name."""
    old = {path: data.decode(errors="replace") for path, data in tests.items() if data is not None}
    if not name:
        return list(old)
    holding = [path for path, text in old.items() if any(_is_in(word, name) for word in _words_of(path, text))]
    return holding or [path for path in old if not is_collected(path)]


def _words_of(path: str, text: str) -> list[str]:
    stem = path.rpartition("/")[2].partition(".")[0]
    return [stem, *(block for block in read_blocks(path, text) if len(block) >= _FEWEST_LETTERS)]


def _is_in(word: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", name) is not None


def _is_comparable(check: CheckOrder, known: dict[tuple[str, str], CheckRun]) -> bool:
    """The project's tests, and what else runs tests and passed on the base."""
    base = known.get((check.command, check.origin))
    if base is None:
        return False
    return check.origin == "tests" or (not base.exit and RUNS_TESTS.search(check.command) is not None)
