"""How a planning goes on, on standard error: a row for each phase, and one for each explorer."""

from collections.abc import Sequence
from contextlib import AbstractContextManager

from planrail.agents.model import Denied, Event, UsageEvent
from planrail.base.wording import list_some, plural
from planrail.cli.screens import open_screen
from planrail.planning.headless.board import DONE, FAILED, RUNNING, WAITING, PlanningRow, Screen, describe, name_rows
from planrail.planning.news import (
    AgentFailed,
    AnswerRefused,
    ExplorersSent,
    News,
    PhaseBegan,
    PhaseDone,
    PhasesAdded,
    PlanningDisplay,
)
from planrail.store.journal_lines import render_time

_MOST_PROBLEMS = 5


def open_display(phases: Sequence[str], index: int) -> PlanningDisplay:
    return PlanDisplay(phases, index, open_screen())


class PlanDisplay:
    """See `planning.news.PlanningDisplay`."""

    def __init__(self, phases: Sequence[str], index: int, screen: Screen) -> None:
        names = name_rows(phases)
        self._rows = [PlanningRow(name, state=DONE if at < index else WAITING) for at, name in enumerate(names)]
        self._explorers: dict[str, PlanningRow] = {}
        self._at, self._screen = index, screen
        screen.start(self._rows)

    def show(self, news: News) -> None:
        screen = self._screen
        with screen.lock:
            match news:
                case PhaseBegan(index=index, attempt=attempt):
                    row = self._turn_to(index)
                    row.begin(screen.clock())
                    row.attempt = attempt
                    screen.log(f"{self._place(index)}{f', attempt {attempt}' if attempt > 1 else ''}")
                case PhaseDone(index=index):
                    took = render_time(self._turn_to(index).end(DONE, screen.clock()))
                    screen.log(f"{self._place(index)} is done ({took})")
                case PhasesAdded(phases=phases, why=why):
                    self._rows += [PlanningRow(name) for name in name_rows(phases)[len(self._rows) :]]
                    screen.rows = list(self._rows)
                    self._note(f"this became {why}")
                case ExplorersSent(slots=slots):
                    self._explorers = {name: PlanningRow(f"  {name}", title, RUNNING) for name, title in slots}
                    screen.rows[self._at + 1 : self._at + 1] = self._explorers.values()
                    for name, title in slots:
                        screen.log(f"  {name}: {title}")
                case AnswerRefused(index=index, problems=problems, attempts_left=left):
                    after = f"{plural(left, 'attempt')} left" if left else "that was the last attempt"
                    listed = list_some([f"  - {problem}" for problem in problems], _MOST_PROBLEMS)
                    self._note(f"{self._rows[index].name}: the answer is not good enough ({after})", *listed)
                case AgentFailed(role=role, error=error, is_asked_again=again):
                    self._note(f"the {role} did not answer: {error}{'; it is asked once more' if again else ''}")
            screen.draw()

    def see(self, slot: str, event: Event) -> None:
        """In a log what an agent does is not told, but for what it was refused."""
        with self._screen.lock:
            rows = [self._rows[self._at], *([self._explorers[slot]] if slot in self._explorers else [])]
            if isinstance(event, UsageEvent):
                for row in rows:
                    row.see(event)
            else:
                rows[-1].doing = describe(event)
            if isinstance(event, Denied):
                self._screen.log(f"  {slot}: {describe(event)}")

    def note(self, text: str) -> None:
        self._screen.note(text)

    def paused(self) -> AbstractContextManager[None]:
        return self._screen.paused()

    def close(self, *, is_finished: bool) -> None:
        with self._screen.lock:
            if not is_finished:
                self._turn_to(self._at).end(FAILED, self._screen.clock())
        self._screen.close()

    def _turn_to(self, index: int) -> PlanningRow:
        self._at, self._explorers, self._screen.rows = index, {}, list(self._rows)
        return self._rows[index]

    def _place(self, index: int) -> str:
        return f"[{index + 1}/{len(self._rows)}] {self._rows[index].name}"

    def _note(self, *lines: str) -> None:
        for line in lines:
            self._screen.note(line)
