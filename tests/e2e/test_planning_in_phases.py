"""An interactive agent is carried through the phases of planning by its stops."""

from pathlib import Path

from planrail.testing.model_server import ModelServer, Script, call, say
from tests.authoring.answers import ALTERNATIVES, CRITIQUE, PLAN, PROMISE, UNDERSTAND
from tests.e2e.attempts import DENIED
from tests.e2e.claude import Claude
from tests.e2e.claude_host import Host
from tests.e2e.plan_files import told_plan_file, write_plan
from tests.e2e.projects import Project

EXPLORED = "I read notes.md, which is empty, and src/greeter.py, which greets."
BETTER = PLAN.replace("Refuse an empty name", "In `src/greeter.py`, refuse an empty name")


def _with_source(project: Project) -> None:
    project.choose("")
    source = Path(project.path("src/greeter.py"))
    source.parent.mkdir()
    source.write_text("def greet(name):\n    return f'Hello, {name}!'\n")
    project.git("add", ".")
    project.git("commit", "--quiet", "--message", "Greet")


def test_a_plan_earns_its_approval_through_phases(project: Project) -> None:
    """A phase that is not good enough is asked for again; a failing critique is answered; the person approves."""
    _with_source(project)
    write = call("Write", file_path=project.path("hello.txt"), content="hello\n")
    script = Script(
        say("It is about greeting."),  # not good enough
        say(UNDERSTAND),
        write,  # denied: exploring is reading
        say(EXPLORED),
        say(ALTERNATIVES),
        write_plan(PLAN),
        say("The draft is written."),
        say(CRITIQUE),
        write_plan(BETTER),
        say(f"Revised.\n\n{PROMISE}"),
        write,
        say("Done."),
    )
    with ModelServer(script) as server, Host(Claude(project, server), "--permission-mode", "acceptEdits") as host:
        host.say("/planrail:plan refuse empty names --rounds 1")
        assert not project.holds("hello.txt")
        proposed = project.session("claude", host.session)
        text = Path(told_plan_file(server.turns[0])).read_text()
        assert host.say("/planrail:approve") == "Done."
        kept = project.session("claude", host.session)
    assert server.turns[0].was_told("Phase: UNDERSTAND")
    assert "Not enough problem analysis" in server.turns[1].news
    assert "Phase: EXPLORE" in server.turns[2].news
    assert DENIED in server.turns[3].news
    assert "Phase: CRITIQUE" in server.turns[7].news
    assert "Phase: REVISE" in server.turns[8].news
    assert (proposed["stage"], kept["stage"]) == ("proposed", "approved")
    assert text.startswith("---\n")
    assert BETTER in text
    assert PROMISE not in text
    assert project.holds("hello.txt")
    assert script.left == 0
