"""What an agent says is not enough: a false claim is refused, mended once by a fresh agent, and else nothing lands."""

from collections.abc import Iterator

import pytest

from planrail.testing.model_server import say
from tests.e2e.projects import Project
from tests.e2e.runs import Told, Yard, open_yard
from tests.e2e.runs_casting import (
    ALL_SAID,
    CLAUDE_ACTOR,
    CODEX_ACTOR,
    GOOD,
    HELLO,
    Cast,
    greeting_plan,
    phase,
    refusal,
    verdict,
)

CLAIM = "All of it is done and tested: KINGFISHER."


@pytest.fixture
def yard(project: Project) -> Iterator[Yard]:
    with open_yard(project) as made:
        made.plan(greeting_plan(phase(1)))
        yield made


def _assert_nothing_landed(yard: Yard, told: Told) -> None:
    assert (told.code, told.state) == (1, "failed"), told
    assert yard.landed() == []
    assert not yard.project.holds("hello.txt")
    assert yard.project.git("log", "--format=%s", "main").split() == ["Plan", "Begin"]
    assert yard.processes() == []


def _report(yard: Yard) -> str:
    return yard.project.planrail("report", "--full")


def test_half_of_the_work_is_mended_by_a_fresh_agent_and_lands(yard: Yard) -> None:
    cast = Cast(yard, CLAUDE_ACTOR, CODEX_ACTOR)
    half, rest = cast.worker.shell("echo hello > hello.txt"), cast.worker.shell(HELLO)
    cast.play([half, say(CLAIM), rest, say("Mended.")], cast.verifier.answer(verdict(**GOOD)))
    told = yard.run("finish", "auto", *cast.agents)
    assert (told.code, told.state) == (0, "complete"), (told, yard.attempts())
    assert cast.rest == ALL_SAID
    assert yard.landed() == ["1"]
    assert yard.text("hello.txt") == "hello world\n"
    fixer = cast.worked[2]
    assert fixer.session != cast.worked[0].session
    assert fixer.was_told("grep -q world hello.txt")
    assert fixer.was_told(phase(1).strip())
    assert not fixer.was_told("KINGFISHER")


def test_a_phase_that_is_refused_twice_fails_with_a_report_and_lands_nothing(yard: Yard) -> None:
    cast = Cast(yard, CLAUDE_ACTOR, CODEX_ACTOR)
    no = refusal("W1", "it greets nobody")
    cast.play(
        [cast.worker.shell(HELLO), say(CLAIM), cast.worker.shell("echo 'hello  world' > hello.txt"), say("Mended.")],
        [*cast.verifier.answer(verdict(W1="hello.txt:1", C1="$ make everything")), *cast.verifier.answer(no)],
    )
    told = yard.run("finish", "auto", *cast.agents)
    _assert_nothing_landed(yard, told)
    assert cast.rest == ALL_SAID
    assert "it greets nobody" in str(told.answer["text"])
    top = _report(yard)[:2500]
    assert "it greets nobody" in top
    assert "planrail run" in top
    (attempt,) = yard.attempts()
    assert (attempt["status"], attempt["reason"]) == ("failed", "verdict")
    kept = yard.project.git("for-each-ref", "--format=%(refname)", "refs/planrail/runs").split()
    assert [yard.project.git("show", f"{ref}:hello.txt") for ref in sorted(kept)] == ["hello world\n", "hello  world\n"]
