"""The case of one phase: its text and checks as they are now, its working tree, and whether it may be judged."""

import os

from planrail.approval.book import Paper, load_policy, open_paper, project_root, read_book, stand
from planrail.approval.desk import open_desk, verifier
from planrail.base.errors import Held, PlanrailError, UsageError
from planrail.base.records import record
from planrail.base.run_model import CheckOrder, PhaseOrder
from planrail.base.settings import FILE_NAME, Settings, load_settings
from planrail.base.wording import quote
from planrail.git.around_a_plan import DiskSurroundings
from planrail.git.git import show_committed
from planrail.plans.execution.executions import order_phases
from planrail.plans.model import Plan
from planrail.projects.open_plan import open_plan
from planrail.store.claim_rules import PLAN
from planrail.store.ledger import open_store
from planrail.store.places import common_directory

TESTS = "tests"
NOT_APPROVED = "is not approved"


@record
class Base:
    """What a phase began on. `began` is the working tree as it was handed out; "" where nobody saw that."""

    commit: str = ""  # "": there is no commit, or no repository
    tree: str = ""
    began: str = ""
    at: int = 0  # when that was; 0 where nobody saw it


@record
class Case:
    """A phase of a plan, in a working tree. The base is looked up only where work is judged."""

    paper: Paper
    order: PhaseOrder
    root: str  # of the working tree; not the plan's where somebody works in another worktree of the repository
    settings: Settings
    base: Base = Base()

    @property
    def checks(self) -> tuple[CheckOrder, ...]:
        """Those of the phase, then the project's tests."""
        return self.order.checks + ((CheckOrder(self.tests, 0, TESTS),) if self.tests else ())

    @property
    def minutes(self) -> int:
        return self.settings.testing.timeout

    @property
    def tests(self) -> str:
        return self.settings.testing.command

    @property
    def name(self) -> str:
        """The plan as one would type it."""
        return quote(self.paper.source.path)

    @property
    def id(self) -> str:
        """The phase as one would type it."""
        return quote(self.order.id)


def open_case(path: str, phase: str, root: str | None = None) -> Case:
    """The case of a phase, or a `UsageError` where the plan has no such phase."""
    paper = open_paper(path, root)
    name = choose_phase(paper.plan, phase)
    order = next(order for order in order_phases(paper.plan, paper.source.text) if order.id == name)
    settings = load_settings(paper.root, committed=show_committed(paper.root, FILE_NAME))
    return Case(paper, order, _working_tree(paper), settings)


def choose_phase(plan: Plan, name: str) -> str:
    """The id of the phase that somebody named; a `UsageError` says which there are."""
    phase = plan.phase(name)
    if phase is None:
        ids = ", ".join(known.id for known in plan.phases[:20]) or "none"
        raise UsageError(
            f"{plan.path} has no phase {name!r}; it has: {ids}", remedy=f"planrail show {quote(plan.path)}"
        )
    return phase.id


def refuse_unapproved(case: Case) -> None:
    """The checks of a plan are its code: only those that a person has seen are run."""
    why = why_unapproved(case)
    if why:
        raise PlanrailError(
            f"phase {case.order.id} of {case.paper.source.path} {NOT_APPROVED}: {why}; nothing was run",
            remedy=f"in a terminal of your own: planrail approve {case.name}",
        )


def why_unapproved(case: Case) -> str:
    """Why the phase as it is now is not approved for work in a session; "" where it is, or need not be."""
    paper = case.paper
    policy = load_policy(paper.root, os.environ)
    if not policy.required:
        return ""
    book = read_book(paper.root, paper.id)
    standing = stand(paper, book, policy, policy.in_session, verifier(open_desk(), policy, paper.root))
    found = next((phase for phase in standing.phases if phase.key == case.order.id), None)
    if found is None or found.state == "approved":
        return "" if found is not None else "nobody has approved it"
    return found.why or "nobody has approved it"


def refuse_held(case: Case) -> None:
    """One owner: what a live run is at work on is not marked by anybody else."""
    claim = open_store(case.paper.root).claims.live_holder(PLAN, case.paper.id)
    if claim is not None:
        raise Held(
            f"{case.paper.source.path} is held by {claim.owner.id} (process {claim.owner.pid}); nothing was marked",
            remedy=f"planrail status {case.name}",
        )


def refuse_unchecked(case: Case) -> None:
    """Nothing can prove a phase that names no check: the project's tests say nothing about it in particular."""
    if not case.order.checks:
        raise PlanrailError(
            f"phase {case.order.id} of {case.paper.source.path} has no check, so nothing can prove it",
            remedy=f"add a ```sh check block to the phase (line {_line(case)}), and have it approved",
        )


def locate_keeper(case: Case) -> str:
    """The file that keeps the phase's status: the plan, or the progress document that it names for this phase."""
    phase = open_plan(case.paper.place).phase(case.order.id)
    if phase is None or phase.claim is None or not phase.claim.path:
        return case.paper.place
    return DiskSurroundings(case.paper.place).locate(phase.claim.path)


def _line(case: Case) -> int:
    phase = case.paper.plan.phase(case.order.id)
    return phase.first_line if phase is not None else 1


def _working_tree(paper: Paper) -> str:
    """Where somebody works: here, if here is a worktree of the plan's repository; else where the plan is."""
    here = project_root(os.getcwd())
    shared = common_directory(paper.root)
    return here if shared is not None and common_directory(here) == shared else paper.root
