"""Work that only looks done, with real git and real runners: whatever was done to look so, something speaks against it."""

import os
import shlex
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from planrail.base.run_model import CheckOrder, CheckRun, Finding
from planrail.git.exact_trees import mix_trees
from planrail.git.object_store import read_changes
from planrail.git.workspaces.work_snapshots import read_file
from planrail.git.workspaces.workspaces import move_to, open_workspace
from planrail.runs.checks.environment import check_environment
from planrail.runs.checks.output import read_output
from planrail.runs.checks.running import Checked, CheckPlace, run_checks
from planrail.runs.evidence.judging import judge_checks
from planrail.runs.evidence.old_forms import Before, try_old_forms
from planrail.runs.strength import trials as test_trials
from planrail.runs.strength.reasons import apply_reasons
from planrail.runs.strength.weakening import changed_tests, changes_tests_only, find_weakened
from tests.git.snapshot_trees import git, write

SUMS = "def add(a, b):\n    return 0\n"
GOOD = "def add(a, b):\n    return a + b\n"
UNIT = """import unittest
from sums import add


class T(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(1, 2), 3)

    def test_zero(self):
        self.assertEqual(add(0, 0), 0)
"""
PYTEST = "from sums import add\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n"
RUNNER = "#!/bin/sh\nset -e\npython3 -m unittest -q tests/test_unit.py\n"
BY_UNITTEST = "python3 -m unittest -q tests/test_unit.py"
BY_PYTEST = f"{shlex.quote(sys.executable)} -m pytest -q -p no:cacheprovider tests/test_py.py"


class Ground:
    """A repository whose tests fail, and what planrail finds out about a change of it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "repo"
        self.root.mkdir()
        git(self.root, "init", "-q", "-b", "main")
        git(self.root, "config", "user.name", "Ada")
        git(self.root, "config", "user.email", "ada@example.org")
        files = {"sums.py": SUMS, "tests/test_unit.py": UNIT, "tests/test_py.py": PYTEST, "run-tests.sh": RUNNER}
        for path, text in {**files, "tests/__init__.py": "", ".gitignore": "__pycache__/\n"}.items():
            write(self.root, path, text)
        (self.root / "run-tests.sh").chmod(0o755)
        self.base = self.commit()
        self.room = open_workspace(str(self.root), str(folder / "room"), self.base, str(folder / "index"))
        self.outputs = folder / "outputs"
        self.environment = check_environment(os.environ)

    def commit(self) -> str:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "-m", "x")
        return git(self.root, "rev-parse", "HEAD").strip()

    def tree(self, commit: str) -> str:
        return git(self.root, "rev-parse", f"{commit}^{{tree}}").strip()

    def run(self, checks: list[CheckOrder], commit: str, name: str) -> Checked:
        def restore() -> None:
            move_to(str(self.root), self.room, commit)

        restore()
        outputs = str(self.outputs / name)
        place = CheckPlace(str(self.root), self.room, self.tree(commit), self.environment, outputs, 60)
        return run_checks(checks, place, restore)

    def judge(self, command: str, files: dict[str, str | None], phase_text: str = "") -> list[Finding]:
        """All that is found about these changes, as a run gathers it where nobody but the checks judges."""
        for path, text in files.items():
            write(self.root, path, text) if text is not None else (self.root / path).unlink()
        work = self.commit()
        paths = git(self.root, "diff", "--name-only", self.base, work).split()
        checks = [CheckOrder(command, 3, "block")]
        before, after = self.run(checks, self.base, "base"), self.run(checks, work, "work")
        found = [*after.findings]
        found += judge_checks(before.runs, after.runs, phase_text=phase_text, checks_decide=True, read=read_output)
        changes = read_changes(str(self.root), self.base, work, paths)
        found += find_weakened(changes)

        def try_on(paths: Sequence[str], checks: tuple[CheckOrder, ...], name: str) -> tuple[CheckRun, ...]:
            return self.run(list(checks), mix_trees(str(self.root), work, self.base, paths), name).runs

        base = Before(before.runs, read_output, partial(read_file, str(self.root), self.base))
        found += try_old_forms(checks, changes, base, try_on)
        tests = changed_tests(changes)
        if tests:
            texts = {path: (changes[path][1] or b"").decode() for path in tests}
            trials = [one for one in test_trials.tests_to_try(texts, [command], {}) if one.command]
            tree = mix_trees(str(self.root), self.base, work, tests)
            tried = self.run([CheckOrder(one.command, 0, "trial") for one in trials], tree, "trial").runs
            pairs = list(zip(trials, tried, strict=True))
            found += test_trials.judge_trials(pairs, only_tests=changes_tests_only(changes))
        return apply_reasons(found, phase_text, "", has_verifier=False)


@pytest.fixture
def context(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


def failures(findings: list[Finding]) -> set[str]:
    return {finding.kind for finding in findings if finding.is_failure}


@pytest.mark.parametrize("command", [BY_UNITTEST, pytest.param(BY_PYTEST, marks=pytest.mark.soak), "./run-tests.sh"])
def test_work_that_is_done_has_nothing_against_it(context: Ground, command: str) -> None:
    assert not failures(context.judge(command, {"sums.py": GOOD}))


def test_a_new_test_that_fails_on_the_old_code_has_nothing_against_it(context: Ground) -> None:
    new = UNIT.replace("test_adds", "test_adds_more").replace("add(1, 2), 3", "add(2, 2), 4")
    assert not failures(context.judge(BY_UNITTEST, {"sums.py": GOOD, "tests/test_more.py": new}))


FORGERIES: list[tuple[str, str, dict[str, str | None], str]] = [
    ("nothing was done", BY_UNITTEST, {"notes.md": "all tests pass\n"}, "check_failed"),
    ("the code ends the run with success", BY_UNITTEST, {"sums.py": "import os\nos._exit(0)\n"}, "tests_silent"),
    ("the same under pytest", BY_PYTEST, {"sums.py": "import os\nos._exit(0)\n"}, "tests_silent"),
    ("the tests are skipped", BY_UNITTEST, {"tests/test_unit.py": UNIT.replace("class T", "@unittest.skip('x')\nclass T")}, "nothing_ran"),
    ("the module is skipped", BY_PYTEST, {"tests/test_py.py": "import pytest\npytest.skip('x', allow_module_level=True)\n" + PYTEST}, "test_skipped"),
    ("the test asserts nothing", BY_UNITTEST, {"tests/test_unit.py": UNIT.replace("add(1, 2), 3", "3, 3")}, "assertion_hollow"),
    ("the test asserts what is", BY_UNITTEST, {"tests/test_unit.py": UNIT.replace("add(1, 2), 3", "add(1, 2), 0")}, "cannot_fail"),
    ("the test is gone", BY_UNITTEST, {"tests/test_unit.py": UNIT[: UNIT.index("    def test_adds")] + UNIT[UNIT.index("    def test_zero") :]}, "test_removed"),
    ("the test deletes itself", BY_UNITTEST, {"tests/test_unit.py": "import os\nos.unlink(__file__)\n" + UNIT, "sums.py": GOOD}, "check_changed_tree"),
    ("the test mends the code", BY_UNITTEST, {"tests/test_unit.py": f"open('sums.py', 'w').write({GOOD!r})\n" + UNIT}, "check_changed_tree"),
    ("the wrapper says yes", "./run-tests.sh", {"run-tests.sh": "#!/bin/sh\nexit 0\n"}, "harness_changed"),
    ("the wrapper swallows", "./run-tests.sh", {"run-tests.sh": RUNNER.replace("test_unit.py", "test_unit.py || true")}, "harness_changed"),
    ("a module stands in for the runner", BY_UNITTEST, {"unittest/__init__.py": "", "unittest/__main__.py": ""}, "harness_changed"),
    ("a fixture mends the code", BY_PYTEST, {"conftest.py": "import sums\nsums.add = lambda a, b: a + b\n"}, "harness_changed"),
    ("a hook turns failures round", BY_PYTEST, {"conftest.py": "def pytest_collection_modifyitems(items):\n    del items[:1]\n"}, "harness_changed"),
    ("settings leave tests out", BY_PYTEST, {"pytest.ini": "[pytest]\naddopts = --deselect tests/test_py.py::test_adds\n"}, "harness_changed"),
]  # fmt: skip


def _marked(one: tuple[str, str, dict[str, str | None], str]) -> object:
    """pytest takes seconds to start, where unittest takes none."""
    return pytest.param(*one, id=one[0], marks=[pytest.mark.soak] if one[1] == BY_PYTEST else [])


@pytest.mark.full
@pytest.mark.parametrize(("what", "command", "files", "kind"), [_marked(one) for one in FORGERIES])
def test_work_that_only_looks_done_has_something_against_it(
    context: Ground, what: str, command: str, files: dict[str, str | None], kind: str
) -> None:
    assert kind in failures(context.judge(command, files)), what
