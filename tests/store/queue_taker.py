"""A process that takes from a queue until nothing is left: `python -m tests.store.queue_taker KIND PLACE WORKER`.

It prints the ids that it took, and the most that were at work of one repository and of one account when it took.
"""

import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from planrail.store.ledger import open_team_tables
from planrail.team.dispatch import Dispatch
from planrail.team.queueing import Rest
from tests.store.queue_stage import EMBEDDED, open_embedded

if TYPE_CHECKING:
    from planrail.store.tables import Tables

_AT_WORK = "SELECT {0}, COUNT(*) FROM submissions WHERE state IN ('taken', 'stopping') GROUP BY {0}"
_LEFT = "SELECT COUNT(*) FROM submissions WHERE state <> 'ended'"


def main(kind: str, place: str, worker: str) -> None:
    """Take, look, give back."""
    taken: list[str] = []
    most: dict[str, Counter[str]] = {"repository": Counter(), "account": Counter()}
    with open_embedded(Path(place)) if kind == EMBEDDED else open_team_tables(place) as tables:
        while tables.rows(_LEFT)[0][0]:
            found = Dispatch(tables).take(worker, "{}", "here")
            if found is None:
                time.sleep(0.002)
                continue
            taken.append(found.id)
            _count(tables, most)
            time.sleep(0.01)  # its turn: long enough for the others to come to a limit, and to see it
            Dispatch(tables).rest(found.id, worker, Rest("ended", 0.0, "", "phase_done"))
    print(json.dumps({"taken": taken, "most": most}))


def _count(tables: "Tables", most: dict[str, Counter[str]]) -> None:
    for kind, seen in most.items():
        seen |= Counter(dict(tables.rows(_AT_WORK.format(kind))))


if __name__ == "__main__":
    main(*sys.argv[1:])
