"""What happened to a plan: the facts of its runs, typed, and what follows from them. Pure.

A phase is done only by a fact that names evidence which is there and does not speak against it.
"""

from collections.abc import Iterable, Mapping

from planrail.base.records import record, replace
from planrail.base.run_model import CheckRun, Finding, Verdict  # at run time: what is read back has to be known
from planrail.base.values import value

FINISHED = ("landed", "done")
VERIFIED = "verified"  # proven, and about to land
CLAIMED = "claimed"  # an agent or a person wrote that it is done, and there is no evidence


@value
class RunFact:
    """Something that happened to a run as a whole."""

    run: str
    event: str  # began, resumed, paused, parked, stopped, failed, complete, phase_done, declined, takeover
    phase: str = ""
    reason: str = ""
    text: str = ""
    command: str = ""
    until: int = 0
    slug: str = ""
    path: str = ""
    title: str = ""
    agent: str = ""
    verifier: str = ""
    landing: str = ""
    pid: int = 0
    at: int = 0


@value
class PhaseFact:
    """The word on a phase. `evidence` is the hash of what proves it; `by` is run or session."""

    run: str
    phase: str
    attempt: int
    state: str  # in_progress, verified, landed, waiting, failed, paused, parked, done; or claimed, see above
    title: str = ""
    base: str = ""
    tree: str = ""
    commit: str = ""
    evidence: str = ""
    reason: str = ""
    text: str = ""
    by: str = "run"
    canonical: str = ""  # the hash of the phase's text that this is about
    began: str = ""  # in a session: the tree that its work is told from
    root: str = ""  # in a session: the working tree
    files: tuple[str, ...] = ()  # in a session: those of its changes that the phase names
    at: int = 0

    @property
    def is_done(self) -> bool:
        return self.state in FINISHED


@value
class EvidenceFact:
    """The checks on a tree, under their hash."""

    run: str
    phase: str
    attempt: int
    tree: str
    hash: str
    commit: str = ""
    runs: tuple[CheckRun, ...] = ()
    findings: tuple[Finding, ...] = ()
    at: int = 0

    @property
    def proves(self) -> bool:
        """Whether it can be evidence at all: it has a name, and nothing in it speaks against the phase."""
        return bool(self.hash) and not any(finding.is_failure for finding in self.findings)


@value
class VerdictFact:
    """A verifier's word on an attempt."""

    run: str
    phase: str
    attempt: int
    verdict: Verdict
    at: int = 0


@value
class SpentFact:
    """What an agent used for an attempt. `role` is what it did: implement, fix, verify."""

    run: str
    phase: str
    attempt: int
    role: str
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    at: int = 0


@value
class SignOff:
    """A person has looked at what people see."""

    run: str
    phase: str
    who: str
    channel: str
    at: int = 0


@value
class DriftFact:
    """A number of the plan that was otherwise, and what was decided."""

    run: str
    phase: str
    bullet: int
    field: str
    stated: str
    actual: str
    percent: float = 0.0
    decision: str = ""
    at: int = 0


@record
class History:
    """All facts of a plan that speak of runs, in the order of the ledger. `spent` are those of agents, as they are."""

    plan: str
    runs: list[RunFact]
    phases: list[PhaseFact]
    evidence: list[EvidenceFact]
    verdicts: list[VerdictFact]
    sign_offs: list[SignOff]
    drift: list[DriftFact]
    adopted: tuple[str, ...]
    spent: list[Mapping[str, object]]


def judge_phases(phases: Iterable[PhaseFact], evidence: Iterable[EvidenceFact]) -> dict[str, PhaseFact]:
    """The latest word on each phase. One that says done without evidence for it is `claimed`."""
    known = {(fact.phase, fact.hash) for fact in evidence if fact.proves}
    latest = {fact.phase: fact for fact in phases}
    return {
        name: replace(fact, state=CLAIMED) if fact.is_done and (name, fact.evidence) not in known else fact
        for name, fact in latest.items()
    }
