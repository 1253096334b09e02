"""How each status of a phase was spelled before planrail changed it, so that changing it back restores the bytes.

A convenience, not a fact: one small file for each plan in the user's state folder. Where it is missing or cannot be
written, planrail spells the status as the document does elsewhere.
"""

import hashlib
import json
import os

from planrail.base.json_reading import read_object
from planrail.base.state_folder import state_folder
from planrail.base.whole_files import read_whole, write_whole
from planrail.plans.states import State


def recall(path: str, phase: str, state: State) -> str | None:
    """The spelling that this status of this phase had; "" where it had no mark; None where nothing is known."""
    known = _load(path).get(phase, {})
    spelling = known.get(state) if isinstance(known, dict) else None
    return spelling if isinstance(spelling, str) else None


def remember(path: str, phase: str, state: State, spelling: str) -> None:
    """Keep the spelling that a status had. Failing to is no failure of the command."""
    memory = _load(path)
    known = memory.get(phase)
    memory[phase] = {**(known if isinstance(known, dict) else {}), state: spelling}
    place = _place(path)
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        write_whole(place, json.dumps(memory, ensure_ascii=False), durable=False)
    except OSError:
        return


def _place(path: str) -> str:
    name = hashlib.sha256(os.path.realpath(path).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return os.path.join(state_folder(), "spellings", f"{name}.json")


def _load(path: str) -> dict[str, object]:
    return read_object(read_whole(_place(path)) or b"")
