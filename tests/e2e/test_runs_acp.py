"""Gemini CLI and opencode as implementers, over the Agent Client Protocol; Codex verifies."""

from collections.abc import Iterator

import pytest

from planrail.testing.model_server import Script, Turn, call, say
from tests.e2e.gemini import Gemini
from tests.e2e.opencode import Opencode
from tests.e2e.programs import GEMINI, OPENCODE
from tests.e2e.projects import Project
from tests.e2e.runs import Yard, open_yard
from tests.e2e.runs_casting import CODEX_ACTOR, GOOD, HELLO, greeting_plan, phase, verdict

pytestmark = pytest.mark.soak


@pytest.fixture
def yard(project: Project) -> Iterator[Yard]:
    with open_yard(project) as made:
        made.plan(greeting_plan(phase(1)))
        yield made


def _land(yard: Yard, outside: Turn, work: Turn, *options: str) -> None:
    """The model that Claude Code has elsewhere is the implementer's here: one server speaks all dialects."""
    yard.claude.script = Script(outside, work, say("Done."))
    yard.codex.script = Script(*CODEX_ACTOR.answer(verdict(**GOOD)))
    told = yard.run("finish", "auto", *options, "--verifier", "codex")
    assert (told.code, told.state) == (0, "complete"), (told, yard.attempts())
    assert (yard.claude.script.left, yard.codex.script.left) == (0, 0)
    assert yard.text("hello.txt") == "hello world\n"
    assert not yard.project.holds("slipped.txt")
    assert yard.landed() == ["1"]
    assert yard.claude.turns[0].was_told(phase(1).strip())
    assert yard.processes() == []


def test_gemini_implements_and_codex_verifies(yard: Yard) -> None:
    Gemini(yard.project, yard.claude, with_planrail=False)
    yard.programs["gemini"] = GEMINI
    yard.variables |= {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": yard.claude.url}
    outside = call("write_file", file_path=yard.project.path("slipped.txt"), content="x\n")
    work = call("run_shell_command", command=HELLO)
    _land(yard, outside, work, "--agent", "gemini", "--model", "gemini-2.5-pro")


def test_opencode_implements_and_codex_verifies(yard: Yard) -> None:
    Opencode(yard.project, yard.claude, with_planrail=False)
    yard.programs["opencode"] = OPENCODE
    quiet = ("OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_LSP_DOWNLOAD", "OPENCODE_DISABLE_DEFAULT_PLUGINS")
    yard.variables |= dict.fromkeys(quiet, "1")
    outside = call("write", filePath=yard.project.path("slipped.txt"), content="x\n")
    work = call("bash", command=HELLO, description="as asked")
    _land(yard, outside, work, "--agent", "opencode")
