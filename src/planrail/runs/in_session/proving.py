"""Evidence for a phase in a working tree: planrail runs the checks itself, and puts on record what they said."""

import os
import time
from collections.abc import Callable, Sequence

from planrail.base.records import record, replace
from planrail.base.run_model import CheckRun, Evidence, Finding
from planrail.base.wording import name_some
from planrail.git.git_writing import run_git
from planrail.git.object_store import read_changes
from planrail.git.workspaces.work_snapshots import changed_paths
from planrail.runs.checks.environment import check_environment
from planrail.runs.checks.links import find_misshapen, read_shape
from planrail.runs.checks.output import read_output
from planrail.runs.checks.programs import list_newer_programs
from planrail.runs.checks.surroundings import list_newer
from planrail.runs.evidence.judging import hash_evidence, judge_checks
from planrail.runs.evidence.old_forms import find_hollow_scripts
from planrail.runs.evidence.running_files import judge_running_files
from planrail.runs.evidence.scope import is_named, read_scope
from planrail.runs.in_session.base_tree import BaseTree, open_base_tree
from planrail.runs.in_session.cases import PhaseCase, locate_keeper
from planrail.runs.in_session.handed_out import judge_keeping, judge_text
from planrail.runs.in_session.tree_checks import Runs, TreeRuns, run_on_tree
from planrail.runs.in_session.working_tree import Tree, compare_trees, find_head, name_inside, take_tree
from planrail.runs.steps.judging import Tried, judge_secrets
from planrail.runs.strength.reasons import apply_reasons
from planrail.runs.strength.weakening import find_weakened
from planrail.store.ledger import open_ledger
from planrail.store.runs.run_facts import add_fact, evidence_fact

SESSION = "session"  # what stands for a run where there is none
NOTHING_DONE, NO_BASE = "nothing_done", "no_base"


@record
class PhaseProof:
    """What was found out about a phase, on one tree. `hash` is how the ledger calls it."""

    evidence: Evidence
    hash: str
    tree: Tree
    head: str  # the commit that the working tree stands on; "" where there is none
    added: tuple[str, ...]  # files that the checks left behind, and that are no part of what was proven
    at: int
    base_runs: Runs = ()  # the same checks without the work; none where there is nothing to compare with

    @property
    def ok(self) -> bool:
        """Whether every check passed, on a tree that stayed as it was, and one of them can tell it from the base."""
        return not self.evidence.failures


def prove(
    case: PhaseCase,
    watch: Callable[[CheckRun], None] = lambda run: None,
    tell: Callable[[str], None] = lambda text: None,
    ran: TreeRuns | None = None,
) -> PhaseProof:
    """Run every check on the working tree as it is, whatever the others say, then on the base, and put it on record.

    `ran`: this very process ran them a moment ago.
    """
    ran = ran or run_on_tree(case, watch)
    tree, runs = ran.tree, ran.runs
    changed, added = compare_trees(case.root, tree, take_tree(case.root, case.plan_file.place))
    findings, base_runs = judge(case, tree.id, runs, ran.folder, tell)
    findings = [*judge_text(case), *findings, *judge_keeping(case, tree.id)]
    if changed:  # it is not the tree any more that the checks began on
        named = name_some(changed)
        findings = [*findings, Finding("tree_changed", f"files changed while the checks ran: {named}")]
    evidence, head = Evidence(tree.id, runs, tuple(findings)), find_head(case.root)
    name, at = hash_evidence(runs), int(time.time())
    fact = evidence_fact(SESSION, case.order.id, 0, evidence, name, head)
    with open_ledger(case.plan_file.root) as ledger:
        add_fact(ledger, case.plan_file.id, fact, key=f"{SESSION}/{case.plan_file.id}/{case.order.id}/{name}", at=at)
    return PhaseProof(evidence, name, tree, head, tuple(added), at, base_runs)


def judge(
    case: PhaseCase, tree: str, runs: Runs, outputs: str, tell: Callable[[str], None]
) -> tuple[list[Finding], Runs]:
    """What follows from the checks on a tree, which they were run on by this very process; and what they said without
    the work."""
    if not case.base.commit:
        if tree == case.base.began:
            return [Finding(NOTHING_DONE, "nothing was done: no file has changed since the phase began")], ()
        text = "there is no commit to compare with, so nobody knows what the checks say without the work"
        return [*_judge_runs(case, (), runs), Finding(NO_BASE, text, is_failure=False)], ()
    # but for the files that planrail marks itself
    own = {name_inside(case.root, case.plan_file.place), name_inside(case.root, locate_keeper(case))}
    paths = tuple(path for path in changed_paths(case.root, case.base.tree, tree) if path not in own)
    if not paths:  # it is the tree of the base
        text = f"nothing was done: all files are as on the base {case.base.commit[:10]}, but for the plan"
        return [*_judge_runs(case, runs, runs), Finding(NOTHING_DONE, text)], ()
    if case.is_by_whole and (untouched := find_untouched(case, paths)):
        return [*_judge_runs(case, (), runs), Finding(NOTHING_DONE, untouched)], ()
    tell(f"the same on the base, {case.base.commit[:10]} …")
    with open_base_tree(case, outputs) as base:
        return _judge_work(case, base, tree, runs, paths)


def proves_nothing(findings: Sequence[Finding]) -> bool:
    """Whether nothing speaks against the work but that its checks pass without it."""
    kinds = {finding.kind for finding in findings if finding.is_failure}
    return kinds == {"proves_nothing"}


def find_untouched(case: PhaseCase, paths: Sequence[str]) -> str:
    """Why checks say nothing of this phase: no file that it names was changed; "" where one was."""
    named = read_scope(case.order.text).named
    if not named or any(is_named(path, named) for path in paths):
        return ""
    return f"nothing was done: of what the phase names, nothing has changed: {name_some(sorted(named))}"


def _judge_work(
    case: PhaseCase, on: BaseTree, tree: str, runs: Runs, paths: tuple[str, ...]
) -> tuple[list[Finding], Runs]:
    if on.fitted.made.problem:
        text = f"nobody knows what the checks say on the base: {on.fitted.made.problem}; see [run] provision"
        return [Finding("environment", text), *_judge_runs(case, (), runs)], ()
    base, files = case.base.commit, case.settings.testing.files
    base_runs = on.run(case.checks, case.base.tree, "base")
    changes = read_changes(case.root, base, tree, paths)
    found = _judge_runs(case, base_runs, runs)
    found += find_weakened(changes, files=files)
    found += find_hollow_scripts(case.checks, changes)
    found += judge_secrets(case.root, base, changes, case.settings, os.environ)
    shape = read_shape(case.root, tree)
    # whether the phase edited a file that runs things is known only where it was seen to begin: what was changed before
    # is not its doing (`planrail init` writes such files itself); else it is told
    since = set(changed_paths(case.root, case.base.began, tree)) if case.base.began else set(paths)
    running = judge_running_files(case.order.text, paths, changes, shape.reached)
    running = [finding for finding in running if finding.place in since]
    found += running if case.base.began else [replace(finding, is_failure=False) for finding in running]
    found += find_misshapen(case.root, base, shape, paths)
    found = apply_reasons(found, case.order.text, "", has_verifier=False)
    work = Tried(case.root, base, tree, changes, files, on.run)
    if proves_nothing(found) and (tests := work.find_telling(case.order.checks)):
        told = f"the checks tell the work from the base by its own tests, which fail without it: {name_some(tests)}"
        found = [finding for finding in found if not finding.is_failure]
        found.append(Finding("told_by_tests", told, is_failure=False))
    if not any(finding.is_failure for finding in found):  # what is refused anyway need not be tried
        tried = work.judge(case.checks, base_runs)
        found += apply_reasons(tried, case.order.text, "", has_verifier=False)
    return [*found, *on.around, *_judge_surroundings(case)], base_runs


def _judge_surroundings(case: PhaseCase) -> list[Finding]:
    """The checks of the work are run in the person's own folder: what was put above it since the phase began may be
    what they obey. Where nobody saw the beginning, it is told. In a session people install things too: so what checks
    run and load is told where it is newer, and no failure."""
    began, found = case.base.at, list[Finding]()
    since = began or int(run_git(case.root, "show", "-s", "--format=%ct", case.base.commit).strip() or 0)
    if above := list_newer(os.path.realpath(case.root), since):
        where = "newer than the beginning of the phase, above the folder of the checks, where tools look"
        text = f"{name_some(above)}: {where} (move it away, then try again)"
        found.append(Finding("surroundings_changed", text, is_failure=bool(began)))
    if newer := list_newer_programs(check_environment(os.environ), began) if began else []:
        text = f"newer than the beginning of the phase, among what checks run and load: {name_some(newer)}"
        found.append(Finding("surroundings_changed", text, is_failure=False))
    return found


def _judge_runs(case: PhaseCase, base: Runs, runs: Runs) -> list[Finding]:
    return judge_checks(base, runs, phase_text=case.order.text, checks_decide=True, read=read_output)
