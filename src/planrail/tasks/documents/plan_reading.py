"""A plan as planrail reads it, for those who write or repair one and want to know what became of it."""

from planrail.base.errors import UnreadablePlan
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.text.source import Source


def read_plan(text: str) -> Plan | None:
    """What a Markdown plan says; None where it cannot be read at all."""
    try:
        return read(Source("plan.md", text))
    except UnreadablePlan:
        return None
