"""Marking a phase as done in its document: its mark and the boxes of its work items, and not one other byte."""

from planrail.plans.edits import change_plan_status, change_status, leaves_others
from planrail.plans.reading import read
from planrail.plans.source import Source
from planrail.plans.states import PlanStatus, State
from planrail.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.plans.model import Phase

_TICKABLE = (State.TODO, State.IN_PROGRESS, State.PARTIAL)


@record
class Marked:
    """A text in which a phase is marked. `ticked` counts boxes; `was` and `spelling` are what its mark was."""

    text: str
    ticked: int
    was: State
    spelling: str | None  # None where there was no need to change the mark


def mark_done(source: Source, phase_id: str) -> Marked:
    """The text in which a phase is done. Raises `PlanrailError` where no single mark can say so."""
    ticked, count = _tick_items(source, phase_id)
    text = Source(source.path, ticked)
    plan = read(text)
    phase = plan.phase(phase_id)
    assert phase is not None  # boxes that are ticked change no names
    if phase.status is State.DONE:
        return Marked(ticked, count, phase.status, None)
    edit = change_status(text, plan, phase, State.DONE)
    return Marked(edit.apply(ticked), count, edit.was, edit.old)


def mark_complete(source: Source) -> str:
    """The text in which the plan says of itself that it is complete, if it says anything of itself."""
    plan = read(source)
    if plan.header is None or plan.header.state is State.DONE or plan.dialect != "markdown":
        return source.text
    return change_plan_status(source, plan, PlanStatus.COMPLETE).apply(source.text)


def _tick_items(source: Source, phase_id: str) -> tuple[str, int]:
    """The text with the open boxes of a phase's work items ticked, and their number.

    Boxes that say blocked or skipped were closed by somebody who meant it. The text is read again: where ticking would
    change the state of another phase, no box is touched.
    """
    plan = read(source)
    phase = plan.phase(phase_id)
    places = _open_boxes(phase) if phase is not None and plan.dialect == "markdown" else []
    tick = "X" if "[X]" in source.text and "[x]" not in source.text else "x"
    text = source.text
    for start, end in sorted(places, reverse=True):
        text = text[:start] + tick + text[end:]
    if not leaves_others(plan, read(Source(source.path, text)), phase_id):
        return source.text, 0
    return text, len(places)


def _open_boxes(phase: "Phase") -> list[tuple[int, int]]:
    """The spans of what stands in the open boxes."""
    from planrail.plans.blocks import Item

    boxed = [item for item in phase.items if isinstance(item, Item) and item.box is not None]
    return [(item.box_start, item.box_start + len(item.box or "")) for item in boxed if item.state in _TICKABLE]
