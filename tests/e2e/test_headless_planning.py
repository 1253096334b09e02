"""A planning without a session, with the real programs: one writes the plan and the other criticises it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from planrail.planning.plan_format import EXAMPLE
from planrail.testing.model_server import Script, call, say
from tests.e2e.projects import Project
from tests.e2e.runs import Yard, open_yard
from tests.planning.conducting_fakes import COMPARED, CRITIQUE, EXPLORED, UNDERSTOOD

REVISED = EXAMPLE.replace("with an error\n", "with a `ValueError`\n")
CLAUDE_WRITES = ("--agent", "claude", "--critic", "codex")
CODEX_WRITES = ("--agent", "codex", "--critic", "claude")


@pytest.fixture
def yard(project: Project) -> Iterator[Yard]:
    greeter = '"""Greets."""\n\ndef greet(name):\n    print("hello", name)\n'
    for name, text in (("src/greeter.py", greeter), ("tests/test_greeter.py", "def test(): ...\n")):
        path = Path(project.path(name))
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    project.git("add", ".")
    project.git("commit", "--quiet", "--message", "Greet")
    with open_yard(project) as made:
        yield made


def test_claude_writes_a_plan_that_codex_has_criticised(yard: Yard) -> None:
    """Two explorers, a write that is denied, a poor answer, a failing critique, a revision; and then a refinement."""
    project = yard.project
    yard.claude.script = Script(
        say("TBD"),  # not good enough
        say(UNDERSTOOD),
        say(EXPLORED),
        say(EXPLORED),
        say(COMPARED),
        call("Write", file_path=project.path("hello.txt"), content="hello\n"),  # denied
        call("Bash", command="touch hello.txt"),  # denied
        call("Bash", command="git log --oneline"),
        say(EXAMPLE),
        say(f"{REVISED}\n<promise>PLAN_OK</promise>"),
    )
    yard.codex.script = Script(call("exec_command", cmd="touch hello.txt"), say("All is well."), say(CRITIQUE))
    bounds = ("--rounds", "1", "--explorers", "2", "--output", "PLAN.md")
    told = yard.call("plan", "Refuse empty names", *CLAUDE_WRITES, *bounds)
    assert told.code == 0, told
    assert (yard.claude.script.left, yard.claude.script.overrun, yard.codex.script.left) == (0, 0, 0)
    assert yard.codex.turns[0].was_told("Phase: CRITIQUE")
    assert yard.codex.turns[-1].was_told("Refuse an empty name")
    assert not yard.codex.turns[-1].was_told("TBD")
    last = yard.claude.turns[-1]
    assert last.was_told("the error's type is not named")  # the critique
    assert last.was_told("Phase: UNDERSTAND")  # the same conversation, from the first phase on
    text = Path(project.path("PLAN.md")).read_text()
    facts = yaml.safe_load(text.split("---\n")[1])
    assert text.endswith(REVISED)
    assert (facts["author"], facts["critic"]) == ("claude", "codex")
    assert project.changes() == "?? PLAN.md"
    assert "denied" in told.errors
    assert told.answer["tokens"] != {"in": 0, "out": 0}
    _refine(yard, text)


def _refine(yard: Yard, before: str) -> None:
    """What a person says about the plan reaches Claude; what is finished stays."""
    path = Path(yard.project.path("PLAN.md"))
    finished = before.replace("- [ ] 1.", "- [x] 1.").replace("- [ ] `python3", "- [x] `python3")
    path.write_text(finished)
    stricter = REVISED.replace("exit with 2\n", "exit with 2 and print nothing else\n")
    said = f"Phase 2 is stricter. Why: the output was not said.\n\n{stricter}"
    yard.claude.script = Script(say(EXPLORED), say(said), say(f"{said}\n<promise>PLAN_OK</promise>"))
    yard.codex.script, earlier = Script(say(CRITIQUE)), len(yard.claude.turns)
    told = yard.call("refine", "PLAN.md", "--feedback", "Say what is printed.", *CLAUDE_WRITES, "--explorers", "1")
    assert told.code == 0, told
    assert yard.claude.turns[earlier].was_told("Say what is printed.")
    text = path.read_text()
    assert finished[finished.index("### Phase 1") : finished.index("### Phase 2")] in text
    assert "print nothing else" in text
    assert "the output was not said." in text.partition("## Drift Log")[2]


def test_codex_writes_a_plan_that_claude_criticises_and_goes_on_in_the_conversation_that_it_had(yard: Yard) -> None:
    """Codex's answers are not good enough any more, and the planning ends; it is resumed, in the same conversation."""
    hurtful = call("exec_command", cmd="touch hello.txt")  # the sandbox holds
    yard.codex.script = Script(say(UNDERSTOOD), hurtful, say("no"), say("no"))
    bounds = ("--rounds", "1", "--explorers", "1", "--attempts", "2", "--output", "PLAN.md")
    told = yard.call("plan", "Refuse empty names", *CODEX_WRITES, *bounds)
    assert (told.code, told.answer["status"], told.answer["phase"]) == (1, "exhausted", "explore"), told
    earlier = len(yard.codex.turns)
    yard.codex.script = Script(
        say(EXPLORED), say(COMPARED), say(EXAMPLE), say(f"{REVISED}\n<promise>PLAN_OK</promise>")
    )
    yard.claude.script = Script(call("Bash", command="touch hello.txt"), say(CRITIQUE))
    told = yard.call("plan", "--resume", str(told.answer["planning"]))
    assert (told.code, told.answer["status"]) == (0, "finished"), told
    assert (yard.codex.script.left, yard.claude.script.left) == (0, 0)
    assert yard.codex.turns[earlier].was_told("Phase: UNDERSTAND")
    assert not yard.claude.turns[0].was_told("Phase: UNDERSTAND")
    assert Path(yard.project.path("PLAN.md")).read_text().endswith(REVISED)
    assert yard.project.changes() == "?? PLAN.md"
