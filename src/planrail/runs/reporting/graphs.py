"""Which phases wait for which? A picture of a plan: a column for each wave, an arrow for each dependency. Pure."""

import textwrap
from collections.abc import Mapping, Sequence
from html import escape

from planrail.base.records import record
from planrail.base.visible import show_line

_WIDTH, _HEIGHT, _ACROSS, _DOWN, _EDGE = 190, 58, 56, 18, 10
_LINE = 26  # characters of a line in a box
_STYLE = """
  .n{fill:#f6f8fa;stroke:#818b98}.good{fill:#dafbe1;stroke:#1a7f37}.bad{fill:#ffebe9;stroke:#cf222e}
  .now{fill:#ddf4ff;stroke:#0969da}.g{font:12px ui-sans-serif,system-ui,sans-serif;fill:#1f2328}.s{fill:#59636e}
  .a{stroke:#59636e;fill:none;stroke-width:1.3}.h{fill:#59636e}
  @media (prefers-color-scheme:dark){.n{fill:#151b23;stroke:#656c76}.good{fill:#12261e;stroke:#3fb950}
  .bad{fill:#25171c;stroke:#f85149}.now{fill:#121d2f;stroke:#4493f8}.g{fill:#f0f6fc}.s{fill:#9198a1}
  .a{stroke:#9198a1}.h{fill:#9198a1}}
"""


@record
class GraphNode:
    """A phase as it is drawn. `mood` is `good`, `bad`, `now`, or "" for what was not begun."""

    id: str
    title: str
    state: str
    mood: str
    needs: tuple[str, ...]


def arrange(nodes: Sequence[GraphNode]) -> dict[str, tuple[int, int]]:
    """The column and the row of each: behind all that it waits for. A circle is cut where it closes."""
    known, columns = {node.id: node for node in nodes}, dict[str, int]()

    def column(name: str, above: frozenset[str]) -> int:
        if name not in columns:
            needs = [need for need in known[name].needs if need in known and need not in above]
            columns[name] = max((column(need, above | {name}) + 1 for need in needs), default=0)
        return columns[name]

    rows, places = dict[int, int](), dict[str, tuple[int, int]]()
    for node in nodes:
        at = column(node.id, frozenset([node.id]))
        places[node.id] = (at, rows.get(at, 0))
        rows[at] = rows.get(at, 0) + 1
    return places


def render_graph(title: str, nodes: Sequence[GraphNode]) -> str:
    places = arrange(nodes)
    columns, rows = (max((place[at] for place in places.values()), default=0) + 1 for at in (0, 1))
    width = 2 * _EDGE + columns * _WIDTH + (columns - 1) * _ACROSS
    height = 2 * _EDGE + rows * _HEIGHT + (rows - 1) * _DOWN
    name = _text(f"The phases of {title}, and what each waits for")
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    tip = '<path class="h" d="M0 0L8 4L0 8z"/>'
    marker = f'<marker id="tip" markerWidth="8" markerHeight="8" refX="8" refY="4" orient="auto">{tip}</marker>'
    parts = [f'{head} role="img" aria-label="{name}">', f"<style>{_STYLE}</style><defs>{marker}</defs>"]
    parts += [arrow for node in nodes for arrow in _arrows(node, places)]
    parts += [_box(node, *_corner(places[node.id])) for node in nodes]
    return "\n".join([*parts, "</svg>", ""])


def _corner(place: tuple[int, int]) -> tuple[int, int]:
    return _EDGE + place[0] * (_WIDTH + _ACROSS), _EDGE + place[1] * (_HEIGHT + _DOWN)


def _arrows(node: GraphNode, places: Mapping[str, tuple[int, int]]) -> list[str]:
    x, y = _corner(places[node.id])
    found = []
    for need in (need for need in dict.fromkeys(node.needs) if need in places and need != node.id):
        left, top = _corner(places[need])
        begin, end, middle = left + _WIDTH, top + _HEIGHT // 2, y + _HEIGHT // 2
        bend = (begin + x) // 2
        found.append(
            f'<path class="a" marker-end="url(#tip)" d="M{begin} {end}C{bend} {end} {bend} {middle} {x} {middle}"/>'
        )
    return found


def _box(node: GraphNode, x: int, y: int) -> str:
    lines = textwrap.wrap(f"{node.id} {show_line(node.title)}", _LINE, max_lines=2, placeholder=" …")
    texts = [
        f'<text class="g" x="{x + 10}" y="{y + 19 + 15 * at}">{_text(line)}</text>' for at, line in enumerate(lines)
    ]
    state = f'<text class="g s" x="{x + 10}" y="{y + _HEIGHT - 8}">{_text(node.state)}</text>'
    box = f'<rect class="{node.mood or "n"}" x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>'
    return f"<g><title>{_text(node.title)}: {_text(node.state)}</title>{box}{''.join(texts)}{state}</g>"


def _text(text: str) -> str:
    return escape(show_line(text), quote=True)
