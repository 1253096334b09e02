"""A plan is put before a person, sent back, put before them again, and approved."""

from planrail.testing.model_server import ModelServer, Script, call, say
from tests.e2e.attempts import DENIED
from tests.e2e.claude import Claude
from tests.e2e.claude_host import Host, deny
from tests.e2e.claude_screen import Screen
from tests.e2e.plan_files import told_plan_file, write_plan
from tests.e2e.programs import Program, both_versions
from tests.e2e.projects import Project

PLAN = "# Greet\n\n- [ ] Write hello.txt\n\nVerify: `test -d .`\n"
BETTER = "# Greet\n\n- [ ] Write hello.txt\n- [ ] Test it\n\nVerify: `test -d .`\n"
EXIT_NOTICE = "Plan mode is off"


def test_a_plan_is_denied_revised_and_approved(project: Project) -> None:
    """The person says no; writing stays denied. The model revises, the person says yes; now the file can be written."""
    write = call("Write", file_path=project.path("hello.txt"), content="hello\n")
    script = Script(
        write_plan(PLAN),
        call("ExitPlanMode"),
        write,
        write_plan(BETTER),
        call("ExitPlanMode"),
        write,
        say("Done."),
        say("Nothing more."),
    )
    with ModelServer(script) as server, Host(Claude(project, server), "--permission-mode", "plan") as host:
        host.answers["ExitPlanMode"] = [deny("The test is missing.")]
        assert host.say("plan a greeting") == "Done."
        kept = project.session("claude", host.session)
        host.say("and now?")
    denied, written, after = server.turns[3], server.turns[6], server.turns[7]
    assert "The test is missing." in server.turns[2].news
    assert DENIED in denied.news
    assert DENIED not in written.news
    assert project.holds("hello.txt")
    assert (kept["plan"], kept["stage"]) == (told_plan_file(server.turns[0]), "approved")
    assert not kept.get("planning")
    assert after.said_by("system", "user", "tool").count(EXIT_NOTICE) == 1
    assert host.modes[-1] == "default"


@both_versions
def test_clearing_the_context_with_the_approval_keeps_the_plan(project: Project, program: Program) -> None:
    """The person says "yes, clear context": no tool is reported, no prompt. The new session has the plan all the same."""
    write = call("Write", file_path=project.path("hello.txt"), content="hello\n")
    script = Script(write_plan(PLAN), call("ExitPlanMode"), write, say("All implemented."))
    with ModelServer(script) as server:
        claude = Claude(
            project,
            server,
            program,
            settings={"showClearContextOnPlanAccept": True, "permissions": {"allow": ["Write"]}},
        )
        with Screen(claude, "--permission-mode", "plan") as screen:
            screen.type("plan a greeting", until="clear context")
            screen.press("Enter", until="All implemented.")
            kept = project.session("claude", server.turns[-1].session)
    first, last = server.turns[0], server.turns[-1]
    assert last.session != first.session
    assert (kept["plan"], kept["stage"]) == (told_plan_file(first), "approved")
    assert not kept.get("planning")
    assert DENIED not in last.news
    assert project.holds("hello.txt")


@both_versions
def test_a_plan_that_was_dismissed_is_not_approved_by_a_clear(project: Project, program: Program) -> None:
    """At the screen the person presses escape and clears. The agent reports nothing of it but the end of the session."""
    script = Script(write_plan(PLAN), call("ExitPlanMode"), say("Fresh."))
    with (
        ModelServer(script) as server,
        Screen(Claude(project, server, program), "--permission-mode", "plan") as screen,
    ):
        screen.type("plan a greeting", until="Would you like to proceed?")
        screen.press("Escape", until="plan mode on")
        screen.clear(gone="plan a greeting")
        screen.type("hello again", until="Fresh.")
        kept = project.session("claude", server.turns[-1].session)
    assert server.turns[-1].session != server.turns[0].session
    assert kept.get("stage") != "approved"
    assert not server.turns[-1].was_told("ACTION REQUIRED")
