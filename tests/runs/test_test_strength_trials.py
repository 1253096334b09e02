"""New tests are tried on the old code, and an old harness on the new: which ones, how, and what follows."""

import pytest

from planrail.base.run_model import CheckOrder, CheckRun
from planrail.runs.evidence.old_forms import changed_harnesses, judge_harnesses
from planrail.runs.strength import files as test_files
from planrail.runs.strength import trials as test_trials
from planrail.runs.strength.trials import Trial, judge_trials
from planrail.runs.strength.weakening import changed_tests, changes_tests_only
from tests.support.tables import read_table

PACKAGE = '{"scripts": {"test": "vitest run"}, "devDependencies": {"vitest": "1"}}'


@pytest.mark.parametrize(("path", "text", "commands", "command"), read_table("runs/tables/harnesses", "alone"))
def test_a_test_file_is_run_alone_by_the_runner_of_the_project(
    path: str, text: str, commands: list[str], command: str
) -> None:
    trials = test_trials.tests_to_try({path: text}, commands, {"web/package.json": PACKAGE})
    assert trials == [Trial(path, command)]


def test_without_a_package_file_node_runs_its_own_tests_only() -> None:
    found = test_trials.tests_to_try({"a.test.mjs": "import test from 'node:test'", "b.test.mjs": ""}, [], {})
    assert [trial.command for trial in found] == ["node --test a.test.mjs", ""]
    for commands, command in ((["make", "node --test"], "node --test b.test.mjs"), (["make"], "")):
        assert test_trials.tests_to_try({"b.test.mjs": ""}, commands, {}) == [Trial("b.test.mjs", command)]


def ran(command: str, code: int, tail: str = "", origin: str = "block") -> CheckRun:
    return CheckRun(command, origin, 0, "t", code, 0.1, "h", "o", tail)


@pytest.mark.parametrize(
    ("run", "only_tests", "kind", "is_failure"),
    [
        (ran("x", 0), False, "cannot_fail", True),
        (ran("x", 0), True, "cannot_fail", False),
        (None, False, "untried", False),
        (ran("x", 127), False, "untried", False),
        (ran("x", 1, "No module named pytest"), False, "untried", False),
        (ran("x", -1), False, "untried", False),
    ],
)
def test_a_test_that_passes_with_the_old_code_cannot_tell(
    run: CheckRun | None, only_tests: bool, kind: str, is_failure: bool
) -> None:
    found = judge_trials([(Trial("tests/test_a.py", "x"), run)], only_tests=only_tests)
    assert [(one.kind, one.is_failure, one.place) for one in found] == [(kind, is_failure, "tests/test_a.py")]
    assert not judge_trials([(Trial("tests/test_a.py", "x"), ran("x", 1))], only_tests=False), "it fails, as it should"


def test_tests_that_assert_something_else_are_not_only_added() -> None:
    added: dict[str, tuple[bytes | None, bytes | None]] = {"tests/test_a.py": (None, b"x"), "docs/a.md": (b"x", b"y")}
    assert changes_tests_only(added)
    more = {**added, "src/a.py": (b"x", b"y"), "tests/test_gone.py": (b"x", None)}
    assert changed_tests(more) == ["tests/test_a.py"]
    assert not changes_tests_only(more)
    old = b"def test_a():\n    assert f() == 1\n"
    assert changes_tests_only({"tests/test_a.py": (old, old + b"\ndef test_b():\n    assert g() == 2\n")})
    assert not changes_tests_only({"tests/test_a.py": (old, old.replace(b"1", b"2"))})
    assert not changes_tests_only({"tests/test_a.py": (old, None)})


@pytest.mark.parametrize(("path", "is_test"), read_table("runs/tables/trials", "files of tests"))
def test_a_test_file_is_told_from_others(path: str, is_test: bool) -> None:
    assert test_files.is_test(path) is is_test


# ---- harness ----


def harness(command: str, path: str, old: str | None, new: str | None, origin: str = "block") -> list[str]:
    before, after = (None if text is None else text.encode() for text in (old, new))
    return list(changed_harnesses([CheckOrder(command, 1, origin)], {path: (before, after)}))


@pytest.mark.parametrize(("command", "path", "old", "new"), read_table("runs/tables/harnesses", "changed"))
def test_a_harness_that_the_phase_changed_is_found(command: str, path: str, old: str | None, new: str | None) -> None:
    assert harness(command, path, old, new) == [path]


@pytest.mark.parametrize(("command", "path", "old", "new"), read_table("runs/tables/harnesses", "work"))
def test_the_work_itself_is_no_harness(command: str, path: str, old: str | None, new: str | None) -> None:
    assert harness(command, path, old, new) == []


@pytest.mark.parametrize(
    ("command", "base", "path"),
    [
        ("npm test", {"package.json": '{"scripts": {"test": "node tools/run-tests.js"}}'}, "tools/run-tests.js"),
        ("cd web && npm test", {"web/package.json": '{"scripts": {"pretest": "sh ./t.sh", "test": "x"}}'}, "web/t.sh"),
        ("make test", {"Makefile": "test: unit\nunit:\n\t@./t.sh --all\n"}, "t.sh"),
        ("just test", {"justfile": "test:\n    ./t.sh\n"}, "t.sh"),
        ("sh a.sh", {"a.sh": "set -e\n. ./b.sh\n", "b.sh": "exec sh c.sh\n"}, "c.sh"),
        ("sh a.sh", {"a.sh": "python3 -m pytest\n"}, "conftest.py"),
        ("sh a.sh", {"a.sh": "sh b.sh\n", "b.sh": "sh a.sh\nsh t.sh\n"}, "t.sh"),  # each is read once
    ],
)
def test_what_the_tests_run_in_turn_is_their_harness(command: str, base: dict[str, str], path: str) -> None:
    def read(name: str) -> bytes | None:
        return base[name].encode() if name in base else None

    checks = [CheckOrder(command, 1, "tests")]
    assert list(changed_harnesses(checks, {path: (b"a", b"b")}, read)) == [path]
    assert changed_harnesses(checks, {"src/main.py": (b"a", b"b"), "tests/test_a.py": (b"a", b"b")}, read) == {}


def test_what_a_check_of_the_plan_builds_with_is_work() -> None:
    read = {"Makefile": b"site:\n\t./build.sh\n"}.get
    changes: dict[str, tuple[bytes | None, bytes | None]] = {"build.sh": (b"a", b"b")}
    assert changed_harnesses([CheckOrder("make site", 1, "block")], changes, read) == {}
    assert changed_harnesses([CheckOrder("make site", 1, "tests")], changes, read)
    assert harness("./go.sh", "go.sh", "a", "b") == []
    assert harness("./go.sh", "go.sh", "a", "b", origin="tests") == ["go.sh"]


@pytest.mark.parametrize(
    ("runs", "kind", "word"),
    [
        ([ran("./run-tests.sh", 0)], "harness_unnamed", "passes with the old one"),
        ([ran("./run-tests.sh", 1)], "harness_changed", "exit code 1"),
        ([], "harness_changed", "was not run"),
    ],
)
def test_a_changed_harness_is_a_failure_whatever_the_old_one_says(runs: list[CheckRun], kind: str, word: str) -> None:
    changes = {"run-tests.sh": (b"a", b"b")}
    harnesses = changed_harnesses([CheckOrder("./run-tests.sh", 1, "block")], changes)
    found = judge_harnesses(harnesses, runs)
    assert [(one.kind, one.is_failure) for one in found] == [(kind, True)]
    assert word in found[0].text
