"""Reading from the ledger what is known of a plan's phases, held against what is checked out. Nothing is written.

A run in another worktree lands on another branch; a person merges what waited on one; a forge squashes a request. So a
word counts where its commit is in the history of HEAD: by its name, or by its trailers where it was rewritten. What was
proven in a session need not be committed: it counts as long as its work was not undone.
"""

import contextlib
import os
import time
from collections.abc import Iterable, Mapping, Sequence

from planrail.approval.book import PlanFile, find_root, identify
from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.git.git_writing import ask_git
from planrail.git.object_store import read_objects
from planrail.git.trailers import EVIDENCE, PHASE, PLAN, encode_value, read_history, read_trailers
from planrail.git.undone_work import TreeChange, list_undone
from planrail.plans.canonical.canonical import canonicalise
from planrail.plans.editing.corrections import undo_corrections
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.states import ProofKind
from planrail.plans.text.source import PlanSource
from planrail.projects.plan_proofs import RECENT, KnownProofs, PhaseRecord
from planrail.store import claim_rules
from planrail.store.claim_rules import Claim
from planrail.store.fact_rows import Ledger
from planrail.store.ledger import open_store
from planrail.store.runs.run_facts import adopted, phase_states
from planrail.store.runs.run_history import CLAIMED, FINISHED, PhaseFact

ELSEWHERE = "elsewhere"  # it landed, on another branch than this one
TOLD = "told"  # a commit says that it landed, and there is no ledger that knows of it
CHANGED = "changed"  # it was proven, for another text than the plan has now
ON_THE_REMOTE = "remote"  # the reason of a phase that landed where nobody has pulled from yet
UNDONE = "undone"  # it was proven in a session, and its files are as they were before
_ON_A_BRANCH = ("waiting", "pr-ready")


def settle(root: str, plan: str, states: Mapping[str, PhaseFact]) -> dict[str, PhaseFact]:
    """The facts as they are true here; a row that no commit speaks for is `claimed`. git is asked about commits."""
    states = _mark_undone(states)
    of_commits = (*FINISHED, *_ON_A_BRANCH)
    asked = [one for one in states.values() if (one.commit if one.by == "session" else one.state in of_commits)]
    if not asked:
        return dict(states)
    says = _say_landed(root, plan, [(fact.commit, fact.phase, fact.evidence) for fact in asked])
    said = {fact.phase for fact, is_said in zip(asked, says, strict=True) if is_said}
    named = {fact.phase: fact.commit for fact in asked if fact.phase in said}
    away = _list_away(root, named.values(), "HEAD")
    here = {phase: commit for phase, commit in named.items() if commit not in away}
    rest = [fact for fact in asked if fact.phase not in here]
    here |= _find_by_trailers(root, plan, rest, "HEAD") if rest else {}
    landed = [fact for fact in rest if fact.is_done and fact.phase not in here]
    remote = _find_on_remote(root, plan, landed) if landed else set()
    return dict(states) | {fact.phase: _judge(fact, here, said, remote) for fact in asked}


def _mark_undone(states: Mapping[str, PhaseFact]) -> dict[str, PhaseFact]:
    """The facts, with those as `undone` that speak of work which nobody committed, and which is not there any more."""
    by_hand = [one for one in states.values() if one.by == "session" and one.is_done and not one.commit and one.began]
    by_hand.sort(key=lambda one: one.at)
    found: dict[str, PhaseFact] = {}
    for root in {one.root for one in by_hand if os.path.exists(os.path.join(one.root, ".git"))}:
        here = [one for one in by_hand if one.root == root]
        works = [TreeChange(one.began, one.tree, one.base, one.files) for one in here]
        undone = (one for one, is_undone in zip(here, list_undone(root, works), strict=True) if is_undone)
        found |= {one.phase: replace(one, state=UNDONE) for one in undone}
    return dict(states) | found


def hold_to_texts(states: Mapping[str, PhaseFact], texts: Mapping[str, str]) -> dict[str, PhaseFact]:
    """The facts, with those as `changed` that prove another text of their phase than it has now."""
    done = [(name, fact, proven_text(fact), texts.get(name, "")) for name, fact in states.items() if fact.is_done]
    others = [(name, fact) for name, fact, proven, text in done if proven and text and proven != text]
    return dict(states) | {name: replace(fact, state=CHANGED) for name, fact in others}


def proven_text(fact: PhaseFact) -> str:
    """The hash of the text that a fact is about; "" where that is not known."""
    return fact.text if fact.by == "session" else fact.canonical


def read_told(root: str, plan: str) -> dict[str, PhaseFact]:
    """What the commits say of a plan that the ledger does not know, in a fresh clone for one: a claim, no proof."""
    found = [landed for landed in reversed(read_history(root, "HEAD", RECENT)) if landed.plan == plan]
    return {one.phase: PhaseFact("", one.phase, 0, TOLD, commit=one.commit, at=one.at) for one in found}


def _judge(fact: PhaseFact, here: Mapping[str, str], said: set[str], remote: set[str]) -> PhaseFact:
    if fact.phase in here:
        state = "landed" if fact.state in _ON_A_BRANCH else fact.state
        return replace(fact, state=state, commit=here[fact.phase])
    if not fact.is_done:
        return fact
    if fact.phase in remote:
        return replace(fact, reason=ON_THE_REMOTE)
    return replace(fact, state=ELSEWHERE) if fact.phase in said else replace(fact, state=CLAIMED, commit="")


def _find_on_remote(root: str, plan: str, facts: list[PhaseFact]) -> set[str]:
    """The phases that landed where this branch is published, where planrail has fetched them and nobody has pulled."""
    from planrail.git.remotes.pushing import FETCHED, remote_of  # an agent may wait, and most often it is not needed

    branch = (ask_git(root, "symbolic-ref", "--quiet", "HEAD") or "").strip()
    upstream = remote_of(root, branch) if branch else None
    ref = f"{FETCHED}/{upstream.remote}/{upstream.branch}" if upstream is not None else ""
    if not ref or ask_git(root, "rev-parse", "--verify", "--quiet", ref) is None:
        return set()
    commits = {fact.commit for fact in facts if fact.commit.isalnum()}
    there = commits - _list_away(root, commits, ref)
    groups = {commit: [fact for fact in facts if fact.commit == commit] for commit in there}
    return {phase for at, found in groups.items() for phase in _find_by_trailers(root, plan, found, at)}


def _find_by_trailers(root: str, plan: str, facts: list[PhaseFact], ref: str) -> dict[str, str]:
    wanted = {(fact.phase, encode_value(fact.evidence)) for fact in facts if fact.evidence}
    found = [landed for landed in read_history(root, ref, RECENT) if landed.plan == plan] if wanted else []
    return {one.phase: one.commit for one in found if (one.phase, encode_value(one.evidence)) in wanted}


def _list_away(root: str, commits: Iterable[str], place: str) -> set[str]:
    """Those of the commits that are not in the history of a place; all of them where git cannot say, or lacks one."""
    asked = sorted(commits)
    if not asked:
        return set()
    answer = ask_git(root, "rev-list", *asked, "--not", place)
    return set(asked if answer is None else answer.split()) & set(asked)


def _say_landed(root: str, plan: str, landings: Sequence[tuple[str, str, str]]) -> list[bool]:
    """For each (commit, phase, evidence), in their order, whether that commit is there and names them."""
    known = [landing for landing in landings if landing[0].isalnum()]
    found = dict(zip(known, read_objects(root, [commit for commit, _, _ in known]), strict=True))
    said = []
    for landing in landings:
        stored, (_, phase, evidence) = found.get(landing), landing
        message = getattr(stored, "content", b"").partition(b"\n\n")[2].decode("utf-8", "surrogateescape")
        wanted = {(PLAN, encode_value(plan)), (PHASE, encode_value(phase)), (EVIDENCE, encode_value(evidence))}
        said.append(getattr(stored, "kind", "") == "commit" and wanted <= set(read_trailers(message)))
    return said


_AT_WORK = ("in_progress", "verified")


def read_known(path: str, plan: Plan, text: str) -> KnownProofs:
    """What the ledger says of a plan that was read from this path, as far as it is true of what is checked out.

    A ledger that cannot be read says nothing; where it does not know the plan, the commits are heard.
    """
    import sqlite3

    root = find_root(path)
    try:
        name = identify(path, root, plan, text)
        store = open_store(root)
        with store.look() or contextlib.nullcontext() as ledger:
            return _known(root, name, ledger, store.claims.live_holder(claim_rules.PLAN, name))
    except (sqlite3.Error, OSError, PlanrailError):
        return KnownProofs({})


def hash_phases(proven: Mapping[str, str], plan: Plan, text: str) -> dict[str, str]:
    """The hashes of the phases as they are now; none where nothing was proven for a text, since it takes a while.

    `proven` has the hash that each phase was proven for: planrail's own corrections of numbers since then do not count.
    """
    if not any(proven.values()):
        return {}
    found = {phase.key: phase.hash for phase in canonicalise(plan, text).phases}
    if "Auto-corrected" not in text:
        return found
    before, _ = undo_corrections(text, plan)
    phases = canonicalise(read(PlanSource(plan.path, before)), before).phases
    return found | {phase.key: phase.hash for phase in phases if proven.get(phase.key) == phase.hash}


def _known(root: str, name: str, ledger: Ledger | None, claim: Claim | None) -> KnownProofs:
    held = f"{claim.owner.run or claim.owner.id}, since {_time(claim.started_at)}" if claim is not None else ""
    held = f"{'run' if claim is not None and claim.owner.run else 'held by'} {held}" if held else ""
    states, words = {}, {}
    if ledger is not None:
        states = settle(root, name, phase_states(ledger, name))
        words = {phase: PhaseRecord(ProofKind.ADOPTED, "adopted") for phase in adopted(ledger, name)}
    states = states or read_told(root, name)
    words |= {phase: word for phase, fact in states.items() if (word := _word(fact)) is not None}
    run = claim.owner.run if claim is not None else ""  # it holds the plan, and may be at work on phases
    mine = {phase: fact for phase, fact in states.items() if run and fact.run == run and fact.state in _AT_WORK}
    live = {phase: f"run {run}, since {_time(fact.at)}" for phase, fact in mine.items()}
    return KnownProofs(words, live, held)


def _word(fact: PhaseFact) -> PhaseRecord | None:
    commit = fact.commit[:10]
    if fact.state == TOLD:
        return PhaseRecord(ProofKind.CLAIMED, f"commit {commit} says that it landed")
    if fact.state == ELSEWHERE:
        return PhaseRecord(
            ProofKind.CLAIMED, f"it landed elsewhere: commit {commit} is not on this branch", makes_done=False
        )
    if fact.state == UNDONE:
        return PhaseRecord(ProofKind.CLAIMED, f"{_how(fact)}, and its work was undone since", reopens=True)
    if not fact.is_done:
        return None
    where = f", commit {commit}" if commit else ""
    pull = "; landed on the remote, not here yet" if fact.reason == ON_THE_REMOTE else ""
    return PhaseRecord(ProofKind.PROVEN, f"{_how(fact)}{where}{pull}", proven_text(fact))


def _how(fact: PhaseFact) -> str:
    how = "proven in a session" if fact.by == "session" else f"run {fact.run}"
    return f"{how}, {_time(fact.at)[:10]}"


def _time(at: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


def hold_facts(plan_file: PlanFile, facts: dict[str, PhaseFact]) -> dict[str, PhaseFact]:
    """The facts as they are true of what is checked out and of the text that the plan has now."""
    if not os.path.exists(os.path.join(plan_file.root, ".git")):
        return facts
    if not facts:
        return read_told(plan_file.root, plan_file.id)
    settled = settle(plan_file.root, plan_file.id, facts)
    texts = {phase.key: phase.hash for phase in plan_file.canonical.phases}
    if "Auto-corrected" in plan_file.source.text:
        proven = {name: proven_text(fact) for name, fact in settled.items()}
        texts |= hash_phases(proven, plan_file.plan, plan_file.source.text)
    return hold_to_texts(settled, texts)
