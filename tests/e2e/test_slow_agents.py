"""Planning is read-only in the Gemini CLI and in opencode, which take long to start."""

from pathlib import Path

import pytest

from planrail.testing.model_server import ModelServer, Script, call, say
from tests.e2e.attempts import READS, assert_each_denied, assert_none_denied
from tests.e2e.gemini import Gemini
from tests.e2e.opencode import Opencode
from tests.e2e.plan_files import told_plan_file
from tests.e2e.projects import Project

pytestmark = pytest.mark.soak

PLAN = "# Teach the herons\n\n- [ ] Teach it to bow\n"


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


def test_opencode_writes_a_file_when_nobody_plans(project: Project) -> None:
    write = call("write", filePath=project.path("hello.txt"), content="hello\n")
    with ModelServer(Script(write, say("Done."), aside="A title")) as server:
        done = Opencode(project, server).ask("write hello.txt")
    assert (done.code, project.holds("hello.txt")) == (0, True), done.errors


def test_planning_in_opencode_is_read_only(project: Project) -> None:
    """A person types /plan; every tool that would change something is denied, reading is not."""
    tried = [
        call("write", filePath=project.path("made.txt"), content="x\n"),
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
