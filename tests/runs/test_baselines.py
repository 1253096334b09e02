"""The project's tests before and after: what runners print is read, and regressions are told from old failures."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.run_model import CheckRun, Finding
from planrail.runs.evidence.causes import first_cause, name_repair, why_uncollected
from planrail.runs.evidence.judging import compare_tests, tell_old_failures
from planrail.runs.evidence.results import read_results
from tests.support.tables import read_table

RUNNERS = sorted((Path(__file__).parent / "runners").iterdir())  # what each prints, below what is to be read of it


@pytest.mark.parametrize("file", RUNNERS, ids=lambda file: str(file.stem))
def test_what_a_runner_prints_is_read(file: Path) -> None:
    expected, _, output = file.read_text("utf-8").partition("\n")
    tally = read_results(output)
    counts = {"passed": tally.passed, "failed": tally.failed, "skipped": tally.skipped}
    assert {**counts, "names": sorted(tally.failed_names)} == json.loads(expected)


@pytest.mark.parametrize("output", ["", "PASS a\nPASS b", "built in 3.2s", "ok", "all good", "12 files changed"])
def test_an_output_of_no_known_runner_says_nothing(output: str) -> None:
    assert not read_results(output).is_known


@given(st.text(max_size=400))
def test_any_text_can_be_read(text: str) -> None:
    tally = read_results(text)
    assert tally.is_known or not tally.failed_names


def suite(code: int) -> CheckRun:
    return CheckRun("make test", "tests", 0, "t", code, 1.0, "h", "o", "")


def compare(base: tuple[int, str] | None, now: tuple[int, str]) -> list[Finding]:
    before = suite(base[0]) if base is not None else None
    return compare_tests(before, suite(now[0]), base[1] if base else "", now[1])


def fails(*names: str, passed: int = 5) -> str:
    lines = "".join(f"FAILED {name} - assert\n" for name in names)
    return f"{lines}{len(names)} failed, {passed} passed in 0.1s\n"


@pytest.mark.parametrize(("base", "now", "kind"), read_table("runs/tables/baselines", "against the work"))
def test_what_speaks_against_the_work(base: tuple[int, str] | None, now: tuple[int, str], kind: str) -> None:
    assert kind in [finding.kind for finding in compare(base, now) if finding.is_failure]


@pytest.mark.parametrize(("base", "now", "kinds"), read_table("runs/tables/baselines", "as before"))
def test_what_was_so_before_is_no_failure(base: tuple[int, str], now: tuple[int, str], kinds: list[str]) -> None:
    found = compare(base, now)
    assert [finding.kind for finding in found] == kinds
    assert not [finding for finding in found if finding.is_failure]


@pytest.mark.parametrize(("exit", "printed", "why"), read_table("runs/tables/baselines", "commands"))
def test_a_command_that_runs_no_test_is_told_from_tests_that_fail(exit: int, printed: str, why: str) -> None:
    assert why_uncollected(exit, printed) == why


def test_old_failures_are_added_to_the_word_that_work_is_done() -> None:
    old = compare((1, fails("t.py::a")), (1, fails("t.py::a")))
    (new,) = compare((0, "6 passed in 1s"), (1, fails("t.py::new", passed=6)))
    assert new.text == "tests fail that did not fail on the base: t.py::new"  # not: that passed there
    assert tell_old_failures(old).startswith("; but the project's tests do not pass: tests that fail on the base still")
    assert tell_old_failures(compare((0, "6 passed in 1s"), (0, "6 passed in 1s"))) == ""


NAMES = st.sets(st.sampled_from([f"t.py::{letter}" for letter in "abcdefgh"]), max_size=6)


@given(NAMES, NAMES)
def test_a_new_failure_is_never_taken_for_an_old_one(old: set[str], new: set[str]) -> None:
    total = 20
    base = (1 if old else 0, fails(*sorted(old), passed=total - len(old)) if old else f"{total} passed in 1s")
    now = (1 if new else 0, fails(*sorted(new), passed=total - len(new)) if new else f"{total} passed in 1s")
    failed = [finding for finding in compare(base, now) if finding.is_failure]
    assert bool(failed) == bool(new - old)


@pytest.mark.parametrize(("printed", "cause"), read_table("runs/tables/baselines", "causes"))
def test_the_first_cause_is_a_line_of_the_output_and_of_the_machine_where_that_is_at_fault(
    printed: str, cause: str
) -> None:
    assert first_cause(printed) == cause


def test_a_repair_names_what_is_missing() -> None:
    assert name_repair("ModuleNotFoundError: No module named 'yaml'").startswith("install yaml ")
    assert name_repair("sh: 1: vitest: not found").startswith("install vitest,")
    assert name_repair("error: could not compile `a`").endswith("and commit planrail.toml")
