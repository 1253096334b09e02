"""The case of one phase: its text and checks as they are now, its working tree, whether it may be judged, and its base.

The base is the commit that the work began on, which its checks have to tell from the work. `execute plan` puts on
record where a phase began, so that work which an agent has committed since is still work. Without that record the base
is HEAD. The record is believed only as far as git bears it out: its commit has to be an ancestor of HEAD, and it has to
be about this very text of the phase.
"""

import os
import time
from collections.abc import Mapping
from typing import Protocol

from planrail.approval.book import PlanFile, list_facts, load_policy, open_plan_file, project_root, read_book, stand
from planrail.approval.policy import Policy
from planrail.base.errors import Held, PlanrailError, UsageError
from planrail.base.records import record, replace
from planrail.base.run_model import CheckOrder, PhaseOrder
from planrail.base.settings import FILE_NAME, Settings, load_settings
from planrail.base.wording import quote
from planrail.git.git import DiskSurroundings, show_committed
from planrail.git.git_writing import ask_git
from planrail.git.trailers import find_landed
from planrail.plans.execution.executions import find_whole_checks, order_phases
from planrail.projects.open_plan import open_plan
from planrail.store.claim_rules import PLAN
from planrail.store.ledger import open_store
from planrail.store.places import common_directory

TESTS = "tests"
ASSIGNMENT = "assignment"  # the fact that a phase was handed to an agent in its session


@record
class Base:
    """What a phase began on. `began` is the working tree as it was handed out; "" where nobody saw that."""

    commit: str = ""  # "": there is no commit, or no repository
    tree: str = ""
    began: str = ""
    at: int = 0  # when that was; 0 where nobody saw it


class BaseCase(Protocol):
    """What is judged against a base, in a checkout of that."""

    @property
    def root(self) -> str: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def base(self) -> Base: ...
    @property
    def seconds(self) -> float: ...
    @property
    def own_file(self) -> str:
        """The file that planrail marks itself, which tells nothing apart; "" where there is none."""


@record
class PhaseCase:
    """A phase of a plan, in a working tree. The base is looked up only where work is judged."""

    plan_file: PlanFile
    order: PhaseOrder
    root: str  # of the working tree; not the plan's where a person works in another worktree of the repository
    settings: Settings
    base: Base = Base()
    deadline: float = 0.0  # of all checks together, by the monotonic clock; 0: each has the time of the settings
    is_by_whole: bool = False  # it has no check of its own, and those of the whole plan stand for it

    @property
    def seconds(self) -> float:
        limit = self.settings.testing.timeout * 60
        return min(limit, max(1.0, self.deadline - time.monotonic())) if self.deadline else limit

    @property
    def checks(self) -> tuple[CheckOrder, ...]:
        """Those of the phase, then the project's tests."""
        return self.order.checks + ((CheckOrder(self.tests, 0, TESTS),) if self.tests else ())

    @property
    def own_file(self) -> str:
        return self.plan_file.place

    @property
    def tests(self) -> str:
        return self.settings.testing.runnable

    @property
    def name(self) -> str:
        return quote(self.plan_file.source.path)

    @property
    def id(self) -> str:
        return quote(self.order.id)

    @property
    def line(self) -> int:
        phase = self.plan_file.plan.phase(self.order.id)
        return phase.first_line if phase is not None else 1


def open_case(path: str, phase: str, root: str | None = None) -> PhaseCase:
    """The case of a phase, or a `UsageError` where the plan has no such phase."""
    return make_case(open_plan_file(path, root), phase)


def make_case(plan_file: PlanFile, phase: str) -> PhaseCase:
    plan, known = plan_file.plan, plan_file.plan.phase(phase)
    if known is None:
        ids = ", ".join(known.id for known in plan.phases[:20]) or "none"
        raise UsageError(
            f"{plan.path} has no phase {phase!r}; it has: {ids}", remedy=f"planrail show {quote(plan.path)}"
        )
    order = next(order for order in order_phases(plan, plan_file.source.text) if order.id == known.id)
    whole = find_whole_checks(plan, plan_file.source.text)
    is_by_whole = bool(whole) and {check.command for check in order.own_checks} <= {check.command for check in whole}
    stand_in = [CheckOrder(check.command, check.line, "criterion") for check in whole if is_by_whole]
    stand_in = [check for check in stand_in if check.command not in {one.command for one in order.checks}]
    settings = load_settings(plan_file.root, committed=show_committed(plan_file.root, FILE_NAME))
    order = replace(order, checks=order.checks + tuple(stand_in))
    return PhaseCase(plan_file, order, locate_work(plan_file), settings, is_by_whole=is_by_whole)


def locate_work(plan_file: PlanFile) -> str:
    """The working tree: a person may work in another worktree of the plan's repository; else where the plan is."""
    here, shared = project_root(os.getcwd()), common_directory(plan_file.root)
    is_worktree = shared is not None and common_directory(here) == shared
    return here if is_worktree else plan_file.root


def refuse_unapproved(case: PhaseCase) -> None:
    """The checks of a plan are its code: only those that a person has seen are run."""
    why = why_unapproved(case)
    if why:
        raise PlanrailError(
            f"phase {case.order.id} of {case.plan_file.source.path} is not approved: {why}; nothing was run",
            remedy=f"in a terminal of your own: planrail approve {case.name}",
        )


def why_unapproved(case: PhaseCase) -> str:
    """Why the phase as it is now is not approved for work in a session; "" where it is, or need not be."""
    policy = load_policy(case.plan_file.root, os.environ)
    return _why_not(case, policy) if policy.required else ""


def is_approved(case: PhaseCase) -> bool:
    """Whether a person has approved the phase as it is now, also where nobody has to."""
    return not _why_not(case, load_policy(case.plan_file.root, os.environ))


def _why_not(case: PhaseCase, policy: Policy) -> str:
    from planrail.approval.person import find_person, verifier  # dear, and an agent may wait

    plan_file = case.plan_file
    book, verify = read_book(plan_file.root, plan_file.id), verifier(find_person(), policy, plan_file.root)
    standing = stand(plan_file, book, policy, policy.in_session, verify)
    found = next((phase for phase in standing.phases if phase.key == case.order.id), None)
    is_enough = found is not None and found.state == "approved"
    return "" if is_enough else (found.why if found is not None else "") or "nobody has approved it"


def refuse_held(case: PhaseCase) -> None:
    """One owner: what a live run is at work on is not marked by another process."""
    claim = open_store(case.plan_file.root).claims.live_holder(PLAN, case.plan_file.id)
    if claim is not None:
        raise Held(
            f"{case.plan_file.source.path} is held by {claim.owner.id} (process {claim.owner.pid}); nothing was marked",
            remedy=f"planrail status {case.name}",
        )


def refuse_unchecked(case: PhaseCase) -> None:
    """Nothing can prove a phase that names no check: the project's tests say nothing about it in particular."""
    if not case.order.own_checks:
        raise PlanrailError(
            f"phase {case.order.id} of {case.plan_file.source.path} has no check, so nothing can prove it",
            remedy=f"add a ```sh check block to the phase (line {case.line}), and have it approved",
        )


def locate_keeper(case: PhaseCase) -> str:
    """The file that keeps the phase's status: the plan, or the progress document that it names for this phase."""
    phase = open_plan(case.plan_file.place).phase(case.order.id)
    if phase is None or phase.claim is None or not phase.claim.path:
        return case.plan_file.place
    return DiskSurroundings(case.plan_file.place).locate(phase.claim.path)


def stand_on_base(case: PhaseCase) -> PhaseCase:
    """The case with its base, and with the project's settings as the base has them: no agent has edited those."""
    base = locate_base(case)
    if not base.commit:
        return replace(case, base=base)
    committed = ask_git(case.root, "show", f"{base.commit}:{FILE_NAME}")
    return replace(case, base=base, settings=load_settings(case.plan_file.root, committed=committed))


def load_handed_out(plan_file: PlanFile, root: str) -> list[Mapping[str, object]]:
    """What was noted each time that a phase of the plan was handed out in a working tree, the newest last."""
    facts = list_facts(plan_file.root, ASSIGNMENT, plan_file.id)
    return [fact.value for fact in facts if fact.value.get("root") == root]


def list_handed_out(case: PhaseCase) -> list[Mapping[str, object]]:
    return [value for value in load_handed_out(case.plan_file, case.root) if value.get("phase") == case.order.id]


def locate_base(case: PhaseCase) -> Base:
    """Where the phase began: as it was handed out, else before its own commit, else HEAD."""
    if common_directory(case.root) is None:
        known = [value for value in list_handed_out(case) if value.get("text") == case.order.canonical]
        return Base(began=str(known[0].get("tree") or "")) if known else Base()
    head = _ask(case.root, "HEAD^{commit}")
    wanted = (case.order.id, case.root, case.order.canonical)
    for fact in list_facts(
        case.plan_file.root, ASSIGNMENT, case.plan_file.id
    ):  # the first time that it was handed out first
        if tuple(fact.value.get(name) for name in ("phase", "root", "text")) != wanted:
            continue
        commit, began = str(fact.value.get("base") or ""), str(fact.value.get("tree") or "")
        is_name = len(commit) in (40, 64) and set(commit) <= set("0123456789abcdef")  # a full one, or it is none
        if head and is_name and (commit == head or _is_before(case.root, commit, head)):
            tree = _ask(case.root, f"{began}^{{tree}}") if began else ""
            return Base(commit, _ask(case.root, f"{commit}^{{tree}}"), tree, fact.at)
    commit = head
    if head and find_landed(case.root, head, case.plan_file.id, case.order.id) == head:
        commit = _ask(case.root, f"{head}^1^{{commit}}") or head  # it died after its commit, and says `done` again
    return Base(commit, _ask(case.root, f"{commit}^{{tree}}")) if commit else Base()


def _is_before(root: str, commit: str, head: str) -> bool:
    return ask_git(root, "merge-base", "--is-ancestor", commit, head) is not None


def _ask(root: str, name: str) -> str:
    return (ask_git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", name) or "").strip()
