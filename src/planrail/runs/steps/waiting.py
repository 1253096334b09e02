"""Verified work that cannot land now: it waits on a branch of planrail's own, and the run rests until it is resumed."""

from planrail.base.run_model import Candidate, Evidence, Landing, Order, PhaseOrder
from planrail.git.checkouts import find_obstacle, read_layout
from planrail.git.git_writing import run_git
from planrail.git.repository_lock import hold
from planrail.git.trailers import find_landed
from planrail.runs.evidence.judging import hash_evidence
from planrail.runs.landing.waiting_branches import put_on_branch, take_away
from planrail.runs.steps.book import Book
from planrail.runs.steps.places import waiting_branch
from planrail.runs.steps.site import Site
from planrail.runs.workshop import At, Paused

WAITING = "waiting"
_HEADS = "refs/heads/"


class Waiting:
    """Where the work of a run waits."""

    def __init__(self, site: Site, book: Book) -> None:
        self._site, self._book = site, book

    def find_landed(self, phase: PhaseOrder, evidence: Evidence, ref: str, base: str) -> str:
        """The commit of a ref, since the base, that has this very work of a phase; "" where there is none."""
        named = hash_evidence(evidence.runs)
        return find_landed(self._site.root, ref, self._site.order.plan, phase.id, named, since=base) or ""

    def keep(self, phase: PhaseOrder, at: At, finished: Candidate, evidence: Evidence, why: str) -> Paused:
        """Put work that does not fit the target on a branch, finished, on its own base; a person brings it in."""
        order = self._site.order
        with hold(self._site.lock):
            ref = self._find_branch(phase, evidence, finished.onto) or self._put(finished.commit)
        name, target = ref.removeprefix(_HEADS), order.line.removeprefix(_HEADS)
        obstacle = find_obstacle(read_layout(order.root), order.line)
        bring = f"bring it in yourself, on {target}: git merge {name}, resolve, commit"
        first = f"finish what you have begun: {obstacle} (resolve, git add, git commit)" if obstacle else bring
        text = (
            f"{why}; the verified work waits on {name}, and {target} has not moved. First {first}. "
            f"(To have it done anew instead: planrail stop {order.path}, then planrail run {order.path} {phase.id})"
        )
        commit = run_git(order.root, "rev-parse", "--verify", ref).strip()
        return self.rest(phase, at, Landing(WAITING, commit, ref, text), evidence)

    def rest(self, phase: PhaseOrder, at: At, landing: Landing, evidence: Evidence) -> Paused:
        """Say on record that the work of a phase waits; the run rests."""
        self._book.add_waiting(phase, at, landing, evidence)
        return pause(self._site.order, landing.message, phase.id)

    def clear(self, commit: str) -> None:
        """Take the branch away on which the work waited that has landed now as this commit."""
        with hold(self._site.lock):
            take_away(self._site.root, read_layout(self._site.root), self._list_branches(), commit)

    def _find_branch(self, phase: PhaseOrder, evidence: Evidence, base: str) -> str:
        """The branch on which this work waits already: a person may be in the middle of bringing it in."""
        return next((ref for ref in self._list_branches() if self.find_landed(phase, evidence, ref, base)), "")

    def _list_branches(self) -> list[str]:
        """The branches that the work of this plan can wait on; where one is named `planrail`, without the slash."""
        usual = waiting_branch(self._site.order)
        flat = _HEADS + usual.removeprefix(_HEADS).replace("/", "-")
        asked = [f"{ref}{number}" for ref in (usual, flat) for number in ("", "-*")]
        return run_git(self._site.root, "for-each-ref", "--format=%(refname)", *asked).split()

    def _put(self, commit: str) -> str:
        root, branch = self._site.root, waiting_branch(self._site.order)
        return put_on_branch(root, read_layout(root), branch, commit, "planrail: it waits")


def pause(order: Order, text: str, phase: str = "") -> Paused:
    """The rest of a run whose work waits. Resuming it builds the candidate on the target as it is then."""
    return Paused(WAITING, text, f"planrail resume {order.path}", phase=phase)
