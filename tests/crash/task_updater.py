"""A process that changes tasks as commands do: `python -m tests.crash.task_updater ROOT NAME FIRST LAST TASKS`.

Each update is named `NAME-COUNT`, and told on standard output once it is done. With `read` for a name it reads the
views instead, all the time until it is asked to stop, and tells what it could not read.
"""

import json
import os
import random
import signal
import sys
import time

from planrail.base.records import replace
from planrail.tasks.book.task_rows import Note, open_book
from planrail.tasks.book.task_views import write_views
from planrail.tasks.model import Task

STATES = ("researching", "researched", "planning", "planned")
DONE = "updates"  # in `extra`: the names of all updates of a task


def main(root: str, name: str, first: str, last: str, tasks: str) -> None:
    """Update or read."""
    if name == "read":
        read(root)
        return
    chance = random.Random(f"{name} {first}")
    for count in range(int(first), int(last)):
        update(root, f"{name}-{count}", chance.randint(1, int(tasks)), chance)
        os.write(1, f"{name}-{count}\n".encode())


def update(root: str, name: str, number: int, chance: random.Random) -> None:
    """One command: change a task in the ledger, then let the views follow."""

    def decide(task: Task) -> Task:
        done = task.extra.get(DONE, [])
        assert isinstance(done, list)
        return replace(task, status=chance.choice(STATES), extra={**task.extra, DONE: [*done, name]})

    with open_book(root) as book:
        book.change(number, decide, Note("updated", name, time.time()))
    written = write_views(root)
    assert (written.kept, written.problems) == ((), ()), written


def read(root: str) -> None:
    """Read both views until a signal comes, and say how often, and what was wrong with them."""
    stopped: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: stopped.append(number))
    wrong: list[str] = []
    count = 0
    os.write(1, b"reading\n")
    while not stopped:
        wrong += [str(error) for error in (look(root),) if error]
        count += 1
        time.sleep(0.002)
    print(json.dumps({"reads": count, "wrong": wrong[:5]}))


def look(root: str) -> str:
    """What is wrong with the views now; "" where nothing is."""
    try:
        with open(os.path.join(root, "specs", "state.json"), encoding="utf-8") as file:
            document = json.load(file)
        numbers = [entry["project_number"] for entry in document["active_projects"]]
        with open(os.path.join(root, "specs", "TODO.md"), encoding="utf-8") as file:
            text = file.read()
    except (OSError, ValueError, KeyError) as error:
        return repr(error)
    sections = text.partition("\n## Tasks\n\n")[2].split("\n---\n\n")
    shown = [int(section.split(". ", 1)[0].removeprefix("### ")) for section in sections]
    return "" if shown == numbers[::-1] and text.endswith("\n") else f"{numbers} and {shown}"


if __name__ == "__main__":
    main(*sys.argv[1:])
