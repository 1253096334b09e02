"""What the ledger knows of runs: facts are added under a key, so that said twice is said once, and are read back typed.

Secrets of known shapes are masked on the way in.
"""

import json
import os
from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import TypeVar

from planrail.base.budgets import Spent
from planrail.base.budgets import spent as add_up
from planrail.base.identity import safe_name
from planrail.base.masking import mask
from planrail.base.run_model import DriftRecord, Evidence
from planrail.base.values import pack, unpack
from planrail.store.fact_rows import Ledger
from planrail.store.facts import Fact
from planrail.store.places import replace_file
from planrail.store.runs import run_history as model
from planrail.store.runs.run_history import EvidenceFact, History, PhaseFact, RunFact

AnyFact = RunFact | PhaseFact | EvidenceFact | model.VerdictFact | model.SpentFact | model.SignOff | model.DriftFact
RUN, PHASE, SPENT, ADOPTION, SIGN_OFF = "run", "phase", "spent", "adoption", "sign_off"
_KINDS: dict[type, str] = {
    RunFact: RUN,
    PhaseFact: PHASE,
    EvidenceFact: "evidence",
    model.VerdictFact: "verdict",
    model.SpentFact: SPENT,
    model.SignOff: SIGN_OFF,
    model.DriftFact: "drift",
}
_NAMES = (
    "run",
    "phase",
    "attempt",
    "base",
    "tree",
    "began",
    "root",
    "commit",
    "hash",
    "evidence",
    "phases",
)  # exact, never secret


# ---- adding ----


def add_fact(ledger: Ledger, plan: str, fact: AnyFact, *, key: str, at: int) -> None:
    """Something happened. `key` makes it happen once: a phase that is paused a second time needs another one."""
    names = [name for name in fact.__slots__ if name != "at"]  # type: ignore[union-attr]
    packed = {name: pack(getattr(fact, name)) for name in names}
    listed = {name: field["~tuple"] for name, field in packed.items() if isinstance(field, dict) and "~tuple" in field}
    _add(ledger, _KINDS[type(fact)], plan, {**packed, **listed}, key, at)


def add_adoption(ledger: Ledger, plan: str, phases: Iterable[str], by: str, *, key: str, at: int) -> None:
    """A person confirmed phases that were done before planrail's first run."""
    _add(ledger, ADOPTION, plan, {"phases": list(phases), "by": by}, key, at)


def drift_fact(run: str, record: DriftRecord, percent: float, decision: str) -> model.DriftFact:
    return model.DriftFact(
        run, record.phase, record.bullet, record.field, record.stated, record.actual, percent, decision
    )


def evidence_fact(run: str, phase: str, attempt: int, found: Evidence, hash: str, commit: str = "") -> EvidenceFact:
    return EvidenceFact(run, phase, attempt, found.tree, hash, commit, found.runs, found.findings)


# ---- reading ----


def read_history(ledger: Ledger, plan: str) -> History:
    facts = ledger.facts(plan=plan)
    return History(
        plan,
        _typed(facts, RunFact),
        _typed(facts, PhaseFact),
        _typed(facts, EvidenceFact),
        _typed(facts, model.VerdictFact),
        _typed(facts, model.SignOff),
        _typed(facts, model.DriftFact),
        adopted_in(facts),
        [fact.value for fact in facts if fact.kind == SPENT],
    )


def last_event(ledger: Ledger, plan: str, run: str) -> RunFact | None:
    """What happened last to a run as a whole; None where nothing is on record."""
    own = [fact for fact in _typed(ledger.facts(RUN, plan), RunFact) if fact.run == run]
    return own[-1] if own else None


def phase_states(ledger: Ledger, plan: str) -> dict[str, PhaseFact]:
    """The latest word on each phase. One that says done without evidence that the ledger has is `claimed`."""
    evidence = _typed(ledger.facts(_KINDS[EvidenceFact], plan), EvidenceFact)
    return model.judge_phases(_typed(ledger.facts(PHASE, plan), PhaseFact), evidence)


def spent(ledger: Ledger, plan: str, *, run: str = "", phase: str = "", attempt: int = 0) -> Spent:
    """What was used for a plan so far; of one run, phase, attempt where they are named."""
    return add_up((fact.value for fact in ledger.facts(SPENT, plan)), run=run, phase=phase, attempt=attempt)


def adopted(ledger: Ledger, plan: str) -> tuple[str, ...]:
    return adopted_in(ledger.facts(plan=plan))


def adopted_in(facts: Iterable[Fact]) -> tuple[str, ...]:
    """The same from the facts of a plan, in their order. Adopted is what was done before planrail's first phase: a
    later word is nobody's, since by then an agent may have been at work."""
    before = takewhile(lambda fact: fact.kind != PHASE, facts)
    lists = [fact.value.get("phases") for fact in before if fact.kind == ADOPTION]
    return tuple(dict.fromkeys(str(name) for names in lists if isinstance(names, list) for name in names))


# ---- sign-offs ----
# Only those count of a person who could have seen something. A process of the same user can write a row into the
# ledger: one that was there before pictures were taken, and before the run asked a person, is no person's word.


def note_early(ledger: Ledger, plan: str, run: str, phase: str, place: str) -> None:
    """Put down, before a person is asked, which sign-offs of a phase are there already. The first word stays."""
    if os.path.exists(place):
        return
    os.makedirs(os.path.dirname(place), exist_ok=True)
    replace_file(place, json.dumps(_find_sign_offs(ledger, plan, run, phase)))


def is_signed(ledger: Ledger, plan: str, run: str, phase: str, place: str) -> bool:
    """Whether a person has signed off since then. Where nothing was put down, nobody was asked yet."""
    try:
        with open(place, encoding="utf-8") as file:
            early = set(json.load(file))
    except (OSError, ValueError, TypeError):
        return False
    return bool(set(_find_sign_offs(ledger, plan, run, phase)) - early)


def early_place(folder: str, phase: str, attempt: int, part: int) -> str:
    return os.path.join(folder, f"signed-early-{safe_name(f'{phase}/{attempt}/{part}')}.json")


def _find_sign_offs(ledger: Ledger, plan: str, run: str, phase: str) -> list[str]:
    facts = ledger.facts(kind=SIGN_OFF, plan=plan)
    return [fact.id for fact in facts if (fact.value.get("run"), fact.value.get("phase")) == (run, phase)]


# ---- the means ----


def _add(ledger: Ledger, kind: str, plan: str, fields: Mapping[str, object], key: str, at: int) -> None:
    kept = {name: field if name in _NAMES else _masked(field) for name, field in fields.items()}
    ledger.add(kind, plan, kept, id=f"{kind}:{key}", at=at)


def _masked(thing: object) -> object:
    if isinstance(thing, str):
        return mask(thing)
    if isinstance(thing, list):
        return [_masked(part) for part in thing]
    if isinstance(thing, dict):
        return {name: _masked(part) for name, part in thing.items()}
    return thing


def read_fact(fact: Fact) -> AnyFact | None:
    """A fact of a run, typed; None for those of other things, and for what planrail has not written."""
    kind = next((kind for kind, name in _KINDS.items() if name == fact.kind), None)
    return _one(fact, kind) if kind is not None else None


T = TypeVar("T")


def _typed(facts: Iterable[Fact], kind: type[T]) -> list[T]:
    """The facts that say what they must say; others were not written by planrail, and say nothing."""
    found = (_one(fact, kind) for fact in facts if fact.kind == _KINDS[kind])
    return [fact for fact in found if fact is not None]


def _one(fact: Fact, kind: type[T]) -> T | None:
    names: tuple[str, ...] = kind.__slots__  # type: ignore[attr-defined]
    try:
        fields = {name: unpack(fact.value[name]) for name in names if name in fact.value}
        listed = {name: tuple(field) for name, field in fields.items() if isinstance(field, list)}
        made = kind(**{**fields, **listed, "at": fact.at})
    except (TypeError, ValueError, RecursionError):
        return None
    plain = [name for name in names if kind.__annotations__[name] in (str, int)]  # a row may be of another's hand
    return made if all(type(getattr(made, name)) is kind.__annotations__[name] for name in plain) else None
