"""Divergences on a screen: what could not be read first, then how many of each kind, and the lines where they fit."""

from planrail.cli.screen import clip, paint, plural, say
from planrail.tasks.importing.divergences import UNREAD, count_kinds, name_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from planrail.tasks.importing.divergences import Divergence

SCREEN = 20  # lines
_UNREAD = 5  # of those about files
_WIDTH = 160


def print_divergences(divergences: "Sequence[Divergence]", *, all_of_them: str, with_first: bool = False) -> None:
    """Divergences as far as they fit: more than a screen of them are counted, and `all_of_them` says where they are.

    `with_first`: the first of them follow the counts.
    """
    unread = [one for one in divergences if one.kind in UNREAD]
    others = [one for one in divergences if one.kind not in UNREAD]
    say(f"{plural(len(divergences), 'divergence')}:")
    if len(divergences) <= SCREEN:
        print_lines([*unread, *others])
        return
    print_lines(unread[:_UNREAD])
    print_counts(divergences)
    say(f"  all of them: {all_of_them}")
    if with_first:
        say("the first of them:")
        print_lines(others[:SCREEN])


def print_counts(divergences: "Sequence[Divergence]") -> None:
    """How many there are of each kind."""
    for kind, count in count_kinds(divergences).items():
        say(f"  {count:>6}  {name_kind(kind, count)}")


def print_lines(divergences: "Sequence[Divergence]") -> None:
    """The divergences, a line each, with what to do about them."""
    for one in divergences:
        remedy = paint(f"  → {one.remedy}", "dim") if one.remedy else ""
        say(f"  {clip(one.text, _WIDTH)}{remedy}")
