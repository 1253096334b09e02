"""What a person sees of a run while it works: a line for each phase, and what its agent said last. Pure."""

from planrail.agents.model import Event, Spent
from planrail.base.records import mutable_record
from planrail.base.run_model import Ending, Order
from planrail.planning.headless.board import cells, describe, fit, render_tokens
from planrail.store.journal_lines import BEGUN, describe_step, render_time, split_key
from planrail.store.journal_lines import WAITING as WAITS

WAITING, RUNNING, RESTING, DONE, FAILED = "waiting", "running", "resting", "done", "failed"
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_GLYPHS = {WAITING: "○", RESTING: "◌", DONE: "✔", FAILED: "✖"}
_COLOURS = {WAITING: "2", RUNNING: "33", RESTING: "36", DONE: "32", FAILED: "31"}
_WHOLE = ("complete", "phase_done")
_PAUSES = ("paused", "parked", "waiting")
_FAILURES = ("failed", "stopped", "declined")
_BAR, _LONGEST_ID, _TITLE, _SAID = 20, 16, 32, 3


@mutable_record
class Row:
    """A phase: how it stands, what is done now, what it used, what its agent said last."""

    id: str
    title: str
    state: str = WAITING
    step: str = ""
    attempt: int = 1
    began: float | None = None
    took: float = 0.0
    tokens: int = 0
    cost: float = 0.0
    said: list[str] | None = None


class Board:
    """The phases of a run."""

    def __init__(self, order: Order, now: float) -> None:
        done = {*order.adopted, *order.landed}
        self.rows = [Row(phase.id, phase.title, DONE if phase.id in done else WAITING) for phase in order.phases]
        self.name, self.step_of_run, self._began = order.path, "", now
        self._at = {row.id: row for row in self.rows}
        self._width = max((cells(fit(row.id, _LONGEST_ID)) for row in self.rows), default=0)

    def step(self, key: str, state: str, now: float, end: str = "landed") -> None:
        """A step began or has ended. `end` is how the phase did, where the step is its last."""
        phase, attempt, name = split_key(key)
        row = self._at.get(phase)
        if row is None or not attempt:
            self.step_of_run = describe_step(name) if state == BEGUN else ""
        elif state == BEGUN:
            row.began = now if row.began is None else row.began
            row.state, row.attempt, row.step = RUNNING, attempt, describe_step(name)
            row.state = RESTING if name.partition(".")[0] in WAITS else RUNNING
        elif name == "end":
            self._close(row, _state_of(end), now)

    def see(self, phase: str, event: Event) -> None:
        row = self._at.get(phase)
        if row is None:
            return
        if isinstance(event, Spent):
            row.tokens += event.tokens_in + event.tokens_out
            row.cost += event.cost
        else:
            row.said = [*(row.said or ()), describe(event)][-_SAID:]

    def end(self, ending: Ending, now: float) -> None:
        state = DONE if ending.state in _WHOLE else _state_of(ending.state)
        for row in self.rows:
            if (row.id == ending.phase and row.state != FAILED) or row.state in (RUNNING, RESTING):
                self._close(row, state, now)
        self.step_of_run = ""

    def render(self, now: float, width: int, height: int, *, colour: bool) -> list[str]:
        """The lines, none wider than the terminal and not more than it has."""
        lines: list[str] = []
        focus = 0
        for row in self.rows:
            focus = len(lines) if row.state in (RUNNING, RESTING) else focus
            line = fit(_render_row(row, now, self._width), width - 1)
            lines.append(f"\033[{_COLOURS[row.state]}m{line[:3]}\033[0m{line[3:]}" if colour else line)
            if row.state in (RUNNING, RESTING):
                lines += [fit(f"       │ {text}", width - 1) for text in row.said or ()]
        most = max(0, height - 2)
        start = max(0, min(focus - most // 3, len(lines) - most))
        return [fit(self._head(now), width - 1), *lines[start : start + most]]

    @property
    def done(self) -> int:
        return sum(row.state == DONE for row in self.rows)

    def position(self, phase: str) -> int:
        """The place of a phase in the plan, from 1; 0 for none."""
        return next((at for at, row in enumerate(self.rows, 1) if row.id == phase), 0)

    def _head(self, now: float) -> str:
        filled = self.done * _BAR // len(self.rows) if self.rows else 0
        tokens, cost = sum(row.tokens for row in self.rows), sum(row.cost for row in self.rows)
        parts = [
            f" {self.name}",
            "█" * filled + "░" * (_BAR - filled),
            f"{self.done}/{len(self.rows)} phases",
            render_time(now - self._began),
            render_tokens(tokens),
            render_cost(cost),
            self.step_of_run,
        ]
        return "  ".join(part for part in parts if part)

    def _close(self, row: Row, state: str, now: float) -> None:
        row.took += now - (now if row.began is None else row.began)
        row.state, row.began, row.step, row.said = state, None, "", None


def _state_of(end: str) -> str:
    return FAILED if end in _FAILURES else RESTING if end in _PAUSES else DONE


def render_cost(cost: float) -> str:
    """Money, short; nothing where nothing was spent."""
    return f"${cost:.2f}" if cost >= 0.005 else f"${cost:.4f}" if cost else ""


def _render_row(row: Row, now: float, width: int) -> str:
    glyph = _SPINNER[int(now * 8) % len(_SPINNER)] if row.state == RUNNING else _GLYPHS[row.state]
    seconds = row.took + (now - row.began if row.began is not None else 0.0)
    time = render_time(seconds) if seconds or row.began is not None else ""
    again = f"attempt {row.attempt}" if row.attempt > 1 else ""
    told = " · ".join(part for part in (row.step, again, render_tokens(row.tokens), render_cost(row.cost)) if part)
    return f" {glyph} {_pad(row.id, width)}  {_pad(row.title, _TITLE)}{time:>8}  {told}".rstrip()


def _pad(text: str, width: int) -> str:
    shown = fit(text, width)
    return shown + " " * (width - cells(shown))
