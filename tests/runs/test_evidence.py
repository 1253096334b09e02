"""Evidence: what the runs of checks prove, and the hash that stands for them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.records import replace
from planrail.base.run_model import CheckOrder, CheckRun, Finding
from planrail.runs.evidence.judging import hash_evidence, judge_checks, why_unprovable
from planrail.runs.strength.files import judge_traces
from planrail.runs.strength.reached_commands import why_hollow


def ran(command: str, code: int = 0, origin: str = "block", output: str = "") -> CheckRun:
    return CheckRun(command, origin, 3, "tree", code, 0.1, "hash", "out.log", output)


def judge(*pairs: tuple[CheckRun, CheckRun], text: str = "", decide: bool = True) -> list[Finding]:
    return judge_checks([base for base, _ in pairs], [now for _, now in pairs], phase_text=text, checks_decide=decide)


def kinds(findings: list[Finding], *, failures: bool = True) -> list[str]:
    return [finding.kind for finding in findings if finding.is_failure is failures]


GOOD = (ran("test -f a", 1), ran("test -f a", 0))
STEADY = (ran("make lint"), ran("make lint"))
RED = (ran("test -f b", 1), ran("test -f b", 1))


def test_a_check_that_fails_is_a_failure_whatever_it_did_before() -> None:
    assert kinds(judge(RED)) == ["check_failed"]
    assert kinds(judge((ran("x", 0), ran("x", 1)))) == ["check_failed"]
    assert "ran out of time" in judge((ran("x", 1), ran("x", -1)))[0].text
    assert "as on the base" in judge(RED)[0].text


def test_a_check_that_holds_before_and_after_is_noted_beside_one_that_proves() -> None:
    tests = (ran("make test", origin="tests"), ran("make test", origin="tests"))
    assert not judge(GOOD)
    assert not judge(GOOD, tests), "the project's tests are no checks of the phase"
    assert kinds(judge(STEADY, tests)) == ["proves_nothing"]
    assert not judge_checks([], [ran("test -f a")], checks_decide=True), "nothing is known of the base"
    found = judge(GOOD, STEADY)
    assert not kinds(found)
    assert kinds(found, failures=False) == ["proves_nothing"]


def test_checks_that_all_hold_before_are_no_proof_where_nobody_else_judges() -> None:
    assert kinds(judge(STEADY, STEADY)) == ["proves_nothing"]
    assert not kinds(judge(STEADY, decide=False))


@pytest.mark.parametrize(
    ("base", "is_provable"),
    [
        ([ran("test -f a", 1)], True),
        ([ran("make lint")], False),
        ([ran("make lint"), ran("make test", 1, origin="tests")], False),
        ([ran("test -f a", 1), ran("make test", origin="tests")], True),
    ],
)
def test_work_is_not_begun_where_every_check_of_the_phase_holds_already(
    base: list[CheckRun], is_provable: bool
) -> None:
    assert (why_unprovable(base, "Add a parser") == "") is is_provable


@pytest.mark.parametrize(
    "text", ["Refactor the parser", "- all tests still pass", "Behaviour is unchanged", "The suite stays green"]
)
def test_a_phase_that_keeps_things_as_they_are_may_say_so(text: str) -> None:
    assert not kinds(judge(STEADY, text=text))


@pytest.mark.parametrize(
    "command", ["true", ":", "exit 0", "make test || true", "echo fine", "pytest | tail -3", "# x"]
)
def test_a_check_that_cannot_fail_never_decides(command: str) -> None:
    hollow = (ran(command, 1), ran(command, 0))
    assert kinds(judge(hollow, text="Refactor: all still pass")) == ["proves_nothing"]
    assert kinds(judge(hollow, GOOD), failures=False) == ["hollow_check"]
    assert kinds(judge(hollow, decide=False), failures=False) == ["hollow_check"]


@pytest.mark.parametrize("command", ["make test; exit 0", "make test\ntrue", "make test; true", "grep -q x a"])
def test_a_line_that_fails_is_heard_so_these_can_fail(command: str) -> None:
    assert why_hollow(command) == ""


@pytest.mark.parametrize("output", ["1 failed, 2 passed in 0.1s", "not ok 1 - x\n1..1\n"])
def test_a_check_that_succeeds_and_says_that_tests_failed_is_a_failure(output: str) -> None:
    assert kinds(judge((ran("./t", 1), ran("./t", 0, output=output)))) == ["tests_contradict"]


@pytest.mark.parametrize(
    "output",
    ["3 skipped in 0.1s", "no tests ran in 0.1s", "Ran 0 tests in 0.0s\n\nOK", "  0 passing (1ms)",
     "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out"],
)  # fmt: skip
def test_a_check_that_ran_not_one_test_is_a_failure(output: str) -> None:
    assert kinds(judge((ran("./t", 1), ran("./t", 0, output=output)))) == ["nothing_ran"]
    assert kinds(judge((ran("./t", 0, output=output), ran("./t", 0, output=output)), decide=False)) == []


def test_a_run_that_ends_well_without_its_summary_is_a_failure() -> None:
    before = ran("pytest tests/test_a.py", 1, output="1 failed in 0.1s")
    assert kinds(judge((before, ran("pytest tests/test_a.py", 0, output="")))) == ["tests_silent"]
    assert not kinds(judge((before, ran("pytest tests/test_a.py", 0, output="1 passed in 0.1s"))))


def test_an_output_that_is_not_what_planrail_wrote_is_a_failure() -> None:
    found = judge_checks([GOOD[0]], [GOOD[1]], read=lambda run: None)
    assert kinds(found) == ["evidence_changed"]


def test_the_tests_of_the_project_are_compared_with_what_they_printed_on_the_base() -> None:
    failing = ran("pytest", 1, "tests", "FAILED t.py::a - x\n1 failed, 1 passed in 0.1s")
    assert kinds(judge((failing, failing), decide=False), failures=False) == ["baseline_failure"]
    three, one = (ran("pytest", 0, "tests", f"{count} passed in 0.1s") for count in (3, 1))
    assert kinds(judge((three, one), decide=False)) == ["fewer_tests"]


RUNS = st.lists(
    st.builds(ran, st.text(max_size=8), st.integers(-1, 130), st.sampled_from(["block", "criterion", "tests"])),
    max_size=4,
)


@given(RUNS)
def test_the_hash_is_the_same_for_the_same_evidence_and_for_no_other(runs: list[CheckRun]) -> None:
    known = hash_evidence(runs)
    assert (known == hash_evidence(runs[::-1])) == (runs == runs[::-1])
    assert known == hash_evidence([replace(run, seconds=9.0, output="/elsewhere", tail="x") for run in runs])
    for at, run in enumerate(runs):
        other = {"exit": run.exit + 1, "tree": "other", "output_hash": "other", "command": run.command + "x"}
        for change in ({name: value} for name, value in other.items()):
            assert known != hash_evidence([*runs[:at], replace(run, **change), *runs[at + 1 :]])


def test_what_a_check_did_to_the_tree_is_told_by_what_it_touched() -> None:
    order = CheckOrder("make test", 3, "block")
    assert [one.kind for one in judge_traces(order, ["tests/test_a.py"], [])] == ["check_changed_tree"]
    assert [one.is_failure for one in judge_traces(order, ["Cargo.lock"], [])] == [False]
    assert [one.kind for one in judge_traces(order, ["Cargo.lock", "src/a.rs"], [])] == ["check_changed_tree"]
    assert not judge_traces(order, [], ["out.txt", "dist/a.js"])
    assert [one.kind for one in judge_traces(order, [], ["tests/test_new.py"])] == ["check_left_tests"]
    assert [one.kind for one in judge_traces(order, [], ["iniconfig/__init__.py"])] == ["check_left_tests"]
