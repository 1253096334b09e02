"""An interactive agent is carried through the phases of planning by its stops."""

from pathlib import Path

import pytest

from planrail.testing.model_server import ModelServer, Script, Turn, call, fail, say
from tests.e2e.attempts import DENIED
from tests.e2e.claude import Claude
from tests.e2e.claude_host import Host
from tests.e2e.claude_screen import Screen
from tests.e2e.plan_files import told_plan_file, write_plan
from tests.e2e.plannings import (
    BETTER,
    ENDING,
    EXPLORED,
    PLAN,
    add_source,
    before_the_draft,
    planning_folder,
    progress,
    up_to_the_proposal,
)
from tests.e2e.programs import Program, both_versions
from tests.e2e.projects import Project
from tests.planning.answers import ALTERNATIVES, CRITIQUE, PROMISE, UNDERSTAND

EDITS = ("--permission-mode", "acceptEdits")
OPEN_END = "The phase is not done yet."  # a claim that it is would be held
BROKEN = fail(403, "permission_error")  # the turn breaks off in the middle of a phase; this one is not tried again


def test_a_plan_earns_its_approval_through_phases(project: Project) -> None:
    """A phase that is not good enough is asked for again; a failing critique is answered; the person approves."""
    add_source(project)
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
        say(ENDING),
        write,
        say(OPEN_END),
    )
    with ModelServer(script) as server, Host(Claude(project, server), *EDITS) as host:
        host.say("/planrail:plan refuse empty names --rounds 1")
        assert not project.holds("hello.txt")
        proposed = project.session("claude", host.session)
        text = Path(told_plan_file(server.turns[0])).read_text()
        assert host.say("/planrail:approve") == OPEN_END
        kept = project.session("claude", host.session)
    assert server.turns[0].was_told("Phase: UNDERSTAND")
    assert "The answer says nothing yet" in server.turns[1].news
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


def talk() -> tuple[Turn, ...]:
    """A planning with two rounds and no tool at all; two of the ten answers are not good enough."""
    second = f"{CRITIQUE}\n5. P7 Risks: FAIL - none is named"
    first_round = (say(PLAN), say(CRITIQUE), say(BETTER))
    return say("Hm."), *before_the_draft(), *first_round, say("I like it."), say(second), say(f"{BETTER}\n{PROMISE}")


def test_an_agent_that_only_talks_pauses_before_it_is_stopped_by_force(project: Project) -> None:
    """No tool at all, and two answers that are not good enough: eight holds, a pause, and then on where it was."""
    add_source(project)
    script = Script(*talk())
    with ModelServer(script) as server, Host(Claude(project, server)) as host:
        host.say("/planrail:plan refuse empty names --deep")
        paused = progress(project)
        assert len(server.turns) == 9
        host.say("continue")
        kept = project.session("claude", host.session)
    assert any("the planning pauses here" in notice for notice in host.notices)
    assert (paused["phase"], paused["index"], paused["ended"]) == ("revise", 7, "")
    assert "Phase: REVISE (round 2 of 2" in server.turns[9].news
    assert "none is named" in server.turns[9].news
    assert kept["stage"] == "proposed"
    assert BETTER in Path(told_plan_file(server.turns[0])).read_text()
    assert len(list((planning_folder(project) / "answers").glob("*[0-9].md"))) == 10
    assert script.left == 0


def test_a_planning_goes_on_after_a_clear(project: Project) -> None:
    """The new session is told the phase that the old one was in, and is held by the same planning."""
    add_source(project)
    write = call("Write", file_path=project.path("hello.txt"), content="hello\n")
    understood, explored, *rest = up_to_the_proposal()
    script = Script(understood, explored, BROKEN, write, *rest)
    with ModelServer(script) as server, Host(Claude(project, server), *EDITS) as host:
        host.say("/planrail:plan refuse empty names --rounds 1")
        old = host.session
        host.say("/clear")
        host.say("go on")
        kept = project.session("claude", host.session)
    assert host.session != old
    assert not project.session("claude", old)
    fresh, denied = server.turns[3], server.turns[4]
    assert fresh.was_told("Phase: ALTERNATIVES")
    assert fresh.was_told("refuse empty names")
    assert not fresh.was_told("Phase: UNDERSTAND")
    assert DENIED in denied.news
    assert (kept["stage"], progress(project)["ended"]) == ("proposed", "finished")
    assert script.left == 0


def test_a_critique_comes_from_a_sub_agent_with_a_fresh_context(project: Project) -> None:
    """The author lets planrail's critic judge, which has not seen the conversation, and hands on what it says."""
    add_source(project)
    ask = call(
        "Agent",
        lambda request: {
            "description": "criticise",
            "prompt": f"Criticise {told_plan_file(request)}",
            "subagent_type": "planrail:critic",
        },
    )
    turns = list(up_to_the_proposal())
    turns.insert(5, ask)
    script = Script(*turns, subagents=(call("Bash", command="touch hello.txt"), say(CRITIQUE)))
    with ModelServer(script) as server, Host(Claude(project, server), *EDITS) as host:
        host.say("/planrail:plan refuse empty names --rounds 1")
        kept = project.session("claude", host.session)
    critic = [request for request in server.requests if request.subagent]
    author = [request for request in server.turns if not request.subagent]
    assert "planrail:critic" in author[5].news
    assert critic[0].was_told("You judge a plan that somebody else wrote")
    assert not critic[0].was_told("Phase: UNDERSTAND")
    assert DENIED in critic[1].news
    assert "P2 File references: FAIL" in author[6].news
    assert not project.holds("hello.txt")
    assert kept["stage"] == "proposed"
    assert script.left == 0


def test_an_interview_asks_the_person_until_nothing_is_open(project: Project) -> None:
    """A plan with a question lets the stop pass; the person answers; then the plan is criticised and revised."""
    add_source(project)
    question = "Which error is raised? (ValueError / TypeError)"
    asking = PLAN.replace("## Open Questions\n\nNone.", f"## Open Questions\n\n- {question}")
    script = Script(
        write_plan(asking),
        say("I have a question."),
        write_plan(PLAN.replace("Refuse an empty name", "Raise ValueError for an empty name")),
        say("Nothing is open."),
        say(CRITIQUE),
        write_plan(BETTER),
        say(ENDING),
    )
    with ModelServer(script) as server, Host(Claude(project, server), *EDITS) as host:
        assert host.say("/planrail:plan refuse empty names --interview --rounds 1") == "I have a question."
        waiting = progress(project)
        host.say("ValueError")
        kept = project.session("claude", host.session)
    assert any(question in notice for notice in host.notices)
    assert (waiting["phase"], waiting["asked"]) == ("interview", 1)
    assert "Phase: INTERVIEW" in server.turns[2].news
    assert "Phase: CRITIQUE" in server.turns[4].news
    assert kept["stage"] == "proposed"
    assert script.left == 0


@both_versions
def test_nobody_is_asked_about_the_plan_file(project: Project, program: Program) -> None:
    """It lies in the agent's own folder, for which Claude Code asks whatever the rules say; another file is asked about."""
    add_source(project)
    other = call("Write", file_path=project.path("hello.txt"), content="hello\n")
    script = Script(*up_to_the_proposal(), other)
    asking = ("--permission-mode", "default")
    with ModelServer(script) as server, Screen(Claude(project, server, program), *asking) as screen:
        screen.type("/planrail:plan refuse empty names --rounds 1", until="the plan is ready")
        screen.type("/planrail:approve", until="Do you want to create hello.txt?")
    assert not project.holds("hello.txt")
    assert script.left == 0


@pytest.mark.soak
@both_versions
def test_a_person_at_the_screen_is_told_what_to_type(project: Project, program: Program) -> None:
    """At Claude Code's own screen: the pause, which rests on how often each version lets a stop be held, and the plan."""
    add_source(project)
    script = Script(*talk(), say("Begun."))
    with ModelServer(script) as server, Screen(Claude(project, server, program), *EDITS) as screen:
        screen.type("/planrail:plan refuse empty names --deep", until="Type `continue` to go on")
        screen.type("continue", until="the plan is ready")
        assert "approve it: /planrail:approve" in screen.text
        screen.type("/planrail:approve", until="Begun.")
        kept = project.session("claude", server.turns[-1].session)
    assert kept["stage"] == "approved"
    assert script.left == 0
