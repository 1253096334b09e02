"""A change without a plan: uncommitted work, a branch, the last commits. What speaks for it, and what against?

The project's tests are run on the base and on the change, each in a clean checkout of planrail's own; then what a run
asks of every phase is asked of it: tests that got weaker, secrets, files that run things.
"""

import os
import tempfile

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import record
from planrail.base.run_model import CheckOrder, Finding, PhaseOrder
from planrail.base.settings import FILE_NAME, Settings, load_settings
from planrail.git.git_writing import ask_git, run_git
from planrail.git.object_store import read_changes
from planrail.git.workspaces.work_snapshots import changed_paths
from planrail.runs.checks.links import find_misshapen, read_shape
from planrail.runs.checks.output import read_output
from planrail.runs.evidence.judging import judge_checks
from planrail.runs.evidence.old_forms import find_hollow_scripts
from planrail.runs.evidence.running_files import list_running
from planrail.runs.in_session.base_tree import BaseTree, open_base_tree
from planrail.runs.in_session.cases import TESTS, Base
from planrail.runs.in_session.gating import find_default
from planrail.runs.in_session.tree_checks import Runs
from planrail.runs.in_session.working_tree import take_tree
from planrail.runs.phases.viewpoints import is_seen
from planrail.runs.steps.judging import Tried, judge_secrets
from planrail.runs.strength.weakening import find_weakened

SCOPES = ("worktree", "branch", "last")
_NOBODY = PhaseOrder("", "", "", (), (), (), ())


@record
class ChangeCase:
    """A change: `work` is its tree, `title` its name for people, `commits` are their first lines, the oldest first."""

    root: str
    settings: Settings
    base: Base
    work: str
    title: str
    paths: tuple[str, ...]
    commits: tuple[str, ...] = ()
    own_file: str = ""  # no plan marks anything here

    @property
    def seconds(self) -> float:
        return self.settings.testing.timeout * 60

    @property
    def checks(self) -> tuple[CheckOrder, ...]:
        command = self.settings.testing.runnable
        return (CheckOrder(command, 0, TESTS),) if command else ()


@record
class ChangeReport:
    """What was found out. `runs` are the tests on the change, `before` those on the base."""

    runs: Runs
    before: Runs
    findings: tuple[Finding, ...]

    @property
    def failures(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.is_failure)


def locate_change(root: str, scope: str, name: str) -> ChangeCase:
    """The change that is meant: without a scope what is not committed, else what the branch has and its target not."""
    head = _resolve(root, "HEAD")
    if scope not in ("", *SCOPES):
        raise UsageError(f"{scope!r} is nothing to verify", remedy="planrail verify worktree, or branch, or last 3")
    if scope in ("", "worktree"):
        work, before = take_tree(root, os.devnull).id, _tree(root, head)
        if scope == "worktree" or work != before:
            return _make(root, head, work, "uncommitted work")
    if scope == "last":
        count = int(name or 1) if (name or "1").isdigit() else 0
        if not count:
            raise UsageError(f"{name!r} is no number of commits", remedy="planrail verify last 3")
        start, title = _resolve(root, f"HEAD~{count}"), "the last commit" if count == 1 else f"the last {count} commits"
        return _make(root, start, _tree(root, head), title, head)
    tip = _resolve(root, name) if name else head
    target = load_settings(root).run.target or find_default(root)
    start = (ask_git(root, "merge-base", tip, _resolve(root, target)) or "").strip()
    if not start:
        raise PlanrailError(f"{name or 'HEAD'} and {target} have nothing in common", remedy="planrail verify last 3")
    return _make(root, start, _tree(root, tip), f"{name or 'this branch'}, since it left {target}", tip)


def _make(root: str, base: str, work: str, title: str, tip: str = "") -> ChangeCase:
    """Settings are those of the base: the change may have edited them."""
    settings = load_settings(root, committed=ask_git(root, "show", f"{base}:{FILE_NAME}"))
    told = run_git(root, "log", "--reverse", "--format=%h %s", f"{base}..{tip}", "--").splitlines() if tip else ()
    before = _tree(root, base)
    if before == work:
        raise PlanrailError(f"{title}: nothing has changed", remedy="planrail verify last 1")
    paths = tuple(changed_paths(root, before, work))
    return ChangeCase(root, settings, Base(base, before), work, title, paths, tuple(told))


def _resolve(root: str, name: str) -> str:
    found = ask_git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if not found:
        raise UsageError(f"git knows no commit {name!r}", remedy="git log --oneline")
    return found.strip()


def _tree(root: str, commit: str) -> str:
    return run_git(root, "rev-parse", f"{commit}^{{tree}}").strip()


def verify_change(case: ChangeCase) -> ChangeReport:
    """Run the project's tests on both sides, and judge what the change does to tests, files and secrets."""
    with tempfile.TemporaryDirectory(prefix="planrail-") as outputs, open_base_tree(case, outputs) as base:
        if base.fitted.made.problem:
            text = f"the environment could not be made: {base.fitted.made.problem}"
            return ChangeReport((), (), (Finding("environment", text),))
        before = base.run(case.checks, case.base.tree, "base")
        runs = base.run(case.checks, case.work, "work")
        found = [*_judge(case, base, runs, before), *base.around]
        return ChangeReport(runs, before, tuple(found))


def _judge(case: ChangeCase, on: BaseTree, runs: Runs, before: Runs) -> list[Finding]:
    paths, files, commit = case.paths, case.settings.testing.files, case.base.commit
    changes, shape = read_changes(case.root, commit, case.work, paths), read_shape(case.root, case.work)
    found = judge_checks(before, runs, read=read_output)
    found += find_weakened(changes, files=files)
    found += find_hollow_scripts(case.checks, changes)
    found += judge_secrets(case.root, commit, changes, case.settings, os.environ)
    found += find_misshapen(case.root, commit, shape, paths)
    running = list_running(paths, changes, shape.reached)
    found += [Finding("running_file", f"{path} is changed: {known.what}", path, False) for path, known in running]
    if is_seen(_NOBODY, paths, case.settings.ui.files):
        found.append(Finding("ui", "people see what is changed: a person has to look at it", is_failure=False))
    if not any(finding.is_failure for finding in found):  # what is refused anyway need not be tried
        found += Tried(case.root, commit, case.work, changes, files, on.run).judge(case.checks, before)
    return found
