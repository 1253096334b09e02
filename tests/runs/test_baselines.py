"""The project's tests before and after: what runners print is read, and regressions are told from old failures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.run_model import CheckRun, Finding
from planrail.runs.evidence.judging import compare_tests, tell_old_failures, why_unrunnable
from planrail.runs.evidence.results import read_results

PYTEST = """============================= test session starts ==============================
test_x.py .FF.s
=========================== short test summary info ============================
FAILED test_x.py::test_bad - assert 1 == 2
FAILED test_x.py::test_p[[z] a] - AssertionError: assert '[z]' == 'x y'
ERROR test_y.py
==================== 2 failed, 3 passed, 2 skipped, 1 error in 1.79s ====================
"""
UNITTEST = """FAIL: test_u (test_x.T.test_u)
----------------------------------------------------------------------
Traceback (most recent call last):
AssertionError: x

----------------------------------------------------------------------
Ran 3 tests in 0.001s

FAILED (failures=1, skipped=1)
"""
JEST = """FAIL src/a.test.js
  ● adds › two numbers

Test Suites: 1 failed, 1 passed, 2 total
Tests:       1 failed, 1 skipped, 4 passed, 6 total
"""
VITEST = """ × src/a.test.ts > adds > two numbers 12ms

 Test Files  1 failed | 1 passed (2)
      Tests  1 failed | 4 passed | 1 skipped (6)
"""
MOCHA = """
  4 passing (12ms)
  1 pending
  1 failing

  1) adds
       two numbers:
"""
GO = """--- FAIL: TestAdd (0.00s)
    a_test.go:5: no
--- SKIP: TestSkip (0.00s)
FAIL
FAIL\texample.org/a\t0.002s
ok  \texample.org/b\t0.003s
?   \texample.org/c\t[no test files]
"""
CARGO = """running 3 tests
test tests::good ... ok
test tests::ign ... ignored
test tests::bad ... FAILED

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.15s

running 2 tests
test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""
TAP = """TAP version 13
1..4
ok 1 - opens
not ok 2 - closes
ok 3 - waits # SKIP no clock
    not ok 1 - inner
not ok 4 - later # TODO
"""
NODE = """✔ good one (1.794182ms)
✖ bad one (1.697387ms)
ℹ tests 3
ℹ suites 0
ℹ pass 1
ℹ fail 1
ℹ cancelled 0
ℹ skipped 1
ℹ todo 0
"""
RSPEC = """rspec ./spec/a_spec.rb:4 # adds

6 examples, 1 failure, 1 pending
"""
PHPUNIT = "FAILURES!\nTests: 6, Assertions: 9, Failures: 1.\n"
MAVEN = "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n[ERROR] Tests run: 6, Failures: 1, Errors: 0, Skipped: 1\n"
PLAIN = "FAIL: adds\nOverall: 5/6 passed, 1 failed\n"


@pytest.mark.parametrize(
    ("output", "passed", "failed", "skipped", "names"),
    [
        (PYTEST, 3, 3, 2, {"test_x.py::test_bad", "test_x.py::test_p[[z] a]", "test_y.py"}),
        ("3 passed in 0.01s\n", 3, 0, 0, set()),
        ("no tests ran in 0.01s\n", 0, 0, 0, set()),
        ("1 passed, 4 deselected in 0.1s", 1, 0, 4, set()),
        (UNITTEST, 1, 1, 1, {"test_u (test_x.T.test_u)"}),
        ("Ran 0 tests in 0.000s\n\nNO TESTS RAN\n", 0, 0, 0, set()),
        ("Ran 2 tests in 0.000s\n\nOK\n", 2, 0, 0, set()),
        (JEST, 4, 1, 1, {"src/a.test.js", "adds › two numbers"}),
        (VITEST, 4, 1, 1, {"src/a.test.ts > adds > two numbers"}),
        (MOCHA, 4, 1, 1, {"adds"}),
        (GO, 0, 1, 1, {"TestAdd", "example.org/a"}),
        ("ok  \texample.org/b\t0.003s\n", None, 0, 0, set()),
        ("?   \texample.org/c\t[no test files]\n", 0, 0, 0, set()),
        (CARGO, 3, 1, 1, {"tests::bad"}),
        (TAP, 1, 1, 2, {"closes"}),
        (NODE, 1, 1, 1, {"bad one"}),
        (RSPEC, 4, 1, 1, {"./spec/a_spec.rb:4"}),
        (PHPUNIT, 5, 1, 0, set()),
        (MAVEN, 4, 1, 1, set()),
        (PLAIN, 5, 1, 0, {"adds"}),
        (UNITTEST + RSPEC, 5, 2, 2, {"test_u (test_x.T.test_u)", "./spec/a_spec.rb:4"}),
        ("Overall: 10/12 passed, 0 failed", 10, 2, 0, set()),
        ("\x1b[32m3 passed\x1b[0m in 0.01s", 3, 0, 0, set()),
    ],
)
def test_what_a_runner_prints_is_read(
    output: str, passed: int | None, failed: int, skipped: int, names: set[str]
) -> None:
    tally = read_results(output)
    assert (tally.passed, tally.failed, tally.skipped) == (passed, failed, skipped)
    assert tally.failed_names == names


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


@pytest.mark.parametrize(
    ("base", "now", "kind"),
    [
        ((0, "6 passed in 1s"), (1, fails("t.py::a")), "regression"),
        (None, (1, fails("t.py::a")), "regression"),
        ((1, fails("t.py::a")), (1, fails("t.py::b")), "regression"),
        ((1, fails("t.py::a")), (1, fails("t.py::a", "t.py::b")), "regression"),
        ((1, "FAIL\n1 passed, 1 failed"), (1, "2 passed, 3 failed"), "regression"),
        ((1, "5 passed, 1 failed"), (2, "5 passed, 1 failed"), "regression"),
        ((0, "6 passed in 1s"), (-1, ""), "tests_failed"),
        ((-1, ""), (1, fails("t.py::a")), "tests_failed"),
        ((1, "boom"), (1, "another boom"), "tests_failed"),
        ((0, "6 passed in 1s"), (0, fails("t.py::a")), "tests_contradict"),
        ((0, "6 passed in 1s"), (0, "6 skipped in 1s"), "nothing_ran"),
        (None, (0, "no tests ran in 0.1s"), "nothing_ran"),
        ((0, "6 passed in 1s"), (0, "5 passed in 1s"), "fewer_tests"),
        ((0, "6 passed in 1s"), (0, ""), "tests_silent"),
        ((0, "6 passed in 1s"), (0, "5 passed, 1 skipped in 1s"), "fewer_tests"),
    ],
)
def test_what_speaks_against_the_work(base: tuple[int, str] | None, now: tuple[int, str], kind: str) -> None:
    assert kind in [finding.kind for finding in compare(base, now) if finding.is_failure]


@pytest.mark.parametrize(
    ("base", "now", "kinds"),
    [
        ((0, "6 passed in 1s"), (0, "6 passed in 2s"), []),
        ((0, ""), (0, ""), []),
        ((1, "--- FAIL: TestA (0s)\nFAIL\ta\t1s\n"), (0, "ok  \ta\t1s\n"), ["baseline_mended"]),
        ((1, fails("t.py::a")), (1, fails("t.py::a", passed=9)), ["baseline_failure"]),
        ((1, fails("t.py::a", "t.py::b", passed=5)), (1, fails("t.py::a", passed=6)), ["baseline_failure"]),
        ((1, "5 passed, 1 failed"), (1, "7 passed, 1 failed"), ["baseline_failure"]),
        ((2, "boom at 0x12 in 3.1 s"), (2, "boom at 0x99 in 4.5 s"), ["baseline_failure"]),
        ((1, fails("t.py::a")), (0, "6 passed in 1s"), ["baseline_mended"]),
        ((0, "no tests ran in 1s"), (0, "no tests ran in 1s"), ["nothing_ran"]),
        ((0, "1 passed, 1 failed in 1s"), (0, "1 passed, 1 failed in 1s"), ["tests_contradict"]),
    ],
)
def test_what_was_so_before_is_no_failure(base: tuple[int, str], now: tuple[int, str], kinds: list[str]) -> None:
    found = compare(base, now)
    assert [finding.kind for finding in found] == kinds
    assert not [finding for finding in found if finding.is_failure]


@pytest.mark.parametrize(
    ("exit", "printed", "why"),
    [
        (127, "sh: 1: pytset: not found\n", "there is no such command"),
        (126, "sh: 1: ./test.sh: Permission denied\n", "it cannot be executed"),
        (2, "make: *** No rule to make target 'test'.  Stop.\n", "make: *** No rule to make target 'test'.  Stop."),
        (1, 'npm error Missing script: "test"\nnpm error\n', 'npm error Missing script: "test"'),
        (1, '> echo "Error: no test specified" && exit 1\n\nError: no test specified\n', "Error: no test specified"),
        (2, "make: *** No rule to make target 'foo.h', needed by 'test'.  Stop.\n", ""),
        (1, fails("t.py::a"), ""),
        (0, "Error: no test specified\n", ""),
        (-1, "", ""),
    ],
)
def test_a_command_that_runs_no_test_is_told_from_tests_that_fail(exit: int, printed: str, why: str) -> None:
    assert why_unrunnable(CheckRun("t", "tests", 0, "tree", exit, 1.0, "h", "/o", printed)) == why


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
