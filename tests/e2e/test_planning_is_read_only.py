"""Planning is read-only although the model tries, whoever's plan mode it is and however permissive everybody else is."""

import pytest

from planrail.testing.model_server import ModelServer, Script, call, say
from tests.e2e.attempts import ALLOW, DENIED, assert_each_denied, assert_none_denied, attempts, desk, reading
from tests.e2e.claude import Claude
from tests.e2e.claude_host import Host
from tests.e2e.plan_files import told_plan_file, write_plan
from tests.e2e.programs import CLAUDE, OLD_CLAUDE, Program, both_versions
from tests.e2e.projects import Project
from tests.support.lanes import soak

PLAN = "# Plan\n\n- [ ] Greet\n"
LOOKING = (call("Bash", command="git log --oneline | head -3"), say("Nothing there."))


@both_versions
def test_allow_rules_do_not_open_the_agents_own_plan_mode(project: Project, program: Program) -> None:
    """Nobody is there, and the rules allow everything that the model tries: nothing of it happens."""
    tried = attempts(project)
    with ModelServer(Script(*tried, say("I give up."))) as server:
        claude = Claude(project, server, program)
        done = claude.ask("plan a greeting", "--permission-mode", "plan", *desk(project), "--allowedTools", *ALLOW)
    assert done.text == "I give up."
    assert_each_denied(server.turns[1:])
    assert not any("failed" in turn.news for turn in server.turns[1:])  # a sentence about planning, not about hooks
    assert (project.changes(), len(server.turns)) == ("", len(tried) + 1)


def test_a_host_that_says_yes_does_not_open_the_agents_own_plan_mode(project: Project) -> None:
    """The host would allow everything; it is never asked. Reading is not disturbed, and the plan file can be written."""
    tried = attempts(project)
    turns = [*tried, *reading(project), write_plan(PLAN), say("Planned.")]
    with (
        ModelServer(Script(*turns, subagents=LOOKING)) as server,
        Host(Claude(project, server), "--permission-mode", "plan", *desk(project)) as host,
    ):
        assert host.say("plan a greeting") == "Planned."
    assert_each_denied(server.turns[1 : len(tried) + 1])
    assert_none_denied([*server.turns[len(tried) + 1 :], *server.subagent_turns[1:]])
    assert len(server.subagent_turns) == len(LOOKING)
    assert (project.changes(), host.asked) == ("", [])


@pytest.mark.parametrize(
    ("program", "mode"), [soak(CLAUDE, "default"), (OLD_CLAUDE, "acceptEdits")], ids=["default", "old"]
)
def test_planrails_own_plan_mode_holds_in_every_mode(project: Project, program: Program, mode: str) -> None:
    """A person types /planrail:plan. The agent does not know a plan mode then, and planrail holds it all the same."""
    tried = attempts(project)
    turns = [*tried, *reading(project), write_plan(PLAN), say("Planned.")]
    with (
        ModelServer(Script(*turns, subagents=LOOKING)) as server,
        Host(Claude(project, server, program), "--permission-mode", mode, *desk(project)) as host,
    ):
        assert host.say("/planrail:plan add a greeting") == "Planned."
        kept = project.session("claude", host.session)
    assert server.turns[0].was_told(DENIED)
    assert_each_denied(server.turns[1 : len(tried) + 1])
    assert_none_denied([*server.turns[len(tried) + 1 :], *server.subagent_turns[1:]])
    plan = told_plan_file(server.turns[0])
    assert (kept["planning"], kept["plan"]) == (True, plan)
    assert project.changes() in ("", f"?? {plan.removeprefix(f'{project.folder}/')}")


@pytest.mark.parametrize(
    ("program", "mode", "prompt", "told"),
    [
        (CLAUDE, "plan", "plan a greeting", "plan mode"),
        soak(OLD_CLAUDE, "plan", "plan a greeting", "plan mode"),
        (CLAUDE, "acceptEdits", "/planrail:plan a greeting", "held to the same rules"),
    ],
    ids=["new", "old", "planrail's"],
)
def test_a_subagent_is_held_to_the_same_rules(
    project: Project, program: Program, mode: str, prompt: str, told: str
) -> None:
    """The model sends a sub-agent to do what it may not do itself. The sub-agent is denied, and told why."""
    send = call("Agent", description="do it", prompt="write the files", subagent_type="general-purpose")
    tried = attempts(project)[:4]
    script = Script(send, say("It could not."), subagents=(*tried, say("I could not.")))
    with ModelServer(script) as server, Host(Claude(project, server, program), "--permission-mode", mode) as host:
        assert host.say(prompt) == "It could not."
    assert_each_denied(server.subagent_turns[1:])
    assert server.subagent_turns[0].was_told(told)
    assert (project.changes(), len(server.subagent_turns)) == ("", len(tried) + 1)


def test_an_agent_that_enters_plan_mode_by_itself_is_held_and_a_subagent_cannot_enter_it(project: Project) -> None:
    """A sub-agent that asks for plan mode is told that it cannot have it; its parent asks, and from then on it is bound."""
    send = call("Agent", description="plan", prompt="plan it", subagent_type="general-purpose")
    made, other = (call("Write", file_path=project.path(name), content="x\n") for name in ("made.txt", "other.txt"))
    turns = [send, made, call("EnterPlanMode"), other, say("I plan.")]
    script = Script(*turns, subagents=(call("EnterPlanMode"), say("I cannot.")))
    with ModelServer(script) as server, Host(Claude(project, server)) as host:
        assert host.say("go") == "I plan."
    assert "EnterPlanMode" in server.subagent_turns[1].news
    assert_each_denied(server.turns[4:])
    assert project.changes() == "?? made.txt"
    assert host.modes[-1] == "plan"
