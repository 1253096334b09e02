"""What the ledger says of phases, held against what is checked out: a proof is of a commit, and that may be elsewhere.

A run in another worktree lands on another branch; a person merges what waited on one; a forge squashes a request. So a
word counts where its commit is in the history of HEAD: by its name, or by its trailers where it was rewritten.
"""

from collections.abc import Iterable, Mapping, Sequence

from planrail.base.records import replace
from planrail.git.git_writing import ask_git
from planrail.git.object_store import read_objects
from planrail.git.remotes.pushing import FETCHED, remote_of
from planrail.git.trailers import EVIDENCE, PHASE, PLAN, encode_value, read_history, read_trailers
from planrail.projects.plan_proofs import RECENT
from planrail.store.runs.run_history import CLAIMED, FINISHED, PhaseFact

ELSEWHERE = "elsewhere"  # it landed, on another branch than this one
TOLD = "told"  # a commit says that it landed, and there is no ledger that knows of it
CHANGED = "changed"  # it was proven, for another text than the plan has now
ON_THE_REMOTE = "remote"  # the reason of a phase that landed where nobody has pulled from yet
_ON_A_BRANCH = ("waiting", "pr-ready")


def settle(root: str, plan: str, states: Mapping[str, PhaseFact]) -> dict[str, PhaseFact]:
    """The facts as they are true here; a row that no commit speaks for is `claimed`. git is asked about commits."""
    asked = [fact for fact in states.values() if _is_of_a_commit(fact)]
    if not asked:
        return dict(states)
    said = _find_said(root, plan, asked)
    here = _find_here(root, plan, asked, said)
    rest = [fact for fact in asked if fact.phase not in here]
    landed = [fact for fact in rest if fact.is_done]
    remote = _find_on_remote(root, plan, landed) if landed else set()
    return dict(states) | {fact.phase: _judge(fact, here, said, remote) for fact in asked}


def hold_to_texts(states: Mapping[str, PhaseFact], texts: Mapping[str, str]) -> dict[str, PhaseFact]:
    """The facts, with those as `changed` that prove another text of their phase than it has now."""
    return {
        name: replace(fact, state=CHANGED)
        if fact.is_done and _is_other(proven_text(fact), texts.get(name, ""))
        else fact
        for name, fact in states.items()
    }


def proven_text(fact: PhaseFact) -> str:
    """The hash of the text that a fact is about; "" where that is not known."""
    return fact.text if fact.by == "session" else fact.canonical


def read_told(root: str, plan: str) -> dict[str, PhaseFact]:
    """What the commits say of a plan that the ledger does not know, in a fresh clone for one: a claim, no proof."""
    found = [landed for landed in reversed(read_history(root, "HEAD", RECENT)) if landed.plan == plan]
    return {one.phase: PhaseFact("", one.phase, 0, TOLD, commit=one.commit, at=one.at) for one in found}


def _is_of_a_commit(fact: PhaseFact) -> bool:
    """A run proves by its commit. Somebody who works by hand need not commit."""
    return bool(fact.commit) if fact.by == "session" else fact.state in (*FINISHED, *_ON_A_BRANCH)


def _is_other(proven: str, text: str) -> bool:
    return bool(proven and text and proven != text)


def _judge(fact: PhaseFact, here: Mapping[str, str], said: set[str], remote: set[str]) -> PhaseFact:
    if fact.phase in here:
        state = "landed" if fact.state in _ON_A_BRANCH else fact.state
        return replace(fact, state=state, commit=here[fact.phase])
    if not fact.is_done:
        return fact
    if fact.phase in remote:
        return replace(fact, reason=ON_THE_REMOTE)
    return replace(fact, state=ELSEWHERE) if fact.phase in said else replace(fact, state=CLAIMED, commit="")


def _find_said(root: str, plan: str, facts: list[PhaseFact]) -> set[str]:
    said = _say_landed(root, plan, [(fact.commit, fact.phase, fact.evidence) for fact in facts])
    return {fact.phase for fact, is_said in zip(facts, said, strict=True) if is_said}


def _find_here(root: str, plan: str, facts: list[PhaseFact], said: set[str]) -> dict[str, str]:
    named = {fact.phase: fact.commit for fact in facts if fact.phase in said}
    away = _list_away(root, named.values(), "HEAD")
    here = {phase: commit for phase, commit in named.items() if commit not in away}
    rest = [fact for fact in facts if fact.phase not in here]
    return here | _find_by_trailers(root, plan, rest, "HEAD") if rest else here


def _find_on_remote(root: str, plan: str, facts: list[PhaseFact]) -> set[str]:
    """The phases that landed where this branch is published, where planrail has fetched them and nobody has pulled."""
    branch = (ask_git(root, "symbolic-ref", "--quiet", "HEAD") or "").strip()
    upstream = remote_of(root, branch) if branch else None
    ref = f"{FETCHED}/{upstream.remote}/{upstream.branch}" if upstream is not None else ""
    if not ref or ask_git(root, "rev-parse", "--verify", "--quiet", ref) is None:
        return set()
    commits = {fact.commit for fact in facts if fact.commit.isalnum()}
    there = commits - _list_away(root, commits, ref)
    return {
        phase
        for commit in there
        for phase in _find_by_trailers(root, plan, [fact for fact in facts if fact.commit == commit], commit)
    }


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
    return [_names_landing(found.get(landing), plan, *landing[1:]) for landing in landings]


def _names_landing(stored: object, plan: str, phase: str, evidence: str) -> bool:
    if getattr(stored, "kind", "") != "commit":
        return False
    message = getattr(stored, "content", b"").partition(b"\n\n")[2].decode("utf-8", "surrogateescape")
    wanted = {(PLAN, encode_value(plan)), (PHASE, encode_value(phase)), (EVIDENCE, encode_value(evidence))}
    return wanted <= set(read_trailers(message))
