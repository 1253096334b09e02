"""The agents of a headless planning: each task is a process of its own, watched, judged, and ended when we end."""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from planrail.agents.model import Ask, Assignment, Driver, Event, Judge, Outcome, Question, Running, Spent
from planrail.base.records import record
from planrail.planning.crew import Exploration, News, Reply
from planrail.planning.headless.interview import Asked, Terminal, from_agent, from_plan

AUTHOR, CRITIC, EXPLORER = "author", "critic", "explorer"
_LONGEST_END = 30.0  # seconds that an explorer may take to end


class Display(Protocol):
    """Shows how a planning goes on."""

    def show(self, news: News) -> None:
        """Something happened to the planning."""

    def see(self, slot: str, event: Event) -> None:
        """An agent did something; from any thread."""

    def open_slots(self, slots: Sequence[tuple[str, str]]) -> None:
        """Several agents begin to work at once: their names, and what each is about."""

    def note(self, text: str) -> None:
        """Something that a person should read, also later."""

    def paused(self) -> AbstractContextManager[None]:
        """While another program uses the terminal."""

    def close(self, *, is_finished: bool) -> None:
        """The last word."""


@record
class Member:
    """An agent program and the model that it is asked to use ("": its own choice)."""

    driver: Driver
    model: str = ""


@record
class Terms:
    """What holds for all of them: the folder they look at, the seconds each answer may take, where logs go."""

    folder: str
    timeout: int
    logs: str


class AgentCrew:
    """See `planning.crew.Crew`."""

    def __init__(
        self,
        members: Mapping[str, Member],
        terms: Terms,
        judge: Judge,
        display: Display,
        terminal: Terminal | None = None,
    ) -> None:
        self._members, self._terms, self._judge = members, terms, judge
        self._display, self._terminal = display, terminal
        self._lock = threading.Lock()
        self._running: list[Running] = []
        self._is_stopping = False
        self.spent = Spent(0, 0, 0.0)

    def ask_author(self, prompt: str, conversation: str) -> Reply:
        """Ask the author; where a person is there, it may put questions in its own way."""
        ask = self._answer_agent if self._terminal is not None else None
        return self._run(AUTHOR, self._assign(AUTHOR, prompt, conversation), ask)

    def ask_critic(self, prompt: str) -> Reply:
        """Ask the critic: a new process, which knows nothing of the author's."""
        return self._run(CRITIC, self._assign(CRITIC, prompt))

    def ask_explorers(self, explorations: Sequence[Exploration]) -> list[Reply]:
        """Ask all explorers at once. An interruption ends them all."""
        replies: dict[int, Reply] = {}

        def explore(task: Exploration) -> None:
            slot = f"{EXPLORER} {task.number}"
            replies[task.number] = self._run(slot, self._assign(EXPLORER, task.prompt, name=slot))

        threads = [threading.Thread(target=explore, args=(task,), daemon=True) for task in explorations]
        self._display.open_slots([(f"{EXPLORER} {task.number}", task.title) for task in explorations])
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        except BaseException:
            self.stop()
            for thread in threads:  # one that was just starting its agent ends it first
                if thread.ident is not None:
                    thread.join(_LONGEST_END)
            raise
        lost = Reply("", ok=False, reason="failed", error="the explorer came to nothing")
        return [replies.get(task.number, lost) for task in explorations]

    def ask_person(self, questions: Sequence[str]) -> Mapping[str, str]:
        return self._ask([from_plan(question) for question in questions])

    def stop(self) -> None:
        """End every agent that is at work, and those that are just beginning."""
        with self._lock:
            self._is_stopping = True
            running = list(self._running)
        for one in running:
            one.stop()

    def _answer_agent(self, questions: list[Question]) -> Mapping[str, str]:
        return self._ask([from_agent(question) for question in questions])

    def _ask(self, questions: list[Asked]) -> dict[str, str]:
        if self._terminal is None:
            return {}
        with self._display.paused():
            return self._terminal.ask(questions)

    def _assign(self, role: str, prompt: str, conversation: str = "", *, name: str = "") -> Assignment:
        terms = self._terms
        log = f"{terms.logs}/{(name or role).replace(' ', '-')}.log"
        model = self._members[role].model
        return Assignment(
            role, prompt, terms.folder, conversation, read_only=True, timeout=terms.timeout, model=model, log=log
        )

    def _run(self, slot: str, assignment: Assignment, ask: Ask | None = None) -> Reply:
        """Let one agent do its task, to the end. On a full disk, where its log goes, asking again would not help."""
        try:
            return self._follow(slot, assignment, ask)
        except OSError as error:
            return Reply("", ok=False, reason="disk", error=f"what it said could not be kept: {error.strerror}")

    def _follow(self, slot: str, assignment: Assignment, ask: Ask | None) -> Reply:
        running = self._members[assignment.role].driver.start(assignment, ask, self._judge)
        self._begin(running)
        try:
            for event in running.events():
                self._see(slot, event)
            return _reply(running.wait())
        except BaseException:
            running.stop()
            raise
        finally:
            with self._lock:
                self._running.remove(running)

    def _begin(self, running: Running) -> None:
        with self._lock:
            self._running.append(running)
            is_late = self._is_stopping
        if is_late:
            running.stop()

    def _see(self, slot: str, event: Event) -> None:
        if isinstance(event, Spent):
            with self._lock:
                was = self.spent
                tokens = was.tokens_in + event.tokens_in, was.tokens_out + event.tokens_out
                self.spent = Spent(*tokens, was.cost + event.cost)
        self._display.see(slot, event)


def _reply(outcome: Outcome) -> Reply:
    # Half a character and NUL are nothing that a plan file could hold.
    text = outcome.text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")
    return Reply(text, outcome.ok, outcome.conversation, outcome.reason, outcome.error)


def choose_members(agent: str, critic: str, model: str, load: Callable[[str], Driver]) -> dict[str, Member]:
    """Who takes part. A model's name means something to one program only, so another's critic chooses its own."""
    author = Member(load(agent), model)
    judge = author if critic in ("", agent) else Member(load(critic))
    return {AUTHOR: author, EXPLORER: author, CRITIC: judge}
