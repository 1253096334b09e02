"""A plan becomes landed commits: one real program does the work, the other one verifies it."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.testing.model_server import Script, Turn, say
from tests.e2e.projects import Project
from tests.e2e.runs import LONGEST, PATH, SECRETS, Yard, open_yard
from tests.e2e.runs_casting import (
    ALL_SAID,
    CLAUDE_ACTOR,
    CODEX_ACTOR,
    HELLO,
    PAIRS,
    SPENT,
    ByPhase,
    Cast,
    before,
    greeting_plan,
    phase,
    verdict,
)


@pytest.fixture
def yard(project: Project) -> Iterator[Yard]:
    with open_yard(project) as made:
        yield made


@pytest.fixture(params=PAIRS)
def cast(request: pytest.FixtureRequest, yard: Yard) -> Cast:
    return Cast(yard, *PAIRS[request.param])


def test_one_implements_the_other_verifies_and_the_phase_lands(cast: Cast) -> None:
    yard, text = cast.yard, phase(1)
    yard.plan(greeting_plan(text))
    cast.play(
        [cast.worker.shell("env"), *_outside(cast), cast.worker.shell(HELLO), say("I was here: WOODPECKER.", SPENT)],
        [
            cast.verifier.shell("printenv"),
            cast.verifier.shell("grep -n 'hello world' hello.txt"),
            cast.verifier.shell("touch made.txt"),
            *cast.verifier.answer(verdict(W1="hello.txt:1", C1="$ grep -n 'hello world' hello.txt")),
        ],
    )
    told = yard.run("finish", "auto", *cast.agents)
    assert (told.code, told.state) == (0, "complete"), (told, yard.attempts())
    assert cast.rest == ALL_SAID
    _assert_landed(yard)
    _assert_prompts(cast, text)
    _assert_held(cast)
    _assert_on_record(cast)


def _outside(cast: Cast) -> list[Turn]:
    """The worker tries to write where it does not work. Claude Code is held by planrail's judge, Codex by its sandbox."""
    project = cast.yard.project
    return [
        cast.worker.write(str(project.folder / "slipped.txt"), "x\n"),
        cast.worker.write(str(project.home / "slipped.txt"), "x\n"),
        cast.worker.shell(f"echo x > {project.folder}/slipped.txt"),
        cast.worker.shell(f"git -C {project.folder} commit --allow-empty --message slipped"),
        cast.worker.shell(f"cd {project.state / 'ledgers'} && touch slipped.txt"),
    ]


def _assert_landed(yard: Yard) -> None:
    """The file, the trailers, the mark in the plan; and the checkout follows, with nothing else in it."""
    assert yard.text("hello.txt") == "hello world\n"
    assert Path(yard.project.path("hello.txt")).read_text() == "hello world\n"
    assert yard.landed() == ["1"]
    message = yard.project.git("log", "-1", "--format=%B", "--grep=Planrail-Phase")
    assert f"Planrail-Plan: {PATH}" in message
    assert re.search(r"Planrail-Evidence: [0-9a-f]{64}", message)
    assert "- [x] write hello.txt" in yard.text(PATH)
    assert yard.project.git("diff", "--name-only", "main~1", "main").split() == ["hello.txt", PATH]
    assert yard.project.changes() == ""
    assert yard.processes() == []


def _assert_prompts(cast: Cast, text: str) -> None:
    """Both are told the phase word for word, and neither the log of drift; the verifier hears nothing of the other."""
    for asked in (cast.worked[0], cast.verified[0]):
        assert asked.was_told(text.strip())
        assert not asked.was_told("BUTTERFLY")
        assert all(said.role != "assistant" for said in asked.heard)
    assert not any(asked.was_told("WOODPECKER") for asked in cast.verified)
    assert cast.verified[0].was_told(".planrail/work.diff")


def _assert_held(cast: Cast) -> None:
    """Neither sees what is in the person's environment, the verifier cannot write, and the worker only in its own copy."""
    project = cast.yard.project
    places = (project.folder, project.home, project.state / "ledgers")
    assert [found for folder in places for found in folder.rglob("slipped.txt")] == []
    assert "slipped" not in project.git("log", "--all", "--format=%s")
    for asked in (cast.worked[1], cast.verified[1]):
        assert "PLANRAIL_AGENT_PROCESS=" in asked.news or "change nothing" in asked.news, asked.news
        assert not any(secret in asked.news for secret in (*SECRETS, *SECRETS.values()))
    assert re.search("Read-only file system|change nothing", cast.verified[3].news)


def _assert_on_record(cast: Cast) -> None:
    """The report has the verdict with its places, and what was used."""
    (attempt,) = cast.yard.attempts()
    word = attempt["verdict"]
    assert isinstance(word, dict)
    assert (word["passed"], word["by"]) == (True, cast.verifier.name)
    assert [item["place"] for item in word["items"]] == ["hello.txt:1", "$ grep -n 'hello world' hello.txt"]
    assert attempt["tokens"] == cast.yard.status()["tokens"] == 1200 + 15 * (len(cast.worked) + len(cast.verified) - 1)
    assert isinstance(attempt["cost"], float)
    assert attempt["cost"] > 0  # of Claude Code; Codex tells none
    written = cast.yard.project.planrail("report", "--full")
    assert "hello.txt:1" in written
    assert f"{attempt['tokens']:,}" in written
    assert not any(secret in written for secret in SECRETS.values())


def _greet(name: str) -> str:
    return f"echo '{name} world' > {name}.txt"


def _good(name: str) -> dict[str, object]:
    return verdict(W1=f"{name}.txt:1", C1=f"$ grep -q world {name}.txt")


_WHOLE = verdict(W1="hello.txt:1")


def test_a_plan_is_finished_phase_by_phase_and_one_of_them_by_whom_it_is_delegated_to(yard: Yard) -> None:
    """Three phases, run and verified by Claude Code, the second one done by Codex."""
    delegated = phase(2, "moin", "### Execution: delegate codex\n")
    yard.plan(greeting_plan(phase(1), delegated, phase(3, "ahoy")))
    claude = CLAUDE_ACTOR
    yard.claude.script = Script(
        *(claude.shell(_greet("hello")), say("Done."), *claude.answer(_good("hello"))),
        *claude.answer(_good("moin")),
        *(claude.shell(_greet("ahoy")), say("Done."), *claude.answer(_good("ahoy"))),
        *claude.answer(_WHOLE),
    )
    yard.codex.script = Script(CODEX_ACTOR.shell(_greet("moin")), say("Done."))
    told = yard.run("finish", "auto", "--agent", "claude")
    assert (told.code, told.state) == (0, "complete"), (told, yard.attempts())
    assert (yard.claude.script.left, yard.codex.script.left) == (0, 0)
    assert yard.landed() == ["1", "2", "3"]
    for name in ("hello", "moin", "ahoy"):
        assert yard.text(f"{name}.txt") == f"{name} world\n"
    assert yard.codex.turns[0].was_told("Execution: delegate codex")
    assert yard.text(PATH).count("- [x] write") == 3


def test_independent_phases_are_done_side_by_side(yard: Yard) -> None:
    """Neither of the two gets an answer before the other one has asked."""
    free = "**Depends on:** none\n"
    yard.plan(greeting_plan(phase(1, "hello", free), phase(2, "moin", free)))
    both = threading.Barrier(2)

    def work(name: str) -> list[Turn]:
        meeting = before(CLAUDE_ACTOR.shell(_greet(name)), lambda request: both.wait(LONGEST))
        return [meeting, say("Done.")]

    yard.claude.script = ByPhase(hello=work("hello"), moin=work("moin"))
    answers = {name: CODEX_ACTOR.answer(_good(name)) for name in ("hello", "moin")}
    yard.codex.script = ByPhase(**answers, whole=CODEX_ACTOR.answer(_WHOLE))
    told = yard.run("finish", "auto", "--agent", "claude", "--verifier", "codex", "--parallel", "2")
    assert (told.code, told.state) == (0, "complete"), (told, yard.attempts())
    assert sorted(yard.landed()) == ["1", "2"]
    assert yard.text("moin.txt") + yard.text("hello.txt") == "moin world\nhello world\n"
    assert yard.processes() == []
