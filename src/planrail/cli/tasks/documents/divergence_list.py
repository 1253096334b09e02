"""Divergences on a screen: what could not be read first, then how many of each kind, and the lines where they fit."""

from collections.abc import Iterator, Sequence

from planrail.base.wording import clip, paint, plural
from planrail.tasks.importing.model import UNREAD, Divergence, count_kinds, name_kind

SCREEN = 20  # lines
_UNREAD = 5  # of those about files
_WIDTH = 160


def render_divergences(
    divergences: Sequence[Divergence], *, all_of_them: str, with_first: bool = False
) -> Iterator[str]:
    """Divergences as far as they fit: more than a screen of them are counted, and `all_of_them` says where they are.

    `with_first`: the first of them follow the counts.
    """
    unread = [one for one in divergences if one.kind in UNREAD]
    others = [one for one in divergences if one.kind not in UNREAD]
    yield f"{plural(len(divergences), 'divergence')}:"
    if len(divergences) <= SCREEN:
        yield from map(_render, (*unread, *others))
        return
    yield from map(_render, unread[:_UNREAD])
    for kind, count in count_kinds(divergences).items():
        yield f"  {count:>6}  {name_kind(kind, count)}"
    yield f"  all of them: {all_of_them}"
    if with_first:
        yield from ("the first of them:", *map(_render, others[:SCREEN]))


def _render(one: Divergence) -> str:
    return f"  {clip(one.text, _WIDTH)}{paint(f'  → {one.remedy}', 'dim') if one.remedy else ''}"
