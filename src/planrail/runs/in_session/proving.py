"""Evidence for a phase in a working tree: planrail runs the checks itself, and puts on record what they said."""

import os
import shutil
import time
from collections.abc import Callable, Iterator

from planrail.base.records import record
from planrail.base.run_model import CheckRun, Evidence, Finding
from planrail.runs.checks.environment import check_environment
from planrail.runs.checks.running import run_check
from planrail.runs.evidence.judging import hash_evidence
from planrail.runs.in_session.cases import Case
from planrail.runs.in_session.judging import judge
from planrail.runs.in_session.working_tree import Altered, Tree, compare_trees, find_head, session_folder, take_tree
from planrail.store.ledger import open_ledger
from planrail.store.runs.run_facts import add_evidence, evidence_fact

SESSION = "session"  # what stands for a run where there is none
_MOST_KEPT = 20  # outputs of earlier times
_MOST_NAMED = 5


@record
class Proof:
    """What was found out about a phase, on one tree. `hash` is how the ledger calls it."""

    evidence: Evidence
    hash: str
    tree: Tree
    head: str  # the commit that the working tree stands on; "" where there is none
    added: tuple[str, ...]  # files that the checks left behind, and that are no part of what was proven
    at: int
    base_runs: tuple[
        CheckRun, ...
    ] = ()  # the same checks without the work; none where there is nothing to compare with

    @property
    def ok(self) -> bool:
        """Whether every check passed, on a tree that stayed as it was, and one of them can tell it from the base."""
        return not self.evidence.failures


def prove(
    case: Case,
    watch: Callable[[CheckRun], None] = lambda run: None,
    tell: Callable[[str], None] = lambda text: None,
) -> Proof:
    """Run every check on the working tree as it is, whatever the others say, then on the base, and put it on record."""
    before = take_tree(case.root, case.paper.place)
    folder = _new_folder(case.root)
    runs = tuple(_run_all(case, before, folder, watch))
    altered = compare_trees(case.root, before, take_tree(case.root, case.paper.place))
    judged = judge(case, before.id, runs, folder, tell)
    evidence = Evidence(before.id, runs, (*judged.findings, *_judge_altered(altered)))
    return _record(case, evidence, before, altered.added, judged.base_runs)


def _run_all(case: Case, tree: Tree, folder: str, watch: Callable[[CheckRun], None]) -> Iterator[CheckRun]:
    environment = check_environment(os.environ)
    for number, check in enumerate(case.checks, 1):
        output = os.path.join(folder, f"{number:02}.log")
        run = run_check(check, case.root, tree.id, environment, output, case.minutes * 60)
        watch(run)
        yield run


def _judge_altered(altered: Altered) -> list[Finding]:
    """A tree that changed meanwhile is not the one any more that the checks began on."""
    if not altered.changed:
        return []
    named = ", ".join(altered.changed[:_MOST_NAMED])
    more = f" and {len(altered.changed) - _MOST_NAMED} more" if len(altered.changed) > _MOST_NAMED else ""
    return [Finding("tree_changed", f"files changed while the checks ran: {named}{more}")]


def _record(
    case: Case, evidence: Evidence, tree: Tree, added: tuple[str, ...], base_runs: tuple[CheckRun, ...]
) -> Proof:
    head = find_head(case.root)
    name, at = hash_evidence(evidence.runs), int(time.time())
    fact = evidence_fact(SESSION, case.order.id, 0, evidence, name, head)
    with open_ledger(case.paper.root) as ledger:
        add_evidence(ledger, case.paper.id, fact, key=f"{SESSION}/{case.order.id}/{name}", at=at)
    return Proof(evidence, name, tree, head, added, at, base_runs)


def _new_folder(root: str) -> str:
    """A folder for the outputs of this time; those of long ago are let go of."""
    place = os.path.join(session_folder(root), "outputs")
    os.makedirs(place, mode=0o700, exist_ok=True)
    for name in sorted(os.listdir(place))[:-_MOST_KEPT]:
        shutil.rmtree(os.path.join(place, name), ignore_errors=True)
    folder = os.path.join(place, f"{time.time_ns():020}-{os.getpid()}")
    os.mkdir(folder, 0o700)
    return folder
