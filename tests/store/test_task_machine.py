"""Any sequence of changes leaves a legal book, views that say the same, and nothing to do for who regenerates them."""

import json
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.tasks.book.task_rows import Note, TaskBook
from planrail.tasks.book.task_views import STATE, TODO, render_view, write_views
from planrail.tasks.model import Task
from planrail.tasks.statuses import EVENTS, REOPEN, STATUSES, TERMINAL, Refuse, TaskPhase, decide_event, move
from planrail.tasks.views.entries import from_entry
from tests.store.task_stage import make_project
from tests.tasks.views_values import LINES, NUMBERS, TEXTS

DONE = [TaskPhase("1", "only", "done", "proven")]
PICKS = st.integers(0, 30)


class BookMachine(RuleBasedStateMachine):
    """Commands about tasks, as the command line would carry them out; `known` is what they were told."""

    @initialize()
    def begin(self) -> None:
        from planrail.tasks.book.task_rows import open_book

        self.place = tempfile.TemporaryDirectory(prefix="planrail-book-")
        self.root = make_project(Path(self.place.name) / "project")
        self.book: TaskBook = open_book(self.root)
        self.known: dict[int, Task] = {}
        self.archived: list[Task] = []
        self.steps = 0

    def teardown(self) -> None:
        if hasattr(self, "book"):
            self.book.__exit__(None, None, None)
            self.place.cleanup()

    @rule(title=LINES, description=TEXTS, topic=st.sampled_from(["", "docs", "agent-system"]), needs=NUMBERS)
    def create(self, title: str, description: str, topic: str, needs: tuple[int, ...]) -> None:
        task = self.book.create(
            lambda number: Task(number, "a_b", title, description=description, topic=topic, dependencies=needs),
            self._note("created"),
        )
        assert task.number not in self.known
        self.known[task.number] = task

    @rule(pick=PICKS, event=st.sampled_from([*EVENTS, REOPEN]), force=st.booleans(), proven=st.booleans())
    def happen(self, pick: int, event: str, force: bool, proven: bool) -> None:
        number = self._choose(pick)
        if number is None:
            return

        def decide(task: Task) -> Task:
            decision = decide_event(task, event, DONE if proven else None, force=force)
            if isinstance(decision, Refuse):
                raise PlanrailError(decision.text)
            return move(task, decision, at="2026-07-01T12:00:00Z", session="sess_1_abcdef")

        before = self.book.stand()
        try:
            self.known[number] = self.book.change(number, decide, self._note(event))
        except PlanrailError:
            assert self.book.stand() == before

    @rule(pick=PICKS, title=LINES, topic=st.sampled_from(["", "docs", "x|y"]), needs=NUMBERS)
    def edit(self, pick: int, title: str, topic: str, needs: tuple[int, ...]) -> None:
        number = self._choose(pick)
        if number is not None:
            changed = self.book.change(
                number, lambda task: replace(task, title=title, topic=topic, dependencies=needs), self._note("edited")
            )
            self.known[number] = changed

    @rule()
    def archive(self) -> None:
        closed = [number for number, task in self.known.items() if task.status in TERMINAL]
        saved = self.book.change_many(
            closed, lambda tasks: [replace(task, is_archived=True) for task in tasks.values()], self._note("archived")
        )
        self.archived += saved
        for number in closed:
            del self.known[number]

    @rule()
    def recover(self) -> None:
        if self.archived:
            (back,) = self.book.put([replace(self.archived.pop(), is_archived=False)], self._note("recovered"))
            self.known[back.number] = back

    @rule()
    def look(self) -> None:
        """What every command does at its end."""
        answer = write_views(self.root, archive=True)
        assert (answer.kept, answer.problems) == ((), ())
        stand = self.book.stand()
        for name in (STATE, TODO) if stand.revision else ():
            held = Path(self.root, "specs", name).read_bytes()
            assert held == render_view(self.book, stand, name).encode()
        assert write_views(self.root, archive=True).paths == ()
        if stand.revision:
            document = json.loads(Path(self.root, "specs", STATE).read_text("utf-8", "surrogatepass"))
            shown = [from_entry(entry) for entry in document["active_projects"]]
            assert shown == [replace(task, id="") for _, task in sorted(self.known.items())]

    @invariant()
    def is_legal(self) -> None:
        if not hasattr(self, "book"):
            return
        tasks = self.book.tasks()
        assert tasks == [task for _, task in sorted(self.known.items())]
        assert all(task.status in STATUSES for task in tasks)
        assert sorted(task.id for task in self.book.tasks(archived=True)) == sorted(task.id for task in self.archived)
        assert self.book.next_number() > max([0, *self.known])

    def _choose(self, pick: int) -> int | None:
        numbers = sorted(self.known)
        return numbers[pick % len(numbers)] if numbers else None

    def _note(self, what: str) -> Note:
        self.steps += 1
        return Note(what, "sess_1_abcdef", 1_782_900_000.0 + 40_000 * self.steps)


TestBookMachine = BookMachine.TestCase
TestBookMachine.settings = settings(max_examples=max(5, settings().max_examples // 6), stateful_step_count=25)
