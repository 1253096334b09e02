"""Adoption: phases that were done before planrail first heard of a plan, confirmed once, by whoever first says yes."""

from planrail.approval.book import Book, Paper
from planrail.approval.model import Approval
from planrail.plans.states import State
from planrail.store.ledger import Ledger, has_ledger, open_ledger
from planrail.store.runs.run_facts import ADOPTION, PHASE


def list_adoptable(paper: Paper, book: Book) -> tuple[str, ...]:
    """The phases that a yes adopts: those marked as done, where nobody has approved, adopted or proven anything yet."""
    done = tuple(phase.id for phase in paper.plan.phases if phase.status is State.DONE)
    if not done or any(isinstance(word, Approval) for word in book.history) or _is_known(paper):
        return ()
    return done


def describe_adoption(phases: tuple[str, ...]) -> str:
    """What a person is told before they say yes."""
    names = ", ".join(phases)
    return (
        f"Marked as done before planrail's first run: {names}. Your yes adopts them: they are not run again, and are"
        " shown as adopted, not as proven.\n"
    )


def record_adoption(ledger: Ledger, paper: Paper, phases: tuple[str, ...], said: Approval) -> None:
    """Put the adoption on record, with the yes that it came with; once for each plan."""
    value = {"phases": list(phases), "by": said.who, "text": paper.canonical.hash, "approval": said.id}
    ledger.add(ADOPTION, paper.id, value, id=f"{ADOPTION}:{paper.id}", at=said.at)


def _is_known(paper: Paper) -> bool:
    if not has_ledger(paper.root):
        return False
    with open_ledger(paper.root) as ledger:
        return bool(ledger.facts(ADOPTION, paper.id) or ledger.facts(PHASE, paper.id))
