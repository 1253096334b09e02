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
FULL_REMINDER, SHORT_REMINDER = "You plan; you do not act.", "Plan mode is still on"
OWN = "/planrail:plan the herons"


def test_a_resumed_session_still_plans(project: Project) -> None:
    """The person closes the agent in the middle of planning and resumes tomorrow: the door is still closed."""
    touch = call("Bash", command="touch made.txt")
    with ModelServer(Script(say("I plan."), touch, say("Denied."))) as server:
        claude = Claude(project, server)
        with Host(claude) as host:
            host.say(OWN)
        with Host(claude, "--resume", host.session, "--permission-mode", "acceptEdits") as again:
            again.say("go on")
            assert again.session == host.session
    assert DENIED in server.turns[-1].news
    assert not project.holds("made.txt")


def test_a_resumed_session_goes_on_planning_where_it_was(project: Project) -> None:
    """Its plan file is the same, its turns are counted on, and what changed while nobody was there is seen."""
    turns = [write_plan(PLAN), say("A draft."), write_plan(BETTER), say("Better."), say("Yes.")]
    with ModelServer(Script(*turns)) as server:
        claude = Claude(project, server)
        with Host(claude) as host:
            host.say(OWN)
        (project.folder / "notes.md").write_text("# Notes\n\nBy night.\n")
        with Host(claude, "--resume", host.session) as again:
            again.say("go on")
            again.say("well?")
            kept = project.session("claude", again.session)
    assert told_plan_file(server.turns[2]) == told_plan_file(server.turns[0])
    assert Path(told_plan_file(server.turns[0])).read_text() == BETTER
    assert (kept["planning"], kept["turns"]) == (True, 3)
    assert "notes.md" in again.notices[-1]
    assert "notes.md" in server.turns[-1].news


def test_a_session_that_is_resumed_in_the_agents_plan_mode_is_held(project: Project) -> None:
    """The agent's own plan mode, closed and resumed in it: nothing can be written but the plan."""
    touch = call("Bash", command="touch made.txt")
    with ModelServer(Script(write_plan(PLAN), say("A draft."), touch, write_plan(BETTER), say("Better."))) as server:
        claude = Claude(project, server, settings={"permissions": {"allow": ["Bash(touch *)"]}})
        with Host(claude, "--permission-mode", "plan") as host:
            host.say("plan the herons")
        with Host(claude, "--resume", host.session, "--permission-mode", "plan") as again:
            again.say("go on")
            kept = project.session("claude", again.session)
    assert DENIED in server.turns[3].news
    assert not project.holds("made.txt")
    assert Path(str(kept["plan"])).read_text() == BETTER


def test_a_resumed_session_still_has_its_plan(project: Project) -> None:
    """Approved, closed, resumed: the plan is still attached."""
    with ModelServer(Script(write_plan(PLAN), call("ExitPlanMode"), say("Approved."), say("I go on."))) as server:
        claude = Claude(project, server)
        with Host(claude, "--permission-mode", "plan") as host:
            host.say("plan the herons")
        with Host(claude, "--resume", host.session) as again:
            again.say("!plan-status")
            kept = project.session("claude", again.session)
    assert kept["plan"] == told_plan_file(server.turns[0])
    assert server.turns[-1].was_told("Plan Status")


def test_reminders_are_full_on_every_fifth_turn_and_one_line_between(project: Project) -> None:
    """Eleven turns of a person while planning: all rules on the first, sixth and eleventh, one line on the others."""
    with ModelServer(Script(*(say("I plan.") for _ in range(11)))) as server, Host(Claude(project, server)) as host:
        host.say(OWN)
        for _ in range(10):
            host.say("go on")
    told = [(request.news.count(FULL_REMINDER), request.news.count(SHORT_REMINDER)) for request in server.turns]
    full, short = (1, 0), (0, 1)
    assert told == [full, *[short] * 4, full, *[short] * 4, full]


def test_a_draft_is_mentioned_after_a_clear_and_comes_back_on_request(project: Project) -> None:
    """Nobody approved it and nobody asked for it: a mention. Then the person does ask, and it is loaded."""
    turns = [write_plan(PLAN), say("A draft."), say("Fresh."), say("I go on.")]
    with (
        ModelServer(Script(*turns)) as server,
        Host(Claude(project, server), "--permission-mode", "acceptEdits") as host,
    ):
        host.say(OWN)
        host.say("/planrail:plan-off")
        host.say("/clear")
        host.say("hello")
        host.say("reload")
    plan = told_plan_file(server.turns[0])
    assert server.turns[2].was_told(plan)
    assert not server.turns[2].was_told("Teach it to bow")
    assert server.turns[3].was_told("Teach it to bow")


def test_asking_for_the_plan_again_shows_it(project: Project) -> None:
    """/planrail:plan alone, while planning, shows the plan and its path to the person and costs no turn."""
    with ModelServer(Script(write_plan(PLAN), say("A draft."))) as server, Host(Claude(project, server)) as host:
        host.say(OWN)
        shown = host.say("/planrail:plan")
    assert "Teach it to bow" in shown
    assert told_plan_file(server.turns[0]) in shown
    assert len(server.turns) == 2


def test_what_a_person_changes_meanwhile_is_reported_and_kept(project: Project) -> None:
    """People edit while agents plan: nothing is undone, and both are told what differs."""
    script = Script(write_plan(PLAN), say("A draft."), call("ExitPlanMode"), say("Approved."), say("Yes."))
    with ModelServer(script) as server, Host(Claude(project, server), "--permission-mode", "plan") as host:
        host.say("plan the herons")
        (project.folder / "notes.md").write_text("# Notes\n\nBy hand.\n")
        host.say("present it")
        host.say("well?")
    assert server.turns[-1].was_told("notes.md")
    assert (project.folder / "notes.md").read_text() == "# Notes\n\nBy hand.\n"


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
