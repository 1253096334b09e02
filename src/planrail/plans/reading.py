"""Reading any plan: the one entry to this package."""

from planrail.plans.markdown import read_markdown
from planrail.plans.model import Plan
from planrail.plans.source import Source


def read(source: Source) -> Plan:
    """The plan that a file holds, whatever tool it was written with or for."""
    return read_markdown(source)
