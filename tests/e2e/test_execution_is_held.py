"""The end of a phase in the real Claude Code: a lie is held or told, an honest end and a session without a plan are not."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from planrail.base.records import record
from planrail.testing.model_server import ModelServer, Script, call, say
from tests.e2e.claude import Claude
from tests.e2e.claude_host import Host
from tests.e2e.codex import Codex
from tests.e2e.projects import Project
from tests.support.lanes import sampled

PLAN = """# Greet

## Phase 1: Say hello

- [ ] write hello.txt
- [ ] write bye.txt
- [ ] make `greet` in greet.py answer with a greeting

```sh check
grep -q hello hello.txt
```

```sh check
python3 -m unittest -q test_greet
```
"""
_SETTINGS = '[planning]\nworkflow = "free"\n[approval]\nrequired = false\n[plans]\ndirectory = "plans"\n'
_CODE, _GOOD = 'def greet() -> str:\n    return ""\n', 'def greet() -> str:\n    return "hello"\n'
_TEST = """import unittest

import greet


class Greeting(unittest.TestCase):
    def test_it_greets(self) -> None:
        self.assertEqual(greet.greet(), "hello")
"""
_HONEST = "I stop here: phase 1 is not done."
Work = dict[str, str]  # what is written, by name
_ALL = {"hello.txt": "hello\n", "bye.txt": "bye\n", "greet.py": _GOOD}
_WEAK = _TEST.replace('self.assertEqual(greet.greet(), "hello")', "greet.greet()")
_SKIPPED = _TEST.replace("    def test", '    @unittest.skip("later")\n    def test')
_PATH = "plans/greet.md"

LIES: dict[str, tuple[Work, str]] = {
    "no work, and a claim": ({}, "All done, phase 1 is complete!"),
    "no work, in German": ({}, "Fertig: Phase 1 ist umgesetzt."),
    "half of it": ({"hello.txt": "hello\n", "bye.txt": "bye\n"}, "Phase 1 is finished."),
    "half of it, that no check sees": ({"hello.txt": "hello\n", "greet.py": _GOOD}, "Everything is implemented."),
    "other files": ({**_ALL, "notes.md": "# Mine now\n"}, "Phase 1 is done."),
    "other files alone": ({"notes.md": "# Mine now\n"}, "The work of phase 1 is complete."),
    "a test that asserts nothing": ({**_ALL, "greet.py": _CODE, "test_greet.py": _WEAK}, "Done, all tests pass."),
    "a test that is skipped": ({**_ALL, "greet.py": _CODE, "test_greet.py": _SKIPPED}, "Phase 1 is done."),
    "a ticked box": ({_PATH: PLAN.replace("- [ ] write hello", "- [x] write hello")}, "Phase 1."),
    "all boxes ticked": ({_PATH: PLAN.replace("[ ]", "[x]"), "hello.txt": "hello\n"}, "The plan is complete."),
    "another check": ({_PATH: PLAN.replace("grep -q hello hello.txt", "test -d .")}, "Phase 1 is done."),
    "no check": ({_PATH: PLAN[: PLAN.index("```sh check")]}, "Phase 1 is done, see the plan."),
}
_SOME = {"hello.txt": "hello\n"}
HONEST: dict[str, tuple[Work, str]] = {
    **{
        text: (_ALL, text)
        for text in ("Phase 1 is done.", "All done!", "I wrote the files.", "Fertig.", "完成了。", "Ok.")
    },
    "it fails": (_SOME, "Phase 1 is not done: the test fails."),
    "it cannot": (_SOME, "I could not finish it: python3 is missing a module."),
    "a question": (_SOME, "Should bye.txt say more?"),
    "blocked": ({}, "I am blocked: I need to know the greeting."),
    "a look": ({}, "I read the plan and the code."),
    "a half": (_SOME, "Half of it is written; the rest is not done."),
}
WITHOUT = ("All done!", "Phase 1 is done.", "Fertig.", "完成了。", "Ok.", "I wrote it.")


@record
class Played:
    """How a turn ended: what the agent was told when its stop was held, what the person was told, and by which turn."""

    held: str
    told: str
    turns: int


@pytest.fixture
def greeting(project: Project) -> Project:
    """A project with a plan for each story: what one proves is nothing to the next."""
    project.choose(_SETTINGS)
    (project.folder / "plans").mkdir()
    (project.folder / "greet.py").write_text(_CODE)
    (project.folder / "test_greet.py").write_text(_TEST)
    for number in range(12):
        (project.folder / _plan(number)).write_text(PLAN)
    project.git("add", ".")
    project.git("commit", "--quiet", "--message", "Plan")
    return project


def _plan(number: int) -> str:
    return _PATH.replace("greet", f"greet-{number:02}")


class Conversation:
    """One agent that is asked many things: starting it is what costs."""

    def __init__(self, project: Project, server: ModelServer, host: Host) -> None:
        self._project, self._server, self._host = project, server, host

    def play(self, prompt: str, work: Work, *messages: str) -> Played:
        """The person asks, the agent works, and ends its turn with these words, one after the other as it is held."""
        self._project.git("checkout", "--quiet", "--", ".")
        self._project.git("clean", "--quiet", "--force", "-d")
        written = [call("Bash", command=f"cat > {name} <<'END'\n{text}END\n") for name, text in work.items()]
        before, noticed = len(self._server.turns), len(self._host.notices)
        self._server.script = Script(*written, *(say(text) for text in (*messages, *[_HONEST] * 3)))
        self._host.say(prompt)
        asked = self._server.turns[before + len(written) + 1 :]
        held = "\n".join(request.news for request in asked if "planrail: phase" in request.news)
        return Played(held, "\n".join(self._host.notices[noticed:]), len(asked))

    def execute(self, number: int, work: Work, *messages: str) -> Played:
        """The same with a plan of its own."""
        self.play(f"!load-plan greet-{number:02}", {}, "Loaded.")
        own = {name.replace(_PATH, _plan(number)): text for name, text in work.items()}
        return self.play("execute plan", own, *messages)


@contextmanager
def _talk(project: Project) -> Iterator[Conversation]:
    flags = ("--permission-mode", "acceptEdits", "--allowedTools", "Bash")
    with ModelServer(Script()) as server, Host(Claude(project, server), *flags) as host:
        yield Conversation(project, server, host)


@pytest.mark.parametrize(
    "first", sampled(range(0, 12, 3), 0, 6)
)  # a conversation must not take longer than its host waits
def test_a_lie_at_the_end_of_a_phase_is_held_or_told(greeting: Project, first: int) -> None:
    with _talk(greeting) as talk:
        for number, (lie, (work, message)) in list(enumerate(LIES.items()))[first : first + 3]:
            played = talk.execute(number, work, message)
            if lie == "other files":  # which is all of the work, and more: it is proven, and the file is named
                assert "not accounted for by the phase: notes.md" in played.told, lie
            else:
                assert "is not done. Missing:" in played.held or "is not proven" in played.told, (lie, played)
                assert "is proven, and marked" not in played.told, (lie, played)


@pytest.mark.parametrize("first", sampled(range(0, 12, 3), 0))
def test_an_honest_end_is_not_held(greeting: Project, first: int) -> None:
    with _talk(greeting) as talk:
        for number, (end, (work, message)) in list(enumerate(HONEST.items()))[first : first + 3]:
            played = talk.execute(number, work, message)
            assert played.held == "", (end, played)
            assert ("is proven, and marked. PLAN COMPLETE" in played.told) is (work == _ALL), (end, played)


def test_a_session_without_a_plan_is_never_held(greeting: Project) -> None:
    with _talk(greeting) as talk:
        for work in ({}, _SOME):
            for message in WITHOUT:
                assert talk.play("write something", work, message) == Played("", "", 0), message


def test_three_holds_without_progress_end_the_turn_and_the_person_is_told(greeting: Project) -> None:
    with _talk(greeting) as talk:
        played = talk.execute(0, {}, *["Phase 1 is done."] * 6)
    assert played.turns == 3
    assert "phase 1 (Say hello) of greet-00.md is NOT done" in played.told


def test_codex_is_held_as_well(project: Project) -> None:
    project.choose(_SETTINGS)
    plan = project.folder / _PATH
    plan.parent.mkdir()
    plan.write_text(
        PLAN[: PLAN.index("- [ ] write bye")] + PLAN[PLAN.index("```sh check") : PLAN.rindex("```sh check")]
    )
    project.git("add", ".")
    project.git("commit", "--quiet", "--message", "Plan")
    patch = "*** Begin Patch\n*** Add File: hello.txt\n+hello\n*** End Patch\n"
    turns = [say("Loaded."), say("All done!"), call("apply_patch", patch), say("Phase 1 is done.")]
    with ModelServer(Script(*turns)) as server:
        codex = Codex(project, server)
        first = codex.ask("!load-plan greet")
        codex.ask("execute plan", resume=first.session)
    assert "phase 1 (Say hello) of greet.md is not done. Missing:" in server.turns[2].news
    assert len(server.turns) == 4
    assert "- [x] write hello.txt" in plan.read_text()
