"""What a plan says about itself as a whole, `- **Status**: [X]`: one marker changed, and not one other byte.

An approval does not hold the plan's own status, as long as it is one that the reader knows. So a plan shows the states
of a plan, not all those of its task: one that waits as a pull request is still being implemented.
"""

from planrail.base.errors import UnreadablePlan
from planrail.plans.canonical.owned import is_mark
from planrail.plans.model import Header
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource
from planrail.plans.words.marks import read_status
from planrail.tasks import statuses

_SHOWN = {
    statuses.RESEARCHING: statuses.NOT_STARTED,
    statuses.RESEARCHED: statuses.NOT_STARTED,
    statuses.PLANNING: statuses.NOT_STARTED,
    statuses.PLANNED: statuses.NOT_STARTED,
    statuses.PR_READY: statuses.IMPLEMENTING,
}


def set_header_status(text: str, status: str) -> str:
    """The plan with its own status as that of its task asks; as it was where it states none that could be changed."""
    try:
        header = read(PlanSource("plan.md", text)).header
    except UnreadablePlan:
        return text
    span = _locate(header) if header is not None and header.start >= 0 else None
    if span is None:
        return text
    start, end = span
    return text[:start] + _spell(status, text[start:end]) + text[end:]


def _locate(header: Header) -> tuple[int, int] | None:
    tag = header.text.partition("]")[0] if header.text.startswith("[") else header.text  # a date may follow it
    bare = tag.strip("[]* \t")
    stated = read_status(header.text)
    if is_mark(header.text) and bare and header.text.count(bare) == 1:
        start = header.start + header.text.index(bare)
        return start, start + len(bare)
    if stated is None or not is_mark(header.text[stated.start : stated.end]):
        return None
    return header.start + stated.start, header.start + stated.end


def _spell(status: str, old: str) -> str:
    name = status.lower().replace(" ", "_")
    words = statuses.marker(_SHOWN.get(name, name))
    return words.lower() if old == old.lower() != old.upper() else words
