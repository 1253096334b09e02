"""The private working trees of a run: one in which the implementer works, another for checks, which no agent ever saw,
with an environment made from the base; and the end of a run, which removes them.

The last act of an end is to write down how it was: a run that is killed before can be resumed or stopped again. A run
that is paused or parked, or whose verified work waits to land, has not ended: it keeps its working trees and lets go of
the plan, so that it can be resumed on this machine, after any number of restarts.
"""

import contextlib
import json
import os
import shutil
import time
from collections.abc import Sequence
from functools import partial

from planrail.agents.jobs.runner import stop_job
from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError, ToolFailed
from planrail.base.identity import safe_name
from planrail.base.records import replace
from planrail.base.run_model import Baseline, CheckOrder, CheckRun, Ending, Order, PhaseOrder, Workspace
from planrail.git.git_writing import run_git
from planrail.git.workspaces.work_snapshots import drop_refs, take_snapshot, tree_of
from planrail.git.workspaces.workspaces import (
    close_workspace,
    move_to,
    open_workspace,
    open_worktree,
    remove_index,
    remove_index_alone,
)
from planrail.runs.checks.check_places import list_names, make_check_folder, make_seal
from planrail.runs.checks.enclosures import OPEN, choose_enclosure
from planrail.runs.checks.output import read_output
from planrail.runs.checks.own_environments import make_surroundings
from planrail.runs.checks.provisioning import CheckTree, Provisioned, fit, with_programs
from planrail.runs.checks.running import Checked, end_forgotten_checks
from planrail.runs.checks.surroundings import Surroundings
from planrail.runs.evidence.causes import RED_BASE, tell_missing, tell_red_base, why_uncollected
from planrail.runs.evidence.judging import TESTS, compare_tests
from planrail.runs.landing.fences import Fencing
from planrail.runs.landing.work_refs import drop_work, work_ref
from planrail.runs.steps.lines import finish_landings
from planrail.runs.steps.own_checkout import tell_left
from planrail.runs.steps.site import ROOM, SIDE, At, Site, note_run
from planrail.store.runs.run_folders import AGENTS, KEPT, WAITING, save_ending
from planrail.store.runs.run_leftovers import drop_working_files

_OPENED = "opened"  # the record of a run whose checks are not confined, because the project's tests need that


class Workspaces:
    """Opens working trees, and runs checks in them."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._tested: dict[str, CheckRun] = {}  # by tree: what the project's tests said of it in this very process
        self._fitted: dict[str, CheckTree] = {}  # by path
        self._seals: dict[str, str] = {}  # by path: how this process left it
        record = os.path.join(site.folder, "surroundings.json")
        given = make_surroundings(site.root, site.settings.run, site.environment)
        confirm = partial(site.confirm_record, "surroundings")
        self.enclosure = choose_enclosure(site.root, site.settings.run, site.environment)
        if self.enclosure.may_open and site.has_record(_OPENED):
            self.enclosure = OPEN
        can_see = self.enclosure.make_view(os.path.realpath(site.check_folder), given)
        self.surroundings = Surroundings(site.root, given, record, confirm, site.check_folder, can_see)
        self._given = {**given, "PATH": self.surroundings.path}
        if site.order.check_folder:  # nothing that an earlier process had there is used again
            for name in list_names(site.order.check_folder):
                remove_index(os.path.join(site.folder, f"index-{name}"))
            make_check_folder(site.order.check_folder)

    # ---- where agents work ----

    def open(self, at: At, base: str, begun: str = "") -> Workspace:
        """Where the implementer works, with the files of the base or of what was begun on it. It is provisioned as the
        tree of the checks is, and apart from it."""
        workspace = self._open("work", at.phase.id, base)
        made = self._provision(workspace).made
        if made.problem:
            raise ToolFailed(f"the workspace could not be provisioned: {made.problem}", remedy="[run] provision = …")
        if begun:
            move_to(self._site.root, workspace, tree_of(self._site.root, begun), made.kept)
        return replace(workspace, begun=begun)

    def open_copy(self, at: At, commit: str) -> Workspace:
        return self._open("copy", at.phase.id, commit)

    def recall(self, workspace: Workspace) -> CheckTree:
        """How a working tree was provisioned, by this process or one before it."""
        if workspace.path not in self._fitted:
            _, made, programs = _load_made(workspace.index)
            environment = with_programs(self._given, programs, self._site.root, workspace.path)
            given = (made, programs, environment, self.enclosure)
            self._fitted[workspace.path] = CheckTree(self._site.root, workspace, *given)
        return self._fitted[workspace.path]

    def name(self, kind: str, phase: str, base: str) -> Workspace:
        """A working tree of planrail's own, as it would be named; nothing is made."""
        place = self._site.place(kind, phase)
        return Workspace(place, base, os.path.join(self._site.folder, f"index-{os.path.basename(place)}"))

    def _open(self, kind: str, phase: str, base: str, keep: tuple[str, ...] = ()) -> Workspace:
        named = self.name(kind, phase, base)
        opens = open_worktree if self._site.order.options.workspace == "worktree" and kind == "work" else open_workspace
        return opens(self._site.root, named.path, base, named.index, keep)

    # ---- where checks are run ----

    def measure_base(self, at: At, base: str) -> Baseline:
        """A clean checkout of the base, provisioned, with each check and the project's tests run on it."""
        fitted, is_exact = self._open_checkout(at.phase, base)
        made = fitted.made
        if made.problem:
            return Baseline(base, (), made.what, made.problem)
        tree = tree_of(self._site.root, base)
        runs = self._check_all(at, fitted, base, tree, "base", is_exact=is_exact).runs
        if self.enclosure.may_open and self._must_open(at, fitted, base, runs):
            self._site.confirm_record(_OPENED, tree)
            self.enclosure, self._tested = OPEN, {}
            self._fitted = {path: replace(fitted, enclosure=OPEN) for path, fitted in self._fitted.items()}
            runs = self._check_all(at, self._open_checkout(at.phase, base)[0], base, tree, "base").runs
        for told in tell_missing(runs, read_output):
            self._site.watcher.note(told, told)
        tests = next((run for run in runs if run.origin == TESTS and run.exit > 0), None)
        output = (read_output(tests) or tests.tail) if tests is not None else ""
        why = why_uncollected(tests.exit, output) if tests is not None else ""
        if tests is not None and not why:  # once: later phases have the same base or a better one
            self._site.watcher.note(tell_red_base(output), RED_BASE)
        return Baseline(base, runs, made.what, uncollected=why)

    def _must_open(self, at: At, fitted: CheckTree, base: str, runs: Sequence[CheckRun]) -> bool:
        """Whether it is the confinement that the project's tests fail by; asked before any agent was at work."""
        failed = next((run for run in runs if run.origin == TESTS and run.exit), None)
        if failed is None or list_names(os.path.join(self._site.folder, AGENTS)):
            return False
        order, bare = CheckOrder(failed.command, 0, TESTS), replace(fitted, enclosure=OPEN)
        outside = self._run(at, (order,), bare, base, failed.tree, "outside").runs[0]
        told = compare_tests(outside, failed, *(read_output(run) or "" for run in (outside, failed)))
        return not outside.exit or any(finding.kind == "regression" for finding in told)

    def check(self, at: At, commit: str, tree: str, base: str, name: str) -> Checked:
        """Run the phase's checks and the project's tests on a commit, with the environment of the base."""
        return self._check_all(at, self._open_checkout(at.phase, base)[0], commit, tree, name)

    def try_checks(self, at: At, checks: tuple[CheckOrder, ...], tree: str, base: str, name: str) -> Checked:
        """Run some checks on a tree that was put together for them."""
        return self._run(at, checks, self._open_checkout(at.phase, base)[0], tree, tree, name)

    def open_stage(self, at: At, commit: str, base: str) -> CheckTree:
        """The tree of the checks with the work in it, for a server that shows it. The next check cleans up."""
        fitted, _ = self._open_checkout(at.phase, base)
        if not fitted.made.problem:
            move_to(self._site.root, fitted.workspace, commit, fitted.made.kept)
            self._seal(fitted.workspace)
        return fitted

    def _open_checkout(self, phase: PhaseOrder, base: str) -> tuple[CheckTree, bool]:
        """The tree of a phase's checks at its base, provisioned; made once for each base. True where that was at this
        moment, so that it holds the base and nothing else."""
        room = self.name(ROOM, phase.id, base)
        known = self._fitted.get(room.path)
        if known is None or self._seals.get(room.path) != make_seal(room.path, known.made.kept, room.index):
            known = None  # another process was here: nothing of it is used again
            remove_index_alone(room.index)
        if known is not None and known.workspace.base == base and os.path.isdir(room.path):
            return known, False
        kept = known.made.kept if known is not None else ()
        fitted = self._provision(self._open(ROOM, phase.id, base, kept))
        self._seal(room)
        return fitted, not (kept or fitted.made.kept or fitted.made.what)

    def _seal(self, room: Workspace) -> None:
        """Remember how a tree was left, so that it is seen if another process touches it."""
        self._seals[room.path] = make_seal(room.path, self.recall(room).made.kept, room.index)

    def _provision(self, workspace: Workspace) -> CheckTree:
        """Make a working tree fit to run tests, and remember how: a run that is resumed need not do it again."""
        log = f"{workspace.index}.log"  # of its own: trees are provisioned side by side
        made = fit(self._site.root, workspace, self._site.settings.run, self._given, log)
        fitted = replace(made, enclosure=self.enclosure)
        if not fitted.made.problem:
            self._fitted[workspace.path] = fitted
            told = {"base": workspace.base, "paths": fitted.made.kept, "what": fitted.made.what}
            with open(f"{workspace.index}.made", "w", encoding="utf-8", errors="surrogateescape") as file:
                json.dump({**told, "programs": fitted.programs}, file)
        return fitted

    def _check_all(
        self, at: At, fitted: CheckTree, commit: str, tree: str, name: str, *, is_exact: bool = False
    ) -> Checked:
        """The phase's checks, then the project's tests; those were perhaps run on this very tree a moment ago."""
        command, known = self._site.order.test_command, self._tested.get(tree)
        tests = (CheckOrder(command, 0, TESTS),) if command and known is None else ()
        checked = self._run(at, (*at.phase.checks, *tests), fitted, commit, tree, name, is_exact=is_exact)
        runs = (*checked.runs, known) if command and known is not None else checked.runs
        if tests and not any(finding.is_failure for finding in checked.around):
            self._tested[tree] = runs[-1]
        return Checked(runs, (*checked.around, *checked.findings), checked.around)

    def _run(
        self,
        at: At,
        checks: tuple[CheckOrder, ...],
        fitted: CheckTree,
        content: str,
        tree: str,
        name: str,
        *,
        is_exact: bool = False,
    ) -> Checked:
        outputs, seconds = self._site.outputs(at, name), self._site.order.options.check_minutes * 60
        look = self.surroundings.judge
        checked = fitted.run(checks, content, tree, outputs, seconds, look, is_exact=is_exact)
        self._seal(fitted.workspace)
        return checked


def _load_made(index: str) -> tuple[str, Provisioned, tuple[str, ...]]:
    """How a working tree was provisioned, by the record beside its index: its base ("": nobody knows), what was made,
    folders for the PATH."""
    try:
        with open(f"{index}.made", encoding="utf-8", errors="surrogateescape") as file:
            told = json.load(file)
        made = Provisioned(tuple(told["paths"]), "", 0.0, told["what"])
        return told["base"], made, tuple(told["programs"])
    except (OSError, ValueError, KeyError):
        return "", Provisioned((), "", 0.0, ""), ()


# The one terminal transition of a run: whatever the exit is, it releases, logs, reports and cleans up here.


def end_run(order: Order, folder: str, ending: Ending, fence: int = 0) -> Ending:
    """End a run, or let it rest. Done again after a crash, it ends in the same state."""
    if ending.state not in WAITING:
        stop_agents(folder)
        end_forgotten_checks(folder)
        finish_landings(order.root)
        if ending.state in KEPT:
            keep_work(order, folder)
            ending = tell_left(order, ending)
        close_workspaces(order, folder)
        if ending.state not in KEPT:
            drop_refs(order.root, f"refs/planrail/runs/{order.run}/")
        if order.remote:
            with contextlib.suppress(PlanrailError):  # what stays is taken away by the plan's next run, or by prune
                fencing = Fencing(order.plan, fence, order.run)
                drop_work(order.root, order.remote, fencing, work_ref(order.plan))
        reach("end.cleaned")
    ending = replace(ending, at=time.time())
    note_run(order, ending.state, ending)
    save_ending(folder, ending)
    reach("end.recorded")
    if ending.state not in WAITING:  # last: a run that was killed before goes on, and compares with what it had noted
        drop_working_files(folder)
    return ending


def stop_agents(folder: str) -> None:
    jobs = os.path.join(folder, AGENTS)
    for name in sorted(os.listdir(jobs)) if os.path.isdir(jobs) else ():
        stop_job(os.path.join(jobs, name))


def keep_work(order: Order, folder: str) -> None:
    """Keep what agents had begun and no snapshot has: never destroy work to clean up."""
    refs = f"refs/planrail/runs/{order.run}/"
    for name in sorted(os.listdir(order.workspaces)) if os.path.isdir(order.workspaces) else ():
        index = os.path.join(folder, f"index-{name}")
        base, made, _ = _load_made(index)
        if name.partition("-")[0] == "work" and base:
            workspace = Workspace(os.path.join(order.workspaces, name), base, index)
            ref = f"{refs}left/{safe_name(name)}"
            with contextlib.suppress(PlanrailError):  # the disk may be what ended the run
                own = (*made.kept, SIDE, order.path)
                left = take_snapshot(order.root, workspace, ref, "what was begun", leave_out=own)
                told = run_git(order.root, "for-each-ref", "--format=%(refname) %(tree)", refs).splitlines()
                others = {line.split()[-1] for line in told if line.split()[0] != ref}
                if not left.paths or left.tree in others:
                    run_git(order.root, "update-ref", "-d", ref)


def close_workspaces(order: Order, folder: str) -> None:
    """Remove the private working trees; what was in them is in snapshots."""
    for trees in (order.check_folder, order.workspaces):
        if not trees or not os.path.isdir(trees):
            continue
        for name in sorted(os.listdir(trees)):
            close_workspace(os.path.join(trees, name), root=order.root, index=os.path.join(folder, f"index-{name}"))
        shutil.rmtree(trees, ignore_errors=True)
