"""Sessions that are left and taken up again, turns that are counted, and people who work beside the agent."""

from pathlib import Path

from planrail.testing.model_server import ModelServer, Script, call, say
from tests.e2e.attempts import DENIED
from tests.e2e.claude import Claude
from tests.e2e.claude_host import Host
from tests.e2e.claude_screen import Screen
from tests.e2e.plan_files import told_plan_file, write_plan
from tests.e2e.projects import Project

PLAN = "# Teach the herons\n\n- [ ] Teach it to bow\n"
BETTER = "# Teach the herons\n\n- [ ] Teach it to bow\n- [ ] Feed it\n"
OWN = "/planrail:plan the herons"


def test_a_resumed_session_goes_on_planning_where_it_was(project: Project) -> None:
    """Closed in the middle of planning and resumed tomorrow: the door is still closed, and its plan file is the same.

    Its turns are counted on, and what changed while nobody was there is seen.
    """
    touch = call("Bash", command="touch made.txt")
    turns = [write_plan(PLAN), say("A draft."), touch, write_plan(BETTER), say("Better."), say("Yes.")]
    with ModelServer(Script(*turns)) as server:
        claude = Claude(project, server)
        with Host(claude) as host:
            host.say(OWN)
        (project.folder / "notes.md").write_text("# Notes\n\nBy night.\n")
        with Host(claude, "--resume", host.session, "--permission-mode", "acceptEdits") as again:
            again.say("go on")
            again.say("well?")
            assert again.session == host.session
            kept = project.session("claude", again.session)
    assert DENIED in server.turns[3].news
    assert not project.holds("made.txt")
    assert told_plan_file(server.turns[2]) == told_plan_file(server.turns[0])
    assert Path(told_plan_file(server.turns[0])).read_text() == BETTER
    assert (kept["planning"], kept["turns"]) == (True, 3)
    assert "notes.md" in again.notices[-1]
    assert "notes.md" in server.turns[-1].news


def test_asking_for_the_plan_again_shows_it(project: Project) -> None:
    """/planrail:plan alone, while planning, shows the plan and its path to the person and costs no turn."""
    with ModelServer(Script(write_plan(PLAN), say("A draft."))) as server, Host(Claude(project, server)) as host:
        host.say(OWN)
        shown = host.say("/planrail:plan")
    assert "Teach it to bow" in shown
    assert told_plan_file(server.turns[0]) in shown
    assert len(server.turns) == 2


def test_the_agents_plan_mode_is_left_by_the_person_at_the_screen(project: Project) -> None:
    """/plan at the screen is the agent's own. The person leaves it with shift+tab: nothing was approved, work goes on."""
    write = call("Write", file_path=project.path("made.txt"), content="x\n")
    script = Script(write, say("I may not."), write, say("Now I did."))
    with ModelServer(script) as server:
        claude = Claude(project, server, settings={"permissions": {"allow": ["Write"]}})
        with Screen(claude, "--permission-mode", "default") as screen:
            screen.type("/plan a greeting", until="I may not.")
            screen.press("BTab", until="auto mode on")
            screen.press("BTab", until="manual mode on")
            screen.type("now write it", until="Now I did.")
            kept = project.session("claude", server.turns[-1].session)
    assert DENIED in server.turns[1].news
    assert project.holds("made.txt")
    assert not kept.get("planning")
    assert kept.get("stage") != "approved"
    assert server.turns[-1].said_by("system", "user", "tool").count("Plan mode is off") == 1
