"""Work that waited on a branch, and that a person has merged since: it has landed, and nobody has told the ledger."""

from planrail.records import replace
from planrail.repo.git_writing import ask_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.runs.history import PhaseFact


def settle_waiting(root: str, states: "dict[str, PhaseFact]") -> "dict[str, PhaseFact]":
    """The facts, with those as landed whose commit is in the history of what is checked out. git is asked only then."""
    return {name: replace(fact, state="landed") if _has_landed(root, fact) else fact for name, fact in states.items()}


def _has_landed(root: str, fact: "PhaseFact") -> bool:
    if fact.state != "waiting" or not fact.commit.isalnum():
        return False
    return ask_git(root, "merge-base", "--is-ancestor", fact.commit, "HEAD") is not None
