"""When did a run do what? A picture for the report, and bars of text for a terminal. Pure.

Times in which nothing was done (a night, a pause) are cut short, and the cut is shown.
"""

from collections.abc import Sequence
from html import escape

from planrail.base.records import record
from planrail.base.wording import clip
from planrail.store.journal_lines import WAITING as WAITS
from planrail.store.journal_lines import Step, render_time

AGENT, CHECKS, VERIFIER, LANDING, WAITING, OTHER = "agent", "checks", "verifier", "landing", "waiting", "other"
KINDS = {
    "implement": AGENT,
    "fix": AGENT,
    "measure": CHECKS,
    "baseline": CHECKS,
    "checks": CHECKS,
    "prove": CHECKS,
    "verify_all": CHECKS,
    "verify": VERIFIER,
    "candidate": LANDING,
    "land": LANDING,
    "publish": LANDING,
    "merge": LANDING,
    **dict.fromkeys(WAITS, WAITING),
}
_COLOURS = {
    AGENT: "#4078c0",
    CHECKS: "#2da44e",
    VERIFIER: "#8250df",
    LANDING: "#bf8700",
    WAITING: "#afb8c1",
    OTHER: "#6e7781",
}
_SIGNS = {AGENT: "█", CHECKS: "▓", VERIFIER: "▒", LANDING: "▚", WAITING: "·", OTHER: "░"}
_WIDTH, _LEFT, _ROW, _TOP, _BOTTOM = 900, 200, 26, 34, 34
_GAP_SHARE, _CUT_SHARE, _LEAST_GAP = 0.25, 0.04, 60.0
_MARKS = 5
_STYLE = """
  .t{font:12px ui-sans-serif,system-ui,sans-serif;fill:#1f2328}.d{fill:#59636e}.l{stroke:#d1d9e0;stroke-width:1}
  .c{stroke:#59636e;stroke-dasharray:2 3}
  @media (prefers-color-scheme:dark){.t{fill:#f0f6fc}.d{fill:#9198a1}.l{stroke:#3d444d}.c{stroke:#9198a1}}
"""


@record
class Lane:
    """A phase: its name, how it stands, and its steps."""

    name: str
    state: str
    steps: Sequence[Step]


@record
class Scale:
    """Where a moment is on a line of a length. `cuts` are the (begin, end) of times that were left out."""

    begin: float
    end: float
    length: float
    cuts: tuple[tuple[float, float], ...] = ()

    @property
    def _cut(self) -> float:
        return (self.busy or 1.0) * _CUT_SHARE

    @property
    def busy(self) -> float:
        return (self.end - self.begin) - sum(end - begin for begin, end in self.cuts)

    def place(self, at: float) -> float:
        shown = min(max(at, self.begin), self.end) - self.begin
        for begin, end in self.cuts:
            if at > begin:
                left_out = min(at, end) - begin
                shown += self._cut * left_out / (end - begin) - left_out
        whole = self.busy + self._cut * len(self.cuts)
        return self.length * shown / whole if whole > 0 else 0.0


def kind_of(step: Step) -> str:
    return KINDS.get(step.kind, OTHER)


def make_scale(lanes: Sequence[Lane], now: float, length: float) -> Scale:
    spans = sorted((step.began, _end(step, now)) for lane in lanes for step in lane.steps if kind_of(step) != WAITING)
    spans = spans or sorted((step.began, _end(step, now)) for lane in lanes for step in lane.steps)
    if not spans:
        return Scale(now, now, length)
    gaps, last = [], spans[0][1]
    for begin, end in spans:
        if begin > last:
            gaps.append((last, begin))
        last = max(last, end)
    busy = (last - spans[0][0]) - sum(end - begin for begin, end in gaps)
    cuts = tuple(gap for gap in gaps if gap[1] - gap[0] > max(_LEAST_GAP, busy * _GAP_SHARE))
    return Scale(spans[0][0], last, length, cuts)


def render_timeline(title: str, lanes: Sequence[Lane], now: float) -> str:
    """The picture, as SVG: a lane for each phase, readable on a light and on a dark background."""
    scale = make_scale(lanes, now, _WIDTH - _LEFT - 20)
    height = _TOP + _ROW * max(1, len(lanes)) + _BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'role="img" aria-label="{_text(f"Timeline of {title}")}">',
        f"<title>{_text(f'Timeline of {title}')}</title><style>{_STYLE}</style>",
        *_axis(scale, height),
    ]
    for at, lane in enumerate(lanes):
        y = _TOP + at * _ROW
        parts.append(f'<text class="t" x="8" y="{y + 17}">{_text(clip(lane.name, 26))}</text>')
        for step in lane.steps:
            x, end = _LEFT + scale.place(step.began), _LEFT + scale.place(_end(step, now))
            told = f"{step.name}, attempt {step.attempt}: {_span(_end(step, now) - step.began)}"
            parts.append(
                f'<rect x="{x:.1f}" y="{y + 5}" width="{max(1.0, end - x):.1f}" height="{_ROW - 10}" rx="2" '
                f'fill="{_COLOURS[kind_of(step)]}"><title>{_text(told)}</title></rect>'
            )
    legend = ""
    for at, (kind, colour) in enumerate(_COLOURS.items()):
        x, y = _LEFT + at * 110, height - 16
        legend += f'<rect x="{x}" y="{y - 9}" width="10" height="10" rx="2" fill="{colour}"/>'
        legend += f'<text class="t d" x="{x + 15}" y="{y}">{kind}</text>'
    return "\n".join([*parts, legend, "</svg>", ""])


def render_bars(lanes: Sequence[Lane], now: float, width: int = 60) -> list[str]:
    if not lanes:
        return []
    scale = make_scale(lanes, now, width)
    name = min(24, max(len(lane.name) for lane in lanes))
    lines = []
    for lane in lanes:
        cells, worked = [" "] * width, [step for step in lane.steps if kind_of(step) != WAITING]
        for step in sorted(lane.steps, key=lambda step: _end(step, now) - step.began, reverse=True):
            first = min(width - 1, int(scale.place(step.began)))
            last = max(first + 1, min(width, round(scale.place(_end(step, now)))))
            cells[first:last] = _SIGNS[kind_of(step)] * (last - first)
        took = _span(sum(_end(step, now) - step.began for step in worked))
        lines.append(f"{clip(lane.name, name):<{name}}  {''.join(cells)}  {took}")
    used = {kind_of(step) for lane in lanes for step in lane.steps}
    return [*lines, " " * (name + 2) + "  ".join(f"{sign} {kind}" for kind, sign in _SIGNS.items() if kind in used)]


def _axis(scale: Scale, height: int) -> list[str]:
    """Marks at equal distances, with the time that had been worked by then; and where something was cut."""
    parts = []
    for mark in range(_MARKS + 1):
        x = _LEFT + scale.length * mark / _MARKS
        told = _span(scale.busy * mark / _MARKS)
        parts.append(f'<line class="l" x1="{x:.1f}" y1="{_TOP - 8}" x2="{x:.1f}" y2="{height - _BOTTOM}"/>')
        parts.append(f'<text class="t d" x="{x:.1f}" y="{_TOP - 14}" text-anchor="middle">{told}</text>')
    for begin, end in scale.cuts:
        x = _LEFT + (scale.place(begin) + scale.place(end)) / 2
        parts.append(f'<line class="c" x1="{x:.1f}" y1="{_TOP - 8}" x2="{x:.1f}" y2="{height - _BOTTOM}">')
        parts.append(f"<title>nothing was done for {_span(end - begin)}</title></line>")
    return parts


def _span(seconds: float) -> str:
    """A length of time; short ones to a tenth of a second."""
    return f"{seconds:.1f}s" if 0 < seconds < 10 else render_time(seconds)


def _end(step: Step, now: float) -> float:
    return max(step.began, now if step.ended is None else step.ended)


def _text(text: str) -> str:
    """A text inside SVG: escaped, without what XML cannot hold."""
    legal = (sign for sign in text if sign in "\t\n" or (ord(sign) >= 32 and not 0xD800 <= ord(sign) <= 0xDFFF))
    return escape("".join(legal).replace("\ufffe", "").replace("\uffff", ""), quote=True)
