"""The stop is held once when the window is full, and says what to do; then it is let go."""

from planrail.testing.model_server import ModelServer, Script, Turn, Usage, call, say
from tests.e2e.claude import Claude
from tests.e2e.claude_host import Host
from tests.e2e.plan_files import told_plan_file, write_plan
from tests.e2e.projects import Project

WINDOW = {"CONTEXT_WINDOW_TOKENS": "100000"}
FULL = Usage(input=1_000, cache_read=60_000, output=50)
PLAN = "# Teach the herons\n\n- [x] Find a heron\n- [ ] Teach it to bow\n\nVerify: `test -d .`\n"
HELD = "Context at 61%"
LOOK = Turn(calls=call("Bash", command="git status").calls, usage=FULL)


def work() -> list[Turn]:
    """A turn that fills the window: the model looks once more, and is done."""
    return [LOOK, say("Worked.", FULL)]


def test_a_stop_without_a_plan_is_held_once(project: Project) -> None:
    """No plan: the agent is told to save what matters and to have the context cleared; the next stop passes."""
    with (
        ModelServer(Script(*work(), say("Saved.", FULL), say("Again.", FULL))) as server,
        Host(Claude(project, server, environment=WINDOW)) as host,
    ):
        assert host.say("work") == "Saved."
        assert host.say("and more") == "Again."
    assert len(server.turns) == 4
    assert HELD in server.turns[2].news
    assert [event["stop_hook_active"] for event in project.events("Stop")] == [False, True, False]


def test_a_stop_with_a_pending_plan_names_the_plan(project: Project) -> None:
    """A plan is pending: the agent is told to update it first. After the clear it comes back."""
    turns = [write_plan(PLAN), call("ExitPlanMode"), say("Approved."), *work(), say("Saved.", FULL)]
    with (
        ModelServer(Script(*turns, say("I go on."))) as server,
        Host(Claude(project, server, environment=WINDOW), "--permission-mode", "plan") as host,
    ):
        host.say("plan the herons")
        assert host.say("work") == "Saved."
        host.say("/clear")
        host.say("go on")
    held, back = server.turns[-2], server.turns[-1]
    assert HELD in held.news
    assert told_plan_file(server.turns[0]) in held.news
    assert "1 pending" in held.news
    assert back.was_told("ACTION REQUIRED")
    assert back.was_told("Teach it to bow")


def test_a_stop_is_held_by_its_last_message_where_nothing_is_set(project: Project) -> None:
    """No setting and no plan: the wrapper alone decides whether the window is worth a look, and that message counts."""
    big = Usage(input=5_000, cache_read=600_000)
    with (
        ModelServer(Script(say("Worked.", big), say("Saved.", big))) as server,
        Host(Claude(project, server), "--model", "claude-opus-5-5") as host,
    ):
        assert host.say("work") == "Saved."
    assert "Context at 60%" in server.turns[1].news
