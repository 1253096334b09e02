"""Failures are told with their cause: the first line that fails, whether the base had it, what was changed since."""

from pathlib import Path

import pytest

from planrail.base.run_model import CheckRun, Evidence, Finding
from planrail.runs.evidence.causes import first_cause, list_outputs, show_failures, tell_causes, tell_missing
from planrail.runs.evidence.judging import OF_TESTS, judge_checks

OUTPUTS = sorted((Path(__file__).parent / "failures").glob("*.txt"))
BAD = "FAILED t.py::a - assert 1 == 2\n1 failed in 0.10s\n"


@pytest.mark.parametrize("file", OUTPUTS, ids=lambda file: file.stem)
def test_the_first_line_that_fails_is_found_in_what_real_programs_print(file: Path) -> None:
    """Each file has the cause on its first line, and below what the program has printed."""
    cause, _, output = file.read_text("utf-8").partition("\n")
    assert first_cause(output) == cause


def run(command: str, exit: int, tail: str, origin: str = "block") -> CheckRun:
    return CheckRun(command, origin, 4, "t" * 40, exit, 1.0, "h", "/o", tail=tail)


def told(base: CheckRun | None, now: CheckRun) -> str:
    before = [base] if base is not None else []
    found = judge_checks(before, [now])
    return next(one.text for one in tell_causes(found, [now], before, lambda one: one.tail) if one.is_failure)


@pytest.mark.parametrize(
    ("base", "text"),
    [
        (None, "`pytest` ended with exit code 1: FAILED t.py::a - assert 1 == 2"),
        (
            run("pytest", 0, "2 passed in 1s"),
            "`pytest` ended with exit code 1: FAILED t.py::a - assert 1 == 2 (it passes on the base)",
        ),
        (
            run("pytest", 1, BAD.replace("0.10", "0.30")),
            "`pytest` ended with exit code 1, as on the base: FAILED t.py::a - assert 1 == 2",
        ),
        (
            run("pytest", 2, "E   ModuleNotFoundError: No module named 'x'\n"),
            "`pytest` ended with exit code 1: FAILED t.py::a - assert 1 == 2 "
            "(on the base it says: ModuleNotFoundError: No module named 'x')",
        ),
    ],
)
def test_a_failure_says_why_and_whether_the_base_has_it(base: CheckRun | None, text: str) -> None:
    assert told(base, run("pytest", 1, BAD)) == text


def test_the_projects_tests_are_told_alike() -> None:
    text = told(run("make test", 0, "2 passed in 1s", "tests"), run("make test", 2, BAD, "tests"))
    assert text.startswith(
        "tests fail that did not fail on the base: t.py::a: FAILED t.py::a - assert 1 == 2 (it passes"
    )


def test_what_says_nothing_is_told_as_it_was() -> None:
    assert told(None, run("grep -q a b", 1, "")) == "`grep -q a b` ended with exit code 1"


def test_a_person_sees_the_end_of_the_output_and_what_was_changed() -> None:
    checks = (run("pytest", 1, "\n".join(map(str, range(40)))), run("make lint", 0, "fine"))
    evidence = Evidence("tree", checks, (Finding("check_failed", "`pytest` ended", OF_TESTS),))
    first, last = show_failures(evidence, ("a.py", "b.py"))
    assert first.splitlines()[0] == "`pytest` ended with exit code 1"
    assert (first.splitlines()[-1], len(first.splitlines())) == ("    │ 39", 13)
    assert last == "changed since the base: a.py, b.py"
    assert list_outputs(evidence)[0].startswith("$ pytest\n0\n1\n")
    assert show_failures(Evidence("tree", checks, ()), ("a.py",)) == []  # what fails as the base does stops nobody


@pytest.mark.parametrize(
    ("exit", "origin", "output", "program"),
    [
        (127, "block", "/bin/sh: 1: nosuch: not found", "nosuch"),
        (127, "criterion", "sh: line 1: nosuch: command not found", "nosuch"),
        (127, "block", "/bin/sh: 1: ./bin/tool: not found", ""),  # what a phase makes
        (127, "tests", "/bin/sh: 1: nosuch: not found", ""),  # told as the tests that do not run
        (1, "block", "page: not found", ""),
    ],
)
def test_a_program_that_the_base_lacks_is_told_with_the_line_of_the_plan(
    exit: int, origin: str, output: str, program: str
) -> None:
    run = CheckRun("nosuch --version", origin, 7, "", exit, 0.1, "", "", output)
    told = tell_missing([run], lambda run: output)
    start = f"line 7: the check `nosuch --version` finds no program {program} on the base; unless the phase makes it"
    assert [one.startswith(start) for one in told] == ([True] if program else [])
