"""A conversation that is branched off goes on under a new id: what held the first one holds the second."""

from planrail.testing.model_server import ModelServer, Script, call, say
from tests.e2e.attempts import DENIED
from tests.e2e.claude import Claude
from tests.e2e.claude_host import Host
from tests.e2e.claude_screen import Screen
from tests.e2e.programs import Program, both_versions
from tests.e2e.projects import Project

OWN = "/planrail:plan the herons"


@both_versions
def test_a_branch_of_a_session_that_plans_is_held(project: Project, program: Program) -> None:
    """The person types /branch in the middle of planning: nobody has approved anything."""
    write = call("Write", file_path=project.path("made.txt"), content="x\n")
    with ModelServer(Script(say("I plan."), write, say("I give up."))) as server:
        claude = Claude(project, server, program, settings={"permissions": {"allow": ["Write"]}})
        with Screen(claude, "--permission-mode", "default") as screen:
            screen.type(OWN, until="I plan.")
            screen.type("/branch", until="Branched conversation")
            screen.type("go on", until="I give up.")
    assert server.turns[1].session != server.turns[0].session
    assert DENIED in server.turns[-1].news
    assert not project.holds("made.txt")


def test_a_fork_of_a_session_that_plans_is_held(project: Project) -> None:
    """The session is closed and resumed as a fork: the fork has read all that the first one was told."""
    touch = call("Bash", command="touch made.txt")
    with ModelServer(Script(say("I plan."), touch, say("I give up."))) as server:
        claude = Claude(project, server)
        with Host(claude) as host:
            host.say(OWN)
        with Host(claude, "--resume", host.session, "--fork-session", "--permission-mode", "acceptEdits") as fork:
            fork.say("go on")
    assert fork.session != host.session
    assert DENIED in server.turns[-1].news
    assert not project.holds("made.txt")
