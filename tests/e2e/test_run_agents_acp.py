"""Gemini CLI and opencode, the real ones, over the Agent Client Protocol: as drivers, and as implementers of a run."""

from collections.abc import Iterator

import pytest

from planrail.agents.drivers import load_driver
from planrail.agents.jobs.judges import WorkspaceJudge
from planrail.agents.model import Assignment, Denied, Event, Outcome
from planrail.testing.agent_stage import guarded
from planrail.testing.model_server import ModelServer, Script, Turn, say
from tests.e2e.projects import Project
from tests.e2e.runs import open_yard
from tests.e2e.runs_casting import CODEX_ACTOR, GOOD, HELLO, greeting_plan, phase, verdict
from tests.e2e.slow_agents import SLOW_AGENTS, Gemini, Opencode

pytestmark = pytest.mark.soak

Slow = Gemini | Opencode
each_agent = pytest.mark.parametrize("program", SLOW_AGENTS, ids=["gemini", "opencode"])


@pytest.fixture
def agent(project: Project, program: type[Slow]) -> Iterator[Slow]:
    with ModelServer(Script()) as server:
        yield program(project, server, with_planrail=False)


def _work(agent: Slow, *turns: Turn, read_only: bool, conversation: str = "") -> tuple[Outcome, list[Event]]:
    agent.server.script = Script(*turns)
    folder, environment = str(agent.project.folder), agent.project.environment(**agent.variables())
    judge = guarded(agent.project.folder) if read_only else WorkspaceJudge(folder).refuse
    assignment = Assignment(
        "author", "Do it.", folder, conversation, read_only=read_only, timeout=180, model=agent.model
    )
    running = load_driver(agent.name, environment, agent.settings()).start(assignment, None, judge)
    events = list(running.events())
    return running.wait(), events


def _everything(agent: Slow) -> list[Turn]:
    inside, outside = agent.project.path("made.txt"), str(agent.project.base / "outside.txt")
    return [agent.write(inside), agent.write(outside), agent.run("echo x > ran.txt"), say("Done.")]


@each_agent
def test_a_reader_changes_nothing_and_goes_on_after_each_refusal(agent: Slow) -> None:
    outcome, events = _work(agent, *_everything(agent), read_only=True)
    assert (outcome.text, outcome.ok) == ("Done.", True), outcome.error
    assert agent.project.changes() == ""
    assert not (agent.project.base / "outside.txt").exists()
    assert sum(isinstance(event, Denied) for event in events) >= 2


@each_agent
def test_an_implementer_works_in_its_folder_and_nowhere_else(agent: Slow) -> None:
    outcome, _ = _work(agent, *_everything(agent), read_only=False)
    assert (outcome.text, outcome.ok) == ("Done.", True), outcome.error
    assert agent.project.holds("made.txt")
    assert agent.project.holds("ran.txt")
    assert not (agent.project.base / "outside.txt").exists()
    assert outcome.tokens_in > 0


@each_agent
def test_a_conversation_goes_on_or_is_said_to_be_gone(agent: Slow) -> None:
    """Gemini 0.61 overwrites the history of a session while it loads it, and then finds none."""
    first, _ = _work(agent, say("One."), read_only=True)
    second, _ = _work(agent, say("Two."), read_only=True, conversation=first.conversation)
    assert second.conversation == first.conversation
    if agent.name == "gemini":
        assert (second.ok, second.reason) == (False, "no_conversation")
    else:
        assert (second.ok, second.text) == (True, "Two."), second.error


@each_agent
def test_one_implements_and_codex_verifies(project: Project, program: type[Slow]) -> None:
    """The model that Claude Code has elsewhere is the implementer's here: one server speaks all dialects."""
    with open_yard(project) as yard:
        yard.plan(greeting_plan(phase(1)))
        agent = program(project, yard.claude, with_planrail=False)
        yard.programs[agent.name] = agent.program
        yard.variables |= agent.variables()
        yard.claude.script = Script(agent.write(project.path("slipped.txt"), "x\n"), agent.run(HELLO), say("Done."))
        yard.codex.script = Script(*CODEX_ACTOR.answer(verdict(**GOOD)))
        options = ("--agent", agent.name, *(("--model", agent.model) if agent.model else ()), "--verifier", "codex")
        told = yard.run("finish", "auto", *options)
        assert (told.code, told.state) == (0, "complete"), (told, yard.attempts())
        assert (yard.claude.script.left, yard.codex.script.left) == (0, 0)
        assert yard.text("hello.txt") == "hello world\n"
        assert not project.holds("slipped.txt")
        assert yard.landed() == ["1"]
        assert yard.claude.turns[0].was_told(phase(1).strip())
        assert yard.processes() == []
