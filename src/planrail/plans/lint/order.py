"""The rule about order: simplest first, so that a phase stands after all that it depends on."""

import re
from collections.abc import Iterator

from planrail.plans.lint.document import Document
from planrail.plans.lint.problems import Problem, Severity
from planrail.plans.model import Phase
from planrail.plans.units.units import id_key


def find_late_dependencies(document: Document) -> Iterator[Problem]:
    """Each open phase that depends on an open one further down: who works from the top gets stuck."""
    return _find(document, Severity.WARNING)


def find_order_broken(document: Document) -> Iterator[Problem]:
    """The same as errors, where a plan is held to the principles."""
    return _find(document, Severity.ERROR)


def _find(document: Document, severity: Severity) -> Iterator[Problem]:
    if not document.is_markdown:
        return  # the files of other tools are sorted by number or by status, and not meant to be read from the top
    phases = {phase.id: phase for phase in document.plan.phases}
    places = {phase.id: at for at, phase in enumerate(document.plan.phases)}
    for phase in document.plan.phases:
        for name in phase.depends_on:
            later = phases.get(name)
            if (
                later
                and places[name] > places[phase.id]
                and _is_late(phase, later)
                and not _waits(later, phase, phases)
            ):
                message = f"phase {phase.id} depends on phase {name}, which stands after it: put {name} first"
                yield Problem("late-dependency", severity, _line(phase, name), message)


def _is_late(phase: Phase, later: Phase) -> bool:
    """Whether the other is to be done, and described, after the phase; not where it is a part of it."""
    is_open = not phase.status.is_terminal and not later.status.is_terminal
    is_part = later.first_line <= phase.last_line or id_key(later.id).startswith(f"{id_key(phase.id)}.")
    return is_open and later.first_line > phase.first_line and not is_part


def _waits(one: Phase, other: Phase, phases: dict[str, Phase]) -> bool:
    """Whether a phase waits for the other in turn: a circle has no right order, and is a problem of its own."""
    pending, seen = [one.id], {one.id}
    while pending:
        for name in phases[pending.pop()].depends_on:
            if name == other.id:
                return True
            if name in phases and name not in seen:
                seen.add(name)
                pending.append(name)
    return False


def _line(phase: Phase, name: str) -> int:
    """The line that states the dependency, else the phase's own."""
    named = re.compile(rf"(?<![\w.]){re.escape(name)}(?![\w]|\.\d)")
    stated = [block for section in phase.sections for block in section.needs or ()]
    return next((block.line for block in stated if named.search(block.text)), phase.first_line)
