"""Reading any plan: the one entry to this package."""

from planrail.plans.formats.dialects import find_dialect
from planrail.plans.model import Plan
from planrail.plans.surroundings import Surroundings
from planrail.plans.text.source import PlanSource


def read(source: PlanSource, surroundings: Surroundings | None = None) -> Plan:
    """The plan that a file holds, whatever tool it was written with or for.

    `surroundings` lets it hear the progress document that it names, and evidence where it marks nothing,
    or which tag of task-master's is worked on.
    """
    dialect = find_dialect(source.path)
    if dialect.read is not None:
        return dialect.read(source, surroundings)
    from planrail.plans.formats.markdown import read_markdown

    return read_markdown(source, dialect, surroundings, read)
