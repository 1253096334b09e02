"""A plan as planrail reads it, for those who write or repair one and want to know what became of it."""

from planrail.base.errors import UnreadablePlan
from planrail.plans.text.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.plans.model import Plan


def read_plan(text: str) -> "Plan | None":
    """What a Markdown plan says; None where it cannot be read at all."""
    from planrail.plans.reading import read

    try:
        return read(Source("plan.md", text))
    except UnreadablePlan:
        return None
