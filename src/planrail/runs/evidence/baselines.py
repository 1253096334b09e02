"""The project's tests before and after a phase: what broke, what was broken already, what is no longer run.

Failures are told apart by the names of tests where the runner gives them, else by counts, else by the whole output.
"""

import re
from collections.abc import Iterable

from planrail.base.patterns import pattern
from planrail.base.run_model import CheckRun, Finding
from planrail.runs.evidence.results import Tally, read_results
from planrail.runs.strength.tree_changes import name_some

_VARIES = pattern(r"0x[0-9a-f]+|/tmp/\S+|\d+(?:[.:,]\d+)*")
_PLACE = "the project's tests"
_CANNOT_RUN = {126: "it cannot be executed", 127: "there is no such command"}
_NO_TESTS = pattern(
    r"^g?make(?:\[\d+\])?: \*\*\* (?:No rule to make target [^,\n]*\.  Stop\.|No targets\b.*)$"
    r"|^npm (?:ERR!|error) Missing script:.*$|^Error: no test specified$",
    re.MULTILINE,
)


def why_unrunnable(run: CheckRun) -> str:
    """Why a command for the tests can say nothing about any work: it does not run one; "" where it may."""
    found = _NO_TESTS.search(run.tail) if run.exit > 0 else None
    return found[0] if found is not None else _CANNOT_RUN.get(run.exit, "")


def tell_old_failures(findings: Iterable[Finding]) -> str:
    """What to add to the word that work is done, where the project's tests fail as they did before it; else ""."""
    found = [finding.text for finding in findings if finding.kind == "baseline_failure"]
    return f"; but the project's tests do not pass: {found[0]}" if found else ""


def compare_tests(base: CheckRun | None, now: CheckRun, before: str, after: str) -> list[Finding]:
    """What follows from the tests on the base and on the work. `before` and `after` are the whole outputs."""
    was = read_results(before)
    tally = read_results(after)
    found = _contradictions(base, now, was, tally)
    if now.exit:
        found.append(_judge_failure(base, now, (before, was), (after, tally)))
    elif base is not None and base.exit:
        found.append(Finding("baseline_mended", "tests that failed on the base pass now", _PLACE, is_failure=False))
    return found + _compare_counts(base, was, tally)


def _contradictions(base: CheckRun | None, now: CheckRun, was: Tally, tally: Tally) -> list[Finding]:
    """A run that succeeds and says itself that it did not, or that it did nothing."""
    if not now.exit and was.is_known and not tally.is_known:
        text = f"the tests succeed without the summary that {was.runner} printed on the base"
        return [Finding("tests_silent", text, _PLACE)]
    if now.exit or not tally.is_known:
        return []
    passed_before = base is not None and not base.exit
    if tally.failed:
        is_old = passed_before and bool(was.failed)
        text = f"the tests end with exit code 0 and say themselves that {tally.failed} failed"
        return [Finding("tests_contradict", text, _PLACE, is_failure=not is_old)]
    if tally.ran_nothing:
        is_old = passed_before and was.ran_nothing
        text = f"not one test was run{f' ({tally.skipped} skipped)' if tally.skipped else ''}"
        return [Finding("nothing_ran", text, _PLACE, is_failure=not is_old)]
    return []


def _judge_failure(
    base: CheckRun | None, now: CheckRun, before: tuple[str, Tally], after: tuple[str, Tally]
) -> Finding:
    if now.exit < 0:
        return Finding("tests_failed", f"the tests ran out of time after {now.seconds:.0f} s", _PLACE)
    if base is None or not base.exit:
        return _tell_new(sorted(after[1].failed_names))
    if base.exit < 0:
        return Finding("tests_failed", "the tests fail, and on the base they ran out of time", _PLACE)
    return _tell_apart(base, now, before, after)


def _tell_apart(base: CheckRun, now: CheckRun, before: tuple[str, Tally], after: tuple[str, Tally]) -> Finding:
    """The tests failed before as well: are these the same failures?"""
    was, tally = before[1], after[1]
    if was.failed_names and tally.failed_names:
        new = sorted(tally.failed_names - was.failed_names)
        if new:
            return _tell_new(new)
        if (tally.failed or 0) > (was.failed or 0):
            return Finding("regression", f"{tally.failed} tests fail, and {was.failed} failed on the base", _PLACE)
        same = name_some(sorted(tally.failed_names))
        return Finding("baseline_failure", f"tests that fail on the base still fail: {same}", _PLACE, is_failure=False)
    if was.is_known and tally.is_known and was.failed:
        if (tally.failed or 0) > was.failed or now.exit != base.exit or not tally.failed:
            return Finding("regression", f"{tally.failed} tests fail, and {was.failed} failed on the base", _PLACE)
        text = f"as many tests fail as on the base ({tally.failed}); their names are not known"
        return Finding("baseline_failure", text, _PLACE, is_failure=False)
    if now.exit == base.exit and _steady(before[0]) == _steady(after[0]):
        return Finding("baseline_failure", "the tests fail exactly as on the base", _PLACE, is_failure=False)
    text = "the tests fail on the base and now, and what they print does not tell whether the failures are the same"
    return Finding("tests_failed", text, _PLACE)


def _tell_new(names: list[str]) -> Finding:
    """Failures that the base did not have. Whether it had the tests is unknown: runners seldom name those that pass."""
    named = f": {name_some(names)}" if names else ""
    return Finding("regression", f"tests fail that did not fail on the base{named}", _PLACE)


def _compare_counts(base: CheckRun | None, was: Tally, tally: Tally) -> list[Finding]:
    if base is None or not (was.is_known and tally.is_known) or was.runner != tally.runner:
        return []
    if was.passed is None or tally.passed is None:
        return []
    if _ran(was) > _ran(tally):
        text = f"{_ran(tally)} tests were run, and on the base it were {_ran(was)}"
        return [Finding("fewer_tests", text, _PLACE)]
    return []


def _ran(tally: Tally) -> int:
    return (tally.passed or 0) + (tally.failed or 0)


def _steady(output: str) -> list[str]:
    """An output without what differs between any two runs: numbers, addresses, temporary names."""
    return [_VARIES.sub("N", line.strip()) for line in output.splitlines() if line.strip()]
