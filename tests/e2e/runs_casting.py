"""Who plays what in a run: the same moves for Claude Code and for Codex, the plans they carry out, the verdicts."""

import json
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from planrail.testing.model_server import ModelRequest, ModelServer, Script, Turn, Usage, call, say
from tests.e2e.runs import LONGEST, Yard, wait_for

DONE, FAILED = "done", "failed"
HELLO = "echo 'hello world' > hello.txt"
SPENT = Usage(1000, 200)


class Actor(Protocol):
    """A program, and what its model has to say so that something happens."""

    name: str

    def server(self, yard: Yard) -> ModelServer: ...
    def shell(self, command: str) -> Turn: ...
    def write(self, path: str, text: str) -> Turn: ...
    def answer(self, verdict: Mapping[str, object]) -> tuple[Turn, ...]: ...


class ClaudeActor:
    """Claude Code."""

    name = "claude"

    def server(self, yard: Yard) -> ModelServer:
        return yard.claude

    def shell(self, command: str) -> Turn:
        return call("Bash", command=command)

    def write(self, path: str, text: str) -> Turn:
        return call("Write", file_path=path, content=text)

    def answer(self, verdict: Mapping[str, object]) -> tuple[Turn, ...]:
        return (call("StructuredOutput", verdict),)  # it asks for nothing more after that


class CodexActor:
    """Codex."""

    name = "codex"

    def server(self, yard: Yard) -> ModelServer:
        return yard.codex

    def shell(self, command: str) -> Turn:
        return call("exec_command", cmd=command)

    def write(self, path: str, text: str) -> Turn:
        added = "".join(f"+{line}\n" for line in text.splitlines())
        return self.shell(f"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: {path}\n{added}*** End Patch\nEOF\n")

    def answer(self, verdict: Mapping[str, object]) -> tuple[Turn, ...]:
        return (say(json.dumps(verdict)),)


ALL_SAID = [(0, 0), (0, 0)]
CLAUDE_ACTOR, CODEX_ACTOR = ClaudeActor(), CodexActor()
PAIRS: dict[str, tuple[Actor, Actor]] = {
    "claude works": (CLAUDE_ACTOR, CODEX_ACTOR),
    "codex works": (CODEX_ACTOR, CLAUDE_ACTOR),
}
GOOD = {"W1": "hello.txt:1", "C1": "$ grep -q world hello.txt"}  # what planrail has run itself may be cited, too


class Cast:
    """One program does the work, the other one verifies it."""

    def __init__(self, yard: Yard, worker: Actor, verifier: Actor) -> None:
        self.yard, self.worker, self.verifier = yard, worker, verifier

    def play(self, work: Sequence[Turn], verifying: Sequence[Turn]) -> None:
        """What the two models will say."""
        self.worker.server(self.yard).script = Script(*work)
        self.verifier.server(self.yard).script = Script(*verifying)

    @property
    def agents(self) -> tuple[str, ...]:
        """The options that name them."""
        return "--agent", self.worker.name, "--verifier", self.verifier.name

    @property
    def worked(self) -> list[ModelRequest]:
        """What the one that works asked its model."""
        return self.worker.server(self.yard).turns

    @property
    def verified(self) -> list[ModelRequest]:
        """What the one that verifies asked its model."""
        return self.verifier.server(self.yard).turns

    @property
    def rest(self) -> list[tuple[int, int]]:
        """For the worker and the verifier: the turns that nobody asked for, and those that were asked for in vain."""
        scripts = [actor.server(self.yard).script for actor in (self.worker, self.verifier)]
        return [(script.left, script.overrun) for script in scripts]


class ByPhase(Script):
    """A model that several agents ask at once: each gets the turns of the phase that it was told of."""

    def __init__(self, **turns: Sequence[Turn]) -> None:
        super().__init__()
        self._scripts = {name: Script(*own) for name, own in turns.items()}

    def next_turn(self, request: ModelRequest) -> Turn:
        if request.is_aside:
            return super().next_turn(request)
        if request.was_told("Verify the whole of the plan"):
            return self._scripts["whole"].next_turn(request)
        (script,) = (script for name, script in self._scripts.items() if request.was_told(f"(Say {name})"))
        return script.next_turn(request)

    @property
    def left(self) -> int:
        return sum(script.left for script in self._scripts.values())


class Gate:
    """An answer that is held back until it is let through."""

    def __init__(self) -> None:
        self.reached, self._open = threading.Event(), threading.Event()

    def hold(self, turn: Turn) -> Turn:
        """The same turn, later."""

        def wait(request: ModelRequest) -> None:
            self.reached.set()
            self._open.wait(LONGEST)

        return before(turn, wait)

    def wait(self, planrail: "subprocess.Popen[str]") -> None:
        """Come back when an agent has asked. A planrail that has ended by then tells why."""
        wait_for(lambda: self.reached.is_set() or planrail.poll() is not None, "an agent asks its model")
        assert self.reached.is_set(), planrail.communicate()

    def open(self) -> None:
        """Let it through."""
        self._open.set()


def before(turn: Turn, do: Callable[[ModelRequest], object]) -> Turn:
    """The same turn, after something else has happened."""
    (use,) = turn.calls
    given = use.input
    assert isinstance(given, Mapping)

    def answer(request: ModelRequest) -> Mapping[str, object]:
        do(request)
        return given

    return call(use.name, answer)


def verdict(**places: str) -> dict[str, object]:
    """Yes to each part, with its place: `verdict(W1="hello.txt:1")`."""
    items = [_item(name, DONE, place, "it is there") for name, place in places.items()]
    return {"items": items, "scope": [], "test_changes": [], "drift": [], "summary": "All is there."}


def refusal(part: str, note: str) -> dict[str, object]:
    """No to one part."""
    items = [_item(part, FAILED, "", note)]
    return {"items": items, "scope": [], "test_changes": [], "drift": [], "summary": "Something is missing."}


def _item(name: str, word: str, place: str, note: str) -> dict[str, object]:
    return {"id": name, "text": "", "verdict": word, "places": [place] if place else [], "note": note}


def greeting_plan(*phases: str) -> str:
    """A plan with these phases, and a log that is nobody's business but the people's."""
    return "\n".join(["# Greeter\n", *phases, "## Drift Log\n", "- BUTTERFLY was the name before.\n"])


def phase(number: int, name: str = "hello", *more: str) -> str:
    """A phase that asks for a file with a greeting."""
    return "\n".join(
        [
            f"## Phase {number}: Say {name}\n",
            *more,
            f"- [ ] write {name}.txt with a greeting\n",
            f"```sh check\ngrep -q {name} {name}.txt\n```\n",
            "### Acceptance Criteria\n",
            f"- [ ] `grep -q world {name}.txt` passes\n",
        ]
    )
