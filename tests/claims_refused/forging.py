"""What a forger needs: rows of the ledger and lines of a journal, written as planrail writes them.

    forge LEDGER RUN row KIND VALUE [ID]     a fact of the plan; VALUE is JSON
    forge LEDGER RUN line KEY VALUE          a step that has ended; VALUE is JSON

The forger is a process of the same user, so nothing keeps it from using planrail's own code.
"""

import json
import os
import sys
import time

from planrail.store.fact_rows import open_folder

PLAN = "plans/greeter.md"  # a plan is known by its path


def forge_row(ledger: str, kind: str, value: "dict[str, object]", name: str = "") -> None:
    """A row of the ledger."""
    with open_folder(ledger) as book:
        book.add(kind, PLAN, value, id=name or None, at=int(time.time()))


def forge_line(run: str, key: str, value: object) -> None:
    """A line of a run's journal."""
    line = {"at": time.time(), "key": key, "state": "ended", "value": value}
    with open(os.path.join(run, "journal.jsonl"), "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def main(ledger: str, run: str, what: str, *words: str) -> None:
    """Forge one thing."""
    if what == "row":
        forge_row(ledger, words[0], json.loads(words[1]), *words[2:])
    else:
        forge_line(run, words[0], json.loads(words[1]))


if __name__ == "__main__":
    main(*sys.argv[1:])
