"""How a document is divided for approval: which parts belong to which unit, and which are left out."""

from collections.abc import Sequence

from planrail.base.records import record

REST = -1  # the owner of what belongs to no unit
LOG = -2  # the owner of the drift log


@record
class Span:
    """A part of the document and the index of the unit it belongs to."""

    start: int
    end: int
    owner: int


@record
class Division:
    """Which parts of a document belong to which unit, and which are left out. What no span covers is the rest."""

    units: Sequence[tuple[str, str]]  # key and title
    spans: "Sequence[Span]"  # in order, none over another
    cuts: Sequence[tuple[int, int]]
