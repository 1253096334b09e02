"""How phases of a run have ended, as its journal has it: who watches a run hears of steps, and not of their results."""

import json
import os

from planrail.base.run_model import Order, PhaseEnd
from planrail.base.values import unpack
from planrail.store.journal_lines import BEGUN
from planrail.store.journal_lines import NAME as JOURNAL
from planrail.store.runs.run_folders import read_journal, run_folder

_TAIL = 65_536  # bytes at the end of a journal in which the line is that was written a moment ago


def end_of(order: Order | None, key: str) -> str:
    """How a phase has ended just now, as the journal has it; "" where it does not say."""
    if order is None:
        return ""
    try:
        with open(os.path.join(run_folder(order.root, order.run), JOURNAL), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
            lines = [line for line in file.read().split(b"\n") if json.dumps(key).encode() in line]
        return _state_in(json.loads(lines[-1]).get("value"))
    except OSError:  # a team's journal is not in a file
        return ended_before(order).get(key, "")
    except (ValueError, IndexError, AttributeError):
        return ""


def ended_before(order: Order) -> dict[str, str]:
    """How phases of this run had ended before it was interrupted, by the keys of their last steps."""
    lines = read_journal(run_folder(order.root, order.run))
    ends = {line.key: _state_in(line.value) for line in lines if line.state != BEGUN and line.key.endswith("/end")}
    return {key: end for key, end in ends.items() if end not in ("", "failed")}


def _state_in(packed: object) -> str:
    try:
        found = unpack(packed)
    except (ValueError, RecursionError):  # what planrail has not written
        return ""
    return found.state if isinstance(found, PhaseEnd) else ""
