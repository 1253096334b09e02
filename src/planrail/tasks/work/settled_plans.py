"""Which phases has the plan of a task, and which were left out on purpose? Not what its file says by now.

A file can be edited by anybody at any time. What counts is the text that a person approved last; where nobody was
asked, the one that planrail ran last; and where neither happened, the one that is committed.
"""

import os

from planrail.approval.book import open_paper, read_book
from planrail.approval.model import Approval
from planrail.git.git import show_committed
from planrail.plans.model import Phase
from planrail.plans.reading import read
from planrail.plans.text.source import Source
from planrail.store.ledger import open_ledger
from planrail.store.runs.run_folders import list_runs


def settled_phases(root: str, place: str) -> list[Phase] | None:
    """The phases of that text; None where there is no such text, and the file is all that is known."""
    text = _approved_text(root, place) or _run_text(root, place) or _committed_text(root, place)
    return list(read(Source(place, text)).phases) if text else None


def _approved_text(root: str, place: str) -> str:
    said = [word for word in read_book(root, open_paper(place, root).id).history if isinstance(word, Approval)]
    if not said:
        return ""
    with open_ledger(root) as ledger:
        return ledger.text(said[-1].text) or ""


def _run_text(root: str, place: str) -> str:
    return next((run.text for run in list_runs(root, open_paper(place, root).id)), "")


def _committed_text(root: str, place: str) -> str:
    return show_committed(root, os.path.relpath(place, root)) or ""
