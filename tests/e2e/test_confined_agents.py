"""The real programs, confined: one implements a phase, the other one verifies it, and neither reaches what is outside.

Codex has a sandbox of its own: where that does not work inside of another one, the outer one gives way, on record.
"""

import json
from collections.abc import Iterator

import pytest

from planrail.confine.backends import BUBBLEWRAP, NONE
from planrail.testing.model_server import Script, say
from tests.confine.outside import need
from tests.e2e.projects import Project
from tests.e2e.runs import Yard, open_yard
from tests.e2e.runs_casting import ALL_SAID, GOOD, HELLO, PAIRS, Cast, greeting_plan, phase, verdict
from tests.e2e.slow_agents import SLOW_AGENTS, Gemini, Opencode


@pytest.fixture
def yard(project: Project) -> Iterator[Yard]:
    need(BUBBLEWRAP)
    (project.home / ".ssh").mkdir()
    (project.home / ".ssh" / "id").write_text("no-real-key\n")
    with open_yard(project) as made:
        made.plan(greeting_plan(phase(1)))
        yield made


def _attempts(project: Project) -> str:
    """All in one command that names nothing which planrail's judge knows."""
    hidden = f"h={project.home}; cat $h/.ssh/id >key.txt; echo x >$h/planted; echo x >>$h/../state/planted"
    return f"{HELLO}; {hidden}; git add -A; git commit -qm own; unlink key.txt; git status"


def _held(yard: Yard) -> dict[str, object]:
    agents = yard.attempts()[0]["agents"]
    assert isinstance(agents, list)
    return {agent["policy"]: agent["confined"] for agent in agents}


def _assert_held(yard: Yard, told: object) -> None:
    assert yard.text("hello.txt") == "hello world\n", told
    assert not [*yard.project.base.rglob("planted")]
    assert yard.processes() == []


@pytest.mark.parametrize("pair", PAIRS)
def test_one_implements_and_the_other_verifies_confined(yard: Yard, pair: str) -> None:
    cast = Cast(yard, *PAIRS[pair])
    work = [cast.worker.shell(_attempts(yard.project)), cast.worker.shell("cat key.txt ~/.ssh/id"), say("Done.")]
    look = cast.verifier.shell("grep -n 'hello world' hello.txt")
    cast.play(work, [look, *cast.verifier.answer(verdict(**GOOD))])
    told = yard.run("finish", "auto", *cast.agents)
    assert (told.code, told.state) == (0, "complete"), (told, yard.attempts())
    assert cast.rest == ALL_SAID
    _assert_held(yard, told)
    held = _held(yard)
    assert any(turn.was_told("no-real-key") for turn in cast.worked) == (held["agent"] == NONE)
    codex = held.pop("verifier" if pair == "claude works" else "agent")
    assert list(held.values()) == [BUBBLEWRAP]
    assert codex in (BUBBLEWRAP, NONE)
    assert codex == BUBBLEWRAP or "codex's own sandbox does not work inside" in yard.project.planrail(
        "report", "--full"
    )


@pytest.mark.soak
@pytest.mark.parametrize("program", SLOW_AGENTS, ids=["gemini", "opencode"])
def test_one_implements_and_verifies_confined(yard: Yard, program: type[Gemini] | type[Opencode]) -> None:
    agent = program(yard.project, yard.claude, with_planrail=False)
    yard.programs[agent.name] = agent.program
    yard.variables |= agent.variables()
    yard.longest = 360  # opencode needs more than a minute to start where others are at work, twice
    yard.claude.script = Script(
        agent.run(_attempts(yard.project)), agent.run("cat ~/.ssh/id"), say("Done."), say(json.dumps(verdict(**GOOD)))
    )
    model = ("--model", agent.model) if agent.model else ()
    told = yard.run("finish", "auto", "--agent", agent.name, "--verifier", agent.name, *model)
    assert (told.code, told.state) == (0, "complete"), (told, yard.attempts())
    assert not any(turn.was_told("no-real-key") for turn in yard.claude.turns)
    _assert_held(yard, told)
    assert _held(yard) == {"agent": BUBBLEWRAP, "verifier": BUBBLEWRAP}
