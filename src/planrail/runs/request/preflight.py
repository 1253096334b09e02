"""Preflight: what can be seen before a run begins, so that nothing is begun that cannot end well."""

import os
import shutil
import subprocess
from functools import cache

from planrail.approval.book import open_plan_file
from planrail.base.errors import PlanrailError
from planrail.base.patterns import pattern
from planrail.base.records import replace
from planrail.base.run_model import Order, PhaseOrder, Refusal
from planrail.base.wording import quote, quote_file
from planrail.git.git_state import GitState, read_state
from planrail.git.git_writing import ask_git
from planrail.git.remotes.pushing import fetch_ref, holds
from planrail.plans.execution.executions import find_stray_blocks
from planrail.plans.lint.document import open_document
from planrail.plans.lint.structure import find_duplicate_ids, find_unknown_dependencies
from planrail.runs.checks.running import SHELL
from planrail.runs.forge import steps
from planrail.runs.forge.forge import check_access
from planrail.runs.forge.steps import RequestPlace, fetch_base, list_commits, list_strange, locate_request
from planrail.runs.phases.choosing import choose, done_before, refuse_phase, type_again
from planrail.runs.request.ordering import RunContext, approver
from planrail.runs.strength.files import name_check
from planrail.store.runs.run_folders import list_runs

NOTHING_STARTED = "; nothing was started"
_SYNTAX = pattern(r"[Ss]yntax error:?(?P<why>[^\n]*)")


def refuse_run(order: Order, context: RunContext) -> Refusal | None:
    """Why a run does not begin; None where it may."""
    state = read_state(context.root, context.head)
    return (
        judge_repository(state, has_lfs_program=shutil.which("git-lfs") is not None)
        or _find_alias(order)
        or _refuse_request(order, context)
        or _refuse_phases(order, context)
    )


def _find_alias(order: Order) -> Refusal | None:
    """A branch that is only another name for one: a checkout of it would not be seen when the other moves."""
    answer = ask_git(order.root, "for-each-ref", "--format=%(refname) %(symref)", "refs/heads/") or ""
    for line in answer.splitlines():
        name, _, meant = line.partition(" ")
        if meant and order.target in (name, meant):
            short, other = name.removeprefix("refs/heads/"), meant.removeprefix("refs/heads/")
            text = f"{short} is only another name for {other}, and nothing can land safely on a branch with two names"
            return Refusal("refused", text, f"git switch {other}, then: git symbolic-ref --delete {name}")
    return None


def _refuse_request(order: Order, context: RunContext) -> Refusal | None:
    """Where work lands by pull request: is there a forge, the program that speaks to it, and nothing that would travel
    along unnoticed?"""
    if order.options.landing != "pr":
        return None
    try:
        place = locate_request(order.root, order.target)
    except PlanrailError as error:
        without = type_again(order, order.options.phase, landing="cherry-pick")
        return Refusal("refused", error.message, f"{error.remedy}; or, without a pull request: {without}")
    if shutil.which("gh") is None:
        return Refusal("refused", "gh is missing, which opens pull requests", "install gh, then: gh auth login")
    if not order.remote:
        try:
            check_access(place.forge)  # else all the work would be done before it is known that gh may not
        except PlanrailError as error:
            return Refusal("refused", f"{error.message}{NOTHING_STARTED}", error.remedy)
        return _refuse_unpushed(order, context, place)
    if order.options.with_unpushed:
        text = f"workers build on what {place.name} has: nothing of this repository travels with their request"
        return Refusal("refused", text, type_again(order, order.options.phase, "--here", "--with-unpushed"))
    return None


def _refuse_unpushed(order: Order, context: RunContext, place: RequestPlace) -> Refusal | None:
    """Commits that the forge lacks: on the target, and on the branch of the request where there is one already."""
    root, base = order.root, fetch_base(order.root, place)
    ahead, has_moved = list_commits(root, context.head, [base]), not holds(root, context.head, base)
    if ahead and (has_moved or not order.options.with_unpushed):
        here, remote = order.target.removeprefix("refs/heads/"), place.forge.base_remote
        return steps.refuse_unpushed(
            ahead,
            here,
            place.name,
            has_moved=has_moved,
            push=f"git push {remote} {here if here == place.branch else f'{here}:{place.branch}'}",
            pull=f"git pull --rebase {remote} {place.branch}",
            again=type_again(order, order.options.phase, "--with-unpushed"),
        )
    return _refuse_branch(order, place, base)


def _refuse_branch(order: Order, place: RequestPlace, base: str) -> Refusal | None:
    """What speaks against the branch of the request, where there is one already."""
    root, branch = order.root, order.line.removeprefix("refs/heads/")
    tip = (ask_git(root, "rev-parse", "--verify", "--quiet", f"{order.line}^{{commit}}") or "").strip()
    if not tip:
        return None
    if order.unpushed and not holds(root, tip, order.base):
        text = f"{branch} was begun without {steps.name_commits(order.unpushed)}, so they cannot travel with it"
        here = order.target.removeprefix("refs/heads/")
        return Refusal("refused", text, f"git push {place.forge.base_remote} {here}:{place.branch}")
    known = [base, *filter(None, [fetch_ref(root, place.remote, branch)])]
    strange = list_strange(root, order.plan, tip, known, {id for id, _ in order.unpushed})
    return steps.refuse_strange(strange, branch, f"git push {place.remote} {branch}") if strange else None


def judge_repository(state: GitState, *, has_lfs_program: bool) -> Refusal | None:
    """Why nothing can be built on a repository in this state."""
    if state.operation:
        abort = "bisect reset" if state.operation == "bisect" else f"{state.operation} --abort"
        remedy = f"finish it, or: git {abort}"
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


def _refuse_phases(order: Order, context: RunContext) -> Refusal | None:
    """The phases that this run would take up: are they there, free, approved?"""
    fault = _find_fault(context)
    if fault is not None:
        return fault
    for path in dict.fromkeys(run.order.path for run in list_runs(order.root, order.plan)):
        place = os.path.join(order.root, path)  # of another plan: what was proven of one would be taken for the other's
        if path != order.path and os.path.isfile(place) and open_plan_file(place, order.root).id == order.plan:
            text = f"{order.path} and {path} have the same id, {order.plan}"
            return Refusal("refused", text, f"give {order.path} an id of its own")
    chosen = choose(order, ())
    if isinstance(chosen, Refusal):
        return chosen
    if unfit := refuse_unfit(order):
        return unfit
    if why := why_unapproved(order, context):
        path = quote_file(order.root, order.path)
        return Refusal("refused", f"{why}{NOTHING_STARTED}", f"planrail approve {path}")
    from planrail.runs.steps.own_checkout import DIRECT, refuse_checkout  # a look at the queue loads no steps

    kinds = {phase.id: phase.execution.kind for phase in order.phases}
    named = next((name for name in chosen if kinds[name] == DIRECT and not order.remote), "")
    refusal = refuse_checkout(order, named, context.settings.run.reports) if named else None
    return replace(refusal, text=f"{refusal.text}{NOTHING_STARTED}") if refusal is not None else None


def refuse_unfit(order: Order) -> Refusal | None:
    """Why a phase that this run would take up can never be done by it, as it is written: known before anybody is asked
    to approve it."""
    meant = [phase for phase in _list_meant(order) if phase.state != "blocked"]
    told = (refuse_phase(order, phase) or _refuse_script(order, phase) for phase in meant)
    found = next(filter(None, told), None)
    return replace(found, text=f"{found.text}{NOTHING_STARTED}") if found is not None else None


def _refuse_script(order: Order, phase: PhaseOrder) -> Refusal | None:
    """A check that no shell can read fails whatever an agent does."""
    for check in phase.checks if not order.remote else ():  # else it is another machine's shell that reads it
        if why := find_syntax_error(check.command):
            text = (
                f"line {check.line} of {order.path}: the shell cannot read the check {name_check(check.command)}: {why}"
            )
            return Refusal("refused", text, f"correct the check, then: {type_again(order, order.options.phase)}")
    return None


@cache
def find_syntax_error(command: str) -> str:
    """What the shell that runs checks says of a command that it cannot read; "" where it can. Nothing is run."""
    try:
        asked = [SHELL, "-n", "-c", command]
        done = subprocess.run(
            asked, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=10
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):  # too long, or no text: its run will tell
        return ""
    said = _SYNTAX.search(done.stderr) if done.returncode else None
    return said["why"].strip() if said is not None else ""


def why_unapproved(order: Order, context: RunContext) -> str:
    """Why a phase that this run would take up may not run, by what people have approved; "" where all may."""
    is_approved = approver(context, auto=order.options.auto)
    return next((why for phase in _list_meant(order) if (why := is_approved(phase))), "")


def _list_meant(order: Order) -> list[PhaseOrder]:
    chosen = choose(order, ())
    left = {phase.id for phase in order.phases} - done_before(order)
    meant = left if order.options.finish else set() if isinstance(chosen, Refusal) else set(chosen)
    return [phase for phase in order.phases if phase.id in meant]


def _find_fault(context: RunContext) -> Refusal | None:
    """Two phases with one id, or a phase that waits for one that is not there: nobody could say what is proven."""
    source, plan = context.plan_file.source, context.plan_file.plan
    document = open_document(source, plan, context.settings.lint, None)
    problem = next(iter((*find_duplicate_ids(document), *find_unknown_dependencies(document))), None)
    stray = find_stray_blocks(plan, source.text)
    if problem is None and stray:
        text = f"line {stray[0]}: this block belongs to no phase, so it would never be run"
        return Refusal("refused", text, f"planrail show {quote(context.plan_file.path)}")
    if problem is None:
        return None
    return Refusal(
        "refused", f"line {problem.line}: {problem.message}", f"planrail lint {quote(context.plan_file.path)}"
    )
