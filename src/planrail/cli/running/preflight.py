"""Preflight: what can be seen before a run begins, so that nothing is begun that cannot end well."""

import os
import shutil

from planrail.cli.approval.book import open_paper
from planrail.cli.running.ordering import Ground, approver
from planrail.cli.screen import quote
from planrail.ledger.run_facts import phase_states
from planrail.ledger.run_folders import list_runs
from planrail.ledger.store import has_ledger, open_ledger
from planrail.plans.lint.document import open_document
from planrail.plans.lint.structure import find_duplicate_ids, find_unknown_dependencies
from planrail.repo.forge_places import locate_forge
from planrail.repo.git_state import GitState, read_state
from planrail.repo.git_writing import ask_git
from planrail.repo.pushing import remote_of
from planrail.runs.phases.choosing import choose, done_before
from planrail.runs.phases.executions import find_stray_blocks
from planrail.runs.workshop import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.runs.model import Order, PhaseOrder


def refuse_run(order: "Order", ground: Ground) -> Refusal | None:
    """Why a run does not begin; None where it may."""
    state = read_state(ground.root, ground.head)
    return (
        judge_repository(state, has_lfs_program=shutil.which("git-lfs") is not None)
        or _find_alias(order)
        or _refuse_request(order)
        or _refuse_phases(order, ground)
    )


def _find_alias(order: "Order") -> Refusal | None:
    """A branch that is only another name for one: whoever has it checked out would not be seen when the other moves."""
    answer = ask_git(order.root, "for-each-ref", "--format=%(refname) %(symref)", "refs/heads/") or ""
    for line in answer.splitlines():
        name, _, meant = line.partition(" ")
        if meant and order.target in (name, meant):
            short, other = name.removeprefix("refs/heads/"), meant.removeprefix("refs/heads/")
            text = f"{short} is only another name for {other}, and nothing can land safely on a branch with two names"
            return Refusal("refused", text, f"git switch {other}, then: git symbolic-ref --delete {name}")
    return None


def _refuse_request(order: "Order") -> Refusal | None:
    """Where work lands by pull request: is there a forge, and the program that speaks to it?"""
    if order.options.landing != "pr":
        return None
    upstream = remote_of(order.root, order.target)
    if upstream is None:
        return Refusal("refused", "there is no remote to open a pull request at", "git remote add origin URL")
    locate_forge(order.root, upstream.remote)
    if shutil.which("gh") is None:
        return Refusal("refused", "gh is missing, which opens pull requests", "install gh, then: gh auth login")
    return None


def judge_repository(state: GitState, *, has_lfs_program: bool) -> Refusal | None:
    """Why nothing can be built on a repository in this state."""
    if state.operation:
        remedy = f"finish it, or: git {_abort(state.operation)}"
        return Refusal("refused", f"git is in the middle of a {state.operation} here", remedy)
    if state.conflicts:
        named = ", ".join(state.conflicts[:5])
        return Refusal("refused", f"there are conflicts that nobody has resolved: {named}", "git status")
    if state.stashes:
        text = f"an earlier landing left a stash behind: {state.stashes[0]}"
        return Refusal("refused", text, "git stash list; look at it, then: git stash pop, or git stash drop")
    if state.submodules:
        named = ", ".join(state.submodules[:5])
        text = f"the repository has submodules ({named}); planrail does not carry commits of those yet"
        return Refusal("refused", text, "run the plan in the submodule's own repository")
    if state.has_lfs and not has_lfs_program:
        return Refusal("refused", "the repository keeps files with Git LFS, and git-lfs is missing", "install git-lfs")
    return None


def _abort(operation: str) -> str:
    return "bisect reset" if operation == "bisect" else f"{operation} --abort"


def _refuse_phases(order: "Order", ground: Ground) -> Refusal | None:
    """The phases that this run would take up: are they there, free, approved?"""
    twice = _find_fault(ground) or _find_twin(order)
    if twice is not None:
        return twice
    chosen = choose(order, ())
    if isinstance(chosen, Refusal):
        return chosen
    waits = _find_waiting(order, chosen)
    if waits is not None:
        return waits
    is_approved = approver(ground, auto=order.options.auto)
    for phase in _meant(order, chosen):
        why = is_approved(phase)
        if why:
            return Refusal("refused", f"{why}; nothing was started", f"planrail approve {_named(order)}")
    return None


def _find_fault(ground: Ground) -> Refusal | None:
    """Two phases with one id, or a phase that waits for one that is not there: nobody could say what is proven."""
    source, plan = ground.paper.source, ground.paper.plan
    document = open_document(source, plan, ground.settings.lint, None)
    problem = next(iter((*find_duplicate_ids(document), *find_unknown_dependencies(document))), None)
    stray = find_stray_blocks(plan, source.text)
    if problem is None and stray:
        text = f"line {stray[0]}: this block belongs to no phase, so it would never be run"
        return Refusal("refused", text, f"planrail show {quote(ground.paper.path)}")
    if problem is None:
        return None
    return Refusal("refused", f"line {problem.line}: {problem.message}", f"planrail lint {quote(ground.paper.path)}")


def _find_twin(order: "Order") -> Refusal | None:
    """Two plans with one id: what was proven of one would be taken for the other's."""
    for path in dict.fromkeys(run.order.path for run in list_runs(order.root, order.plan)):
        if path == order.path or not os.path.isfile(os.path.join(order.root, path)):
            continue
        if open_paper(os.path.join(order.root, path), order.root).id == order.plan:
            text = f"{order.path} and {path} have the same id, {order.plan}"
            return Refusal("refused", text, f"give {order.path} an id of its own")
    return None


def _find_waiting(order: "Order", chosen: tuple[str, ...]) -> Refusal | None:
    """Work that is verified and waits on a branch is not done once more."""
    if not has_ledger(order.root):
        return None
    with open_ledger(order.root) as ledger:
        facts = phase_states(ledger, order.plan)
    for name in chosen:
        fact = facts.get(name)
        if fact is not None and fact.state == "waiting" and fact.commit:
            branch = _branch_of(order, fact.commit)
            if branch:
                text = f"phase {name} is verified and waits on {branch}; nothing was started"
                again = f"or, to do it once more: git branch -D {branch}"
                return Refusal("refused", text, f"git merge --ff-only {branch}; {again}")
    return None


def _branch_of(order: "Order", commit: str) -> str:
    """The branch of planrail's that has a commit; "" where none has."""
    answer = ask_git(
        order.root, "for-each-ref", "--contains", commit, "--format=%(refname:short)", "refs/heads/planrail/"
    )
    return next(iter((answer or "").split()), "")


def _meant(order: "Order", chosen: tuple[str, ...]) -> "list[PhaseOrder]":
    done = done_before(order)
    names = {phase.id for phase in order.phases} - done if order.options.finish else set(chosen)
    return [phase for phase in order.phases if phase.id in names]


def _named(order: "Order") -> str:
    return quote(os.path.relpath(os.path.join(order.root, order.path)))
