"""A proposed plan is rejected with comments, revised, edited by the person, and approved; and how strong a yes has to be."""

import json
from pathlib import Path

from planrail.testing.model_server import ModelRequest, ModelServer, Script, call, say
from planrail.testing.model_server.script import Input
from tests.approval.attacks.terminal_host import YES
from tests.e2e.attempts import DENIED
from tests.e2e.claude import Claude
from tests.e2e.claude_host import Host
from tests.e2e.plan_files import told_plan_file, write_plan
from tests.e2e.plannings import BEST, BETTER, ENDING, PLAN, add_source, before_the_draft, read_plan, up_to_the_proposal
from tests.e2e.projects import Project
from tests.e2e.windows import at_window
from tests.planning.answers import CRITIQUE

EDITED = "The user edited the plan file"
EXIT_NOTICE = "Plan mode is off"
EDITS = ("--permission-mode", "acceptEdits")
OPEN_END = "The phase is not done yet."  # a claim that it is would be held
TERMINAL = '[approval]\nin_session = "terminal"\n'


def _line_of(path: Path, words: str) -> int:
    return next(number for number, line in enumerate(path.read_text().splitlines(), 1) if words in line)


def _states(project: Project, plan: Path) -> dict[str, str]:
    """Each phase of the plan with its standing."""
    listed = json.loads(project.planrail("list", "approvals", "--json"))["plans"]
    (found,) = [one for one in listed if plan.samefile(project.folder / one["path"])]
    return {phase["phase"]: phase["state"] for phase in found["phases"]}


def test_a_rejected_plan_is_revised_by_its_comments_and_then_approved(project: Project) -> None:
    """Two rounds; a no with a comment, which the author hears with the line; an edit by the person; a yes on record."""
    add_source(project)
    draft = (write_plan(PLAN), say("The draft is written."))
    first_round = (say(CRITIQUE), write_plan(BETTER), say("Revised."))
    risky = BETTER.replace("None that is known.", "Somebody may rely on the old greeting.")
    second_round = (say(f"{CRITIQUE}\n5. P7 Risks: FAIL - none is named"), write_plan(risky), say(ENDING))
    script = Script(
        *before_the_draft(),
        *draft,
        *first_round,
        *second_round,
        say("It is good as it is."),
        read_plan(),
        write_plan(BEST),
        say("Revised by your comment."),
        say("I have read what you changed."),
        call("Write", file_path=project.path("hello.txt"), content="hello\n"),
        say(OPEN_END),
    )
    with ModelServer(script) as server, Host(Claude(project, server), *EDITS) as host:
        host.say("/planrail:plan refuse empty names --deep")
        assert project.session("claude", host.session)["stage"] == "proposed"
        plan = Path(told_plan_file(server.turns[0]))
        number = _line_of(plan, "refuse an empty name")
        at_window(
            project, "reject", str(plan), "--comment", f"{number}:with which error?", "--feedback", "nearly there"
        )
        host.say("well?")
        rejected = len(server.turns) - 1
        assert project.session("claude", host.session)["stage"] == "draft"
        host.say("then do as I said")
        assert project.session("claude", host.session)["stage"] == "proposed"
        plan.write_text(plan.read_text().replace("White space.", "White space, and names of one letter."))
        host.say("I made it clearer")
        edited = len(server.turns) - 1
        assert host.say("/planrail:approve") == OPEN_END
    heard = server.turns[rejected].news
    assert "In `src/greeter.py`, refuse an empty name" in heard
    assert "with which error?" in heard
    assert "nearly there" in heard
    assert EDITED in server.turns[edited].news
    assert not any(EDITED in turn.news for turn in server.turns[:edited])
    assert project.holds("hello.txt")
    assert script.left == 0
    assert "names of one letter" in plan.read_text()
    _assert_on_record(project, plan)


def _assert_on_record(project: Project, plan: Path) -> None:
    listed = json.loads(project.planrail("list", "approvals", "--json"))
    (found,) = listed["plans"]
    assert not listed["requests"]
    assert found["state"] == "approved"
    assert [phase["channel"] for phase in found["phases"]] == ["dialog", "dialog"]
    assert all(phase["who"] for phase in found["phases"])
    assert list(_states(project, plan).values()) == ["approved", "approved"]
    plan.write_text(plan.read_text().replace("Say in `notes.md`", "Shout in `notes.md`"))
    assert _states(project, plan) == {"1": "approved", "2": "changed"}


def test_a_no_that_comes_while_the_agent_works_is_heard_at_its_next_tool(project: Project) -> None:
    """The person does not wait for the end of a turn; neither does their comment."""
    add_source(project)

    def look_while_the_person_rejects(request: ModelRequest) -> Input:
        plan = told_plan_file(request)
        at_window(project, "reject", plan, "--comment", f"{_line_of(Path(plan), 'White space.')}:tabs as well?")
        return {"command": "ls"}

    script = Script(*up_to_the_proposal(), call("Bash", look_while_the_person_rejects), say("I hear you."))
    with ModelServer(script) as server, Host(Claude(project, server), *EDITS) as host:
        host.say("/planrail:plan refuse empty names --rounds 1")
        assert host.say("look once more") == "I hear you."
        kept = project.session("claude", host.session)
    heard = server.turns[-1].news
    assert "> White space." in heard
    assert "tabs as well?" in heard
    assert kept["stage"] == "draft"


def test_the_agents_own_dialog_is_not_enough_either(project: Project) -> None:
    """The host says yes to ExitPlanMode, and the agent leaves its plan mode; planrail holds on until the terminal's."""
    project.choose(f'[planning]\nworkflow = "free"\n{TERMINAL}')
    write = call("Write", file_path=project.path("hello.txt"), content="hello\n")
    script = Script(
        write_plan(PLAN), call("ExitPlanMode"), write, say("I wait."), write, say(OPEN_END), say("Nothing more.")
    )
    with ModelServer(script) as server, Host(Claude(project, server), "--permission-mode", "plan") as host:
        host.say("plan a greeting")
        assert not project.holds("hello.txt")
        plan = told_plan_file(server.turns[0])
        shown, code = at_window(project, "approve", plan, answers=[YES])
        assert code == 0, shown
        assert host.say("go on") == OPEN_END
    assert "planrail approve" in server.turns[2].news
    assert any(f"planrail approve {plan}" in notice for notice in host.notices)
    assert DENIED in server.turns[3].news
    assert EXIT_NOTICE in server.turns[4].news
    assert project.holds("hello.txt")
