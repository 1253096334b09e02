"""The same promises in Codex, which has hooks but no plan mode of its own in `codex exec`."""

from pathlib import Path

from planrail.testing.model_server import ModelServer, Script, Turn, Usage, call, say
from tests.e2e.attempts import DENIED, READS, assert_each_denied, assert_none_denied
from tests.e2e.codex import Codex
from tests.e2e.plan_files import told_plan_file
from tests.e2e.projects import Project

PATCH = "*** Begin Patch\n*** Add File: patched.txt\n+patched\n*** End Patch\n"
PLAN = "# Teach the herons\n\n- [ ] Teach it to bow\n"
FULL = Usage(input=200_000, output=50)


def test_planning_in_codex_is_read_only_and_reading_is_not_disturbed(project: Project) -> None:
    """A person types /plan. Commands and patches that would change something are denied, whichever tool they come by."""
    tried = [
        call("exec_command", cmd="echo hi > made.txt"),
        call("exec_command", cmd="touch made.txt"),
        call("apply_patch", PATCH),
        call("exec_command", cmd=f"apply_patch <<'EOF'\n{PATCH}EOF\n"),
        call("exec_command", cmd="git commit --allow-empty --message slipped"),
    ]
    reading = [call("exec_command", cmd=command) for command in READS]
    with ModelServer(Script(*tried, *reading, say("I give up."))) as server:
        done = Codex(project, server).ask("/plan a greeting")
    assert done.code == 0, done.errors
    assert server.turns[0].was_told(DENIED)
    assert_each_denied(server.turns[1 : len(tried) + 1])
    assert_none_denied(server.turns[len(tried) + 1 :])
    assert len(server.turns) == len(tried) + len(reading) + 1
    assert project.changes() == ""


def write_plan(text: str) -> Turn:
    """The model writes its plan where it was told to, with the only tool that Codex gives it for that."""
    lines = "\n".join(f"+{line}" for line in text.splitlines())
    return call(
        "apply_patch",
        lambda request: f"*** Begin Patch\n*** Add File: {told_plan_file(request)}\n{lines}\n*** End Patch\n",
    )


def test_a_plan_is_written_approved_carried_out_and_loaded_again_in_codex(project: Project) -> None:
    """The plan file is the one file that may be written; once the person approves, everything may. Tomorrow it is back."""
    turns = [write_plan(PLAN), say("Approve?"), call("apply_patch", PATCH), say("Done."), say("I go on.")]
    with ModelServer(Script(*turns)) as server:
        codex = Codex(project, server)
        first = codex.ask("/plan the herons")
        plan = told_plan_file(server.turns[0])
        assert Path(plan).read_text() == PLAN, server.turns[1].news
        codex.ask("/approve", resume=first.session)
        second = codex.ask("!load-plan herons")
    assert project.holds("patched.txt")
    assert server.turns[2].was_told("Plan mode is off")
    assert second.session != first.session
    assert server.turns[-1].was_told("Teach it to bow")
    assert server.turns[-1].was_told(plan)


def test_the_stop_is_held_once_in_codex(project: Project) -> None:
    """Codex has no cap on holds of its own, so one is all that there may be."""
    look = Turn(calls=call("exec_command", cmd="git status").calls, usage=FULL)
    with ModelServer(Script(look, say("Worked.", FULL), say("Saved.", FULL), say("Too much.", FULL))) as server:
        Codex(project, server).ask("work")
    assert len(server.turns) == 3
    assert "Context at" in server.turns[2].news
