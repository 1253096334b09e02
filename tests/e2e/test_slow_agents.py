"""Planning is read-only in the Gemini CLI and in opencode, which take long to start."""

from pathlib import Path

import pytest

from planrail.testing.model_server import ModelServer, Script, Usage, call, say
from tests.e2e.attempts import DENIED, READS, assert_each_denied, assert_none_denied
from tests.e2e.gemini import Gemini
from tests.e2e.opencode import Opencode
from tests.e2e.plan_files import told_plan_file
from tests.e2e.projects import Project

pytestmark = pytest.mark.soak

PLAN = "# Teach the herons\n\n- [ ] Teach it to bow\n"
FULL = Usage(input=61_000, output=50)


def test_gemini_writes_a_file_when_nobody_plans(project: Project) -> None:
    write = call("write_file", file_path=project.path("hello.txt"), content="hello\n")
    with ModelServer(Script(write, say("Done."))) as server:
        done = Gemini(project, server).ask("write hello.txt")
    assert (done.code, project.holds("hello.txt")) == (0, True), done.errors


def test_planning_in_gemini_is_read_only(project: Project) -> None:
    """A person types /planrail:plan, since /plan is the program's own; every tool that would change something is denied, reading is not."""
    tried = [
        call("write_file", file_path=project.path("made.txt"), content="x\n"),
        call(
            "replace", file_path=project.path("notes.md"), old_string="Nothing", new_string="Something", instruction="x"
        ),
        call("run_shell_command", command="touch made.txt"),
        call("run_shell_command", command="cat > made.txt <<'EOF'\nhi\nEOF"),
    ]
    reading = [call("run_shell_command", command=command) for command in READS]
    with ModelServer(Script(*tried, *reading, say("I give up."))) as server:
        Gemini(project, server).ask("/planrail:plan a greeting")
    assert_each_denied(server.turns[1 : len(tried) + 1])
    assert_none_denied(server.turns[len(tried) + 1 :])
    assert (project.changes(), len(server.turns)) == ("", len(tried) + len(reading) + 1)


def test_the_plan_file_can_be_written_in_gemini(project: Project) -> None:
    write = call("write_file", lambda request: {"file_path": told_plan_file(request), "content": PLAN})
    with ModelServer(Script(write, say("A draft."))) as server:
        Gemini(project, server).ask("/planrail:plan the herons")
    assert Path(told_plan_file(server.turns[0])).read_text() == PLAN, server.turns[1].news


def test_a_plan_is_approved_in_gemini(project: Project) -> None:
    """Nothing is written until the person says "approve the plan", in a later run of the same session; then it is."""
    plan = call("write_file", lambda request: {"file_path": told_plan_file(request), "content": PLAN})
    write = call("write_file", file_path=project.path("made.txt"), content="x\n")
    turns = [plan, say("A draft."), write, say("I may not."), write, say("Done.")]
    with ModelServer(Script(*turns)) as server:
        gemini = Gemini(project, server)
        gemini.ask("/planrail:plan the herons")
        gemini.ask("go on", is_next=True)
        was_held = not project.holds("made.txt")
        gemini.ask("approve the plan", is_next=True)
    assert was_held
    assert DENIED in server.turns[3].news
    assert server.turns[4].was_told("the user approved the plan")
    assert DENIED not in server.turns[5].news
    assert project.holds("made.txt")


def test_a_full_window_holds_gemini_once(project: Project) -> None:
    """The stop is held, the model is told what to save, and its next stop passes."""
    with ModelServer(Script(say("Worked.", FULL), say("Saved.", FULL), say("Again.", FULL))) as server:
        Gemini(project, server, environment={"CONTEXT_WINDOW_TOKENS": "100000"}).ask("work")
    assert len(server.turns) == 2
    assert "Context at 61%" in server.turns[1].news


def test_opencode_writes_a_file_when_nobody_plans(project: Project) -> None:
    write = call("write", filePath=project.path("hello.txt"), content="hello\n")
    with ModelServer(Script(write, say("Done."), aside="A title")) as server:
        done = Opencode(project, server).ask("write hello.txt")
    assert (done.code, project.holds("hello.txt")) == (0, True), done.errors


def test_planning_in_opencode_is_read_only(project: Project) -> None:
    """A person types /plan; every tool that would change something is denied, reading is not."""
    tried = [
        call("write", filePath=project.path("made.txt"), content="x\n"),
        call("edit", filePath=project.path("notes.md"), oldString="Nothing", newString="Something"),
        call("bash", command="touch made.txt", description="touch"),
        call("bash", command="cat > made.txt <<'EOF'\nhi\nEOF", description="write"),
    ]
    reading = [call("bash", command=command, description="read") for command in READS]
    with ModelServer(Script(*tried, *reading, say("I give up."), aside="A title")) as server:
        Opencode(project, server).ask("/plan a greeting")
    assert_each_denied(server.turns[1 : len(tried) + 1])
    assert_none_denied(server.turns[len(tried) + 1 :])
    assert (project.changes(), len(server.turns)) == ("", len(tried) + len(reading) + 1)


def test_the_plan_file_can_be_written_in_opencode(project: Project) -> None:
    write = call("write", lambda request: {"filePath": told_plan_file(request), "content": PLAN})
    with ModelServer(Script(write, say("A draft."), aside="A title")) as server:
        Opencode(project, server).ask("/plan the herons")
    assert Path(told_plan_file(server.turns[0])).read_text() == PLAN, server.turns[1].news


def test_a_plan_is_approved_in_opencode(project: Project) -> None:
    """Nothing is written until the person says "approve the plan", in a later run of the same session; then it is."""
    plan = call("write", lambda request: {"filePath": told_plan_file(request), "content": PLAN})
    write = call("write", filePath=project.path("made.txt"), content="x\n")
    turns = [plan, say("A draft."), write, say("I may not."), write, say("Done.")]
    with ModelServer(Script(*turns, aside="A title")) as server:
        opencode = Opencode(project, server)
        opencode.ask("/plan the herons")
        opencode.ask("go on", is_next=True)
        was_held = not project.holds("made.txt")
        opencode.ask("approve the plan", is_next=True)
    assert was_held
    assert DENIED in server.turns[3].news
    assert server.turns[4].was_told("the user approved the plan")
    assert DENIED not in server.turns[5].news
    assert project.holds("made.txt")


def test_sub_agents_of_opencode_are_held_too(project: Project) -> None:
    """A sub-agent has a session of its own, and the rules of the one that started it."""
    task = call("task", description="look", prompt="write a file", subagent_type="general")
    write = call("write", filePath=project.path("made.txt"), content="x\n")
    with ModelServer(Script(task, write, say("I may not."), say("I give up."), aside="A title")) as server:
        Opencode(project, server).ask("/plan the herons")
    assert server.turns[1].was_told("write a file")
    assert DENIED in server.turns[2].news
    assert not project.holds("made.txt")
