"""Criteria of a phase: as bullets that begin with a command, or as a block where a bullet could not carry it."""

from collections.abc import Sequence

from planrail.base.records import record
from planrail.plans.checks import read_checks
from planrail.plans.command_shapes import looks_runnable
from planrail.plans.reading import read
from planrail.plans.text.source import Source
from planrail.tasks.documents.texts import code_of, one_line

_PROBE = "# P\n\n### Phase 1: One [NOT STARTED]\n\n- [ ] do\n\n#### Acceptance Criteria\n\n"


@record
class Criterion:
    """A criterion as it is written: its bullet, and the command that stands in a block of its own, if it has to."""

    bullet: str
    block: str = ""
    checks: tuple[str, ...] = ()


def write_criteria(criteria: Sequence[tuple[str, str]]) -> list[Criterion]:
    """The criteria of a phase, as they are written; empty ones are left out."""
    return [_write(code_of(command), one_line(text)) for command, text in criteria if command.strip() or text.strip()]


def criteria_lines(criteria: Sequence[Criterion]) -> list[str]:
    """The lines under the heading of the criteria: the bullets, then the blocks."""
    lines = [f"- [ ] {criterion.bullet}" for criterion in criteria]
    for criterion in criteria:
        lines += _fenced(criterion.block) if criterion.block else []
    return lines


def _write(command: str, text: str) -> Criterion:
    if not command:
        return Criterion(text, checks=_checks_in(text))
    said, apart = (f"`{command}`{joint}{text or 'passes'}" for joint in (" ", " — "))
    can_be_bullet = not any(sign in command for sign in "`\n") and command == one_line(command)
    for bullet in (said, apart) if can_be_bullet else ():
        if _checks_in(bullet) == (command,):
            return Criterion(bullet, checks=(command,))
    if can_be_bullet and not _checks_in(said) and looks_runnable(command):
        return Criterion(said)  # without a check: its text expects a failure, a verifier judges
    return Criterion(text or "The check below passes", command, (*_checks_in(text), command))


def _checks_in(bullet: str) -> tuple[str, ...]:
    """The checks that planrail reads in a bullet."""
    phases = read(Source("plan.md", f"{_PROBE}- [ ] {bullet}\n")).phases
    return tuple(check.command for check in read_checks(list(phases[0].sections))) if phases else ()


def _fenced(command: str) -> list[str]:
    ticks = "```"
    while ticks in command:
        ticks += "`"
    return ["", f"{ticks}sh check", *command.split("\n"), ticks]
