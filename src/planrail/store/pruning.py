"""Forgetting what nobody needs: the one way by which facts, texts, and the runs of a team leave the store.

What goes of a plan goes as one step, with a fact that says how much it was, when, and on whose word.
"""

import re
from collections.abc import Collection

from planrail.store.claims import FACT
from planrail.store.fact_rows import Ledger
from planrail.store.facts import Fact, new_id
from planrail.store.postgres.names import to_column

PRUNED = "pruned"  # the kind of that fact
_ASIDE = (PRUNED, FACT)  # what a prune itself puts on record: the claim of one that was killed is taken over
_NAMING = ("approval", "rejection", "request")  # the kinds of facts that name texts
_HASH = re.compile(r"[0-9a-f]{64}")


def list_ages(ledger: Ledger) -> dict[str, int]:
    """When something last happened to each plan that the ledger knows; 0 where all of that was forgotten."""
    where, values = _scope(ledger)
    newest = f"MAX(CASE WHEN kind IN ({_marks(_ASIDE)}) THEN 0 ELSE at END)"
    rows = ledger.rows(f"SELECT plan, {newest} FROM facts WHERE 1 = 1{where} GROUP BY plan", *_ASIDE, *values)
    return {str(plan): int(at) for plan, at in rows}


def list_forgettable(ledger: Ledger, plan: str, before: float, kinds: Collection[str] = ()) -> list[Fact] | None:
    """The facts of a plan that may go, all of them or those of some kinds; None where something happened since."""
    facts = ledger.facts(plan=plan)
    if any(fact.at >= before and fact.kind not in _ASIDE for fact in facts):
        return None
    return [fact for fact in facts if fact.at < before and (not kinds or fact.kind in kinds)]


def forget_plan(ledger: Ledger, plan: str, by: str, at: int, *, before: float, kinds: Collection[str] = ()) -> bool:
    """Forget all that is on record of a plan, or the facts of some kinds.

    False: something was put on record since, by a person or a run that came back to the plan, and nothing is forgotten.
    """
    with ledger.pruning():
        gone = list_forgettable(ledger, plan, before, kinds)
        if gone is None:
            return False
        where, values = _scope(ledger)
        ledger.change_listed(f"DELETE FROM facts WHERE id IN ({{}}){where}", [fact.id for fact in gone], *values)
        texts = _forget_texts(ledger, gone)
        runs = _forget_runs(ledger, plan) if not kinds else 0
        if runs or any(fact.kind != PRUNED for fact in gone):
            told = {"by": by, "before": int(before), "facts": len(gone), "texts": texts, "runs": runs}
            ledger.add(PRUNED, plan, told, id=f"{PRUNED}:{new_id()}", at=at)
    return True


def _forget_texts(ledger: Ledger, gone: Collection[Fact]) -> int:
    """Remove the texts that these facts named, and no fact of any repository names any more."""
    named = {hash for fact in gone if fact.kind in _NAMING for hash in _HASH.findall(str(fact.value))}
    if named:
        rows = ledger.rows(f"SELECT value FROM facts WHERE kind IN ({_marks(_NAMING)})", *_NAMING)
        named -= {hash for (value,) in rows for hash in _HASH.findall(str(value))}
    return ledger.change_listed("DELETE FROM texts WHERE hash IN ({})", sorted(named))


def _forget_runs(ledger: Ledger, plan: str) -> int:
    """Remove the runs of a plan from a team's rows; how many. One machine has them in folders."""
    if not ledger.is_shared:
        return 0
    named = (ledger.repository, to_column(plan))
    runs = "SELECT run FROM runs WHERE repository = ? AND plan = ?"
    ledger.change(f"DELETE FROM steps WHERE repository = ? AND run IN ({runs})", ledger.repository, *named)
    return ledger.change("DELETE FROM runs WHERE repository = ? AND plan = ?", *named)


def _scope(ledger: Ledger) -> tuple[str, tuple[object, ...]]:
    return (" AND repository = ?", (ledger.repository,)) if ledger.is_shared else ("", ())


def _marks(values: Collection[str]) -> str:
    return ", ".join("?" * len(values))
