"""Divergences on a screen: how many of each kind, and the lines themselves where they fit."""

from planrail.cli.screen import clip, paint, say
from planrail.tasks.importing.divergences import KINDS, count_kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from planrail.tasks.importing.divergences import Divergence

SCREEN = 20  # lines
_WIDTH = 160


def print_counts(divergences: "Sequence[Divergence]") -> None:
    """How many there are of each kind."""
    for kind, count in count_kinds(divergences).items():
        say(f"  {count:>6}  {KINDS.get(kind, kind)}")


def print_lines(divergences: "Sequence[Divergence]", most: int = SCREEN) -> None:
    """The divergences, a line each, with what to do about them."""
    for one in divergences[:most]:
        remedy = paint(f"  → {one.remedy}", "dim") if one.remedy else ""
        say(f"  {clip(one.text, _WIDTH)}{remedy}")
