"""The tests of the base, run on the work: when, with which files, and what a failure means."""

from collections.abc import Sequence

import pytest

from planrail.base.run_model import CheckOrder, CheckRun
from planrail.runs.evidence.old_forms import Before, try_old_forms

TESTS = CheckOrder("pytest -q", 0, "tests")
PASSED = "2 passed in 0.01s\n"
OLD = b"def test_greets():\n    assert greet() == 1\n"


def ran(check: CheckOrder, output: str) -> CheckRun:
    return CheckRun(check.command, check.origin, 0, "t", int("failed" in output), 0.1, "", "", output)


def attempt(
    changes: dict[str, tuple[bytes | None, bytes | None]], said: str = PASSED, checks: tuple[CheckOrder, ...] = (TESTS,)
) -> tuple[list[tuple[str, str]], list[list[str]]]:
    """The findings by kind and place, and the files that were put back for each trial."""
    tried: list[list[str]] = []

    def try_on(paths: Sequence[str], checks: tuple[CheckOrder, ...], name: str) -> list[CheckRun]:
        tried.append(list(paths))
        return [ran(check, said) for check in checks]

    before = Before([ran(check, PASSED) for check in checks], lambda run: run.tail, lambda _: None)
    found = try_old_forms(checks, changes, before, try_on)
    return [(one.kind, one.place) for one in found], tried


def failing(*names: str) -> str:
    return "".join(f"FAILED {name} - x\n" for name in names) + f"{len(names)} failed, 1 passed in 0.01s\n"


def test_nothing_is_run_where_no_test_was_touched() -> None:
    assert attempt({"src/a.py": (b"a", b"b"), "README.md": (b"a", b"b")}) == ([], [])


def test_a_source_with_tests_in_it_is_not_put_back() -> None:
    assert attempt({"src/lib.rs": (b"#[test]\nfn a() {}", b"#[test]\nfn b() {}")}) == ([], [])


def test_tests_and_what_lies_beside_them_are_put_back_in_one_run() -> None:
    changes: dict[str, tuple[bytes | None, bytes | None]] = {
        "tests/test_a.py": (OLD, b"x"),
        "tests/data/a.json": (b"1", b"2"),
        "tests/test_b.py": (None, b"y"),
        "a.py": (b"", b"1"),
    }
    assert attempt(changes) == ([], [["tests/data/a.json", "tests/test_a.py", "tests/test_b.py"]])


@pytest.mark.parametrize(
    ("changes", "failed", "expected"),
    [
        ({"tests/test_a.py": (OLD, b"x")}, ["tests/test_a.py::test_x"], [("old_test_fails", "tests/test_a.py")]),
        ({"add_test.go": (b"func TestAdd(t", b"x")}, ["TestAdd"], [("old_test_fails", "add_test.go")]),
        ({"tests/test_b.py": (None, b"x")}, ["tests/test_a.py::test_x"], [("old_tests_evaded", "tests/test_b.py")]),
        ({"tests/test_b.py": (OLD, b"x")}, ["tests/test_a.py::test_x"], [("old_tests_evaded", "tests/test_b.py")]),
        ({"tests/double.py": (b"a", b"b")}, ["tests/test_a.py::test_x"], [("old_test_fails", "tests/double.py")]),
    ],
    ids=["its own file", "by its name", "a new file", "another file", "a helper"],
)  # fmt: skip
def test_a_test_that_fails_in_its_old_form_is_told_with_what_the_phase_changed_about_it(
    changes: dict[str, tuple[bytes | None, bytes | None]], failed: list[str], expected: list[tuple[str, str]]
) -> None:
    assert attempt(changes, failing(*failed))[0] == expected


def test_a_check_that_failed_on_the_base_is_no_old_test() -> None:
    own = CheckOrder("pytest tests/test_new.py", 3, "block")
    before = Before([ran(own, "1 failed in 0.1s")], lambda run: run.tail, lambda _: None)
    assert try_old_forms((own,), {"tests/test_new.py": (None, b"x")}, before, lambda *_: []) == []
