"""Which sign-offs count: those of a person who could have seen something.

A process of the same user can write a row into the ledger. One that was there before pictures were taken, and before
the run asked anybody, is no person's word.
"""

import json
import os

from planrail.base.identity import safe_name
from planrail.store.fact_rows import Ledger
from planrail.store.places import replace_file
from planrail.store.runs.run_facts import SIGN_OFF


def note_early(ledger: Ledger, plan: str, run: str, phase: str, place: str) -> None:
    """Put down, before anybody is asked, which sign-offs of a phase are there already. The first word stays."""
    if os.path.exists(place):
        return
    os.makedirs(os.path.dirname(place), exist_ok=True)
    replace_file(place, json.dumps(_find(ledger, plan, run, phase)))


def is_signed(ledger: Ledger, plan: str, run: str, phase: str, place: str) -> bool:
    """Whether a person has signed off since then. Where nothing was put down, nobody was asked yet."""
    try:
        with open(place, encoding="utf-8") as file:
            early = set(json.load(file))
    except (OSError, ValueError, TypeError):
        return False
    return bool(set(_find(ledger, plan, run, phase)) - early)


def early_place(folder: str, phase: str, attempt: int, part: int) -> str:
    """Where that is put down, in the folder of a run."""
    return os.path.join(folder, f"signed-early-{safe_name(f'{phase}/{attempt}/{part}')}.json")


def _find(ledger: Ledger, plan: str, run: str, phase: str) -> list[str]:
    facts = ledger.facts(kind=SIGN_OFF, plan=plan)
    return [fact.id for fact in facts if (fact.value.get("run"), fact.value.get("phase")) == (run, phase)]
