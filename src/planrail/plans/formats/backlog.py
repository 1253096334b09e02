"""Backlog.md's tasks: the project's configuration lists the statuses that they can have, the last for what is done."""

import re

from planrail.base.patterns import pattern
from planrail.base.records import replace
from planrail.plans.model import Header
from planrail.plans.states import State
from planrail.plans.surroundings import Surroundings

_PLACES = ("../config.yml", "../../config.yml", "backlog.config.yml")
_STATUSES = pattern(r"^statuses[ \t]*:[ \t]*\[([^\]\n]*)\]", re.MULTILINE)


def settle_status(header: Header, surroundings: Surroundings) -> Header:
    """A task's status as its project means it: the last one is done, and a word that nobody knows is begun or not."""
    texts = (surroundings.read(place) for place in _PLACES)
    listed = next((found[1] for text in texts if text and (found := _STATUSES.search(text))), "")
    names = [name.strip(" \t\"'").lower() for name in listed.split(",")]
    name = header.text.strip().lower()
    if name not in names:
        return header
    if name == names[-1]:
        return replace(header, state=State.DONE)
    return replace(header, state=header.state or (State.TODO if name == names[0] else State.IN_PROGRESS))
