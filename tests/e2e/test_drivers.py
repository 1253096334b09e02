"""The drivers alone: before a story tells anything about planrail, the programs do what the story takes for granted."""

from planrail.testing.model_server import ModelRequest, ModelServer, Script, call, say
from tests.e2e.claude import Claude
from tests.e2e.claude_host import Host, deny
from tests.e2e.claude_screen import Screen
from tests.e2e.codex import Codex
from tests.e2e.plan_files import write_plan
from tests.e2e.projects import Project

PLAN = "# Plan\n\n- [ ] Write hello.txt\n"


def test_claude_writes_a_file_when_the_script_says_so(project: Project) -> None:
    script = Script(call("Write", file_path=project.path("hello.txt"), content="hello\n"), say("Done."))
    with ModelServer(script) as server:
        done = Claude(project, server, plugin=None).ask("write hello.txt", "--allowedTools", "Write")
    assert (done.code, done.text) == (0, "Done.")
    assert project.holds("hello.txt")
    assert (script.left, script.overrun, server.errors) == (0, 0, [])


def test_a_host_denies_a_plan_and_approves_the_next(project: Project) -> None:
    script = Script(write_plan(PLAN), call("ExitPlanMode"), call("ExitPlanMode"), say("Approved."))
    with ModelServer(script) as server, Host(Claude(project, server, plugin=None), "--permission-mode", "plan") as host:
        host.answers["ExitPlanMode"] = [deny("The tests are missing.")]
        assert host.say("plan hello.txt") == "Approved."
    assert host.asked == ["ExitPlanMode", "ExitPlanMode"]
    assert host.modes[-1] == "default"
    assert "The tests are missing." in server.turns[2].news


def test_a_clear_gives_a_new_session(project: Project) -> None:
    with (
        ModelServer(Script(say("One."), say("Two."))) as server,
        Host(Claude(project, server, plugin=None)) as host,
    ):
        host.say("tell me about herons")
        before = host.session
        host.say("/clear")
        host.say("second")
        assert host.session != before
    assert not server.turns[1].was_told("herons")
    ended = [(event["session_id"], event["reason"]) for event in project.events("SessionEnd")]
    assert ended[0] == (before, "clear")


def test_a_compaction_keeps_the_session(project: Project) -> None:
    with (
        ModelServer(Script(say("One."), say("Two."), summary="<summary>It was short.</summary>")) as server,
        Host(Claude(project, server, plugin=None)) as host,
    ):
        host.say("first")
        before = host.session
        host.say("/compact")
        host.say("second")
        assert host.session == before
    assert server.turns[-1].was_told("It was short.")


def test_a_subagent_has_turns_of_its_own(project: Project) -> None:
    work = call("Agent", description="look", prompt="look around", subagent_type="general-purpose")
    script = Script(work, say("Done."), subagents=(call("Bash", command="echo seen"), say("I saw it.")))
    with ModelServer(script) as server:
        done = Claude(project, server, plugin=None).ask("go", "--allowedTools", "Agent", "Bash")
    assert done.text == "Done."
    assert "seen" in server.subagent_turns[1].news
    assert server.turns[1].was_told("I saw it.")


def test_clearing_the_context_with_the_approval_starts_a_new_session(project: Project) -> None:
    script = Script(write_plan(PLAN), call("ExitPlanMode"), say("All implemented."))
    with ModelServer(script) as server:
        claude = Claude(project, server, plugin=None, settings={"showClearContextOnPlanAccept": True})
        with Screen(claude, "--permission-mode", "plan") as screen:
            screen.type("plan hello.txt", until="clear context")
            screen.press("Enter", until="All implemented.")
    first, last = server.turns[0], server.turns[-1]
    assert last.session != first.session
    assert last.was_told("Implement the following plan")
    assert [event["tool_name"] for event in project.events("PostToolUse")] == ["Write"]


def test_codex_runs_a_command_and_applies_a_patch(project: Project) -> None:
    patch = "*** Begin Patch\n*** Add File: patched.txt\n+patched\n*** End Patch\n"
    script = Script(call("exec_command", cmd="echo hello > hello.txt"), call("apply_patch", patch), say("Done."))
    with ModelServer(script) as server:
        done = Codex(project, server, with_planrail=False).ask("write two files")
    assert done.code == 0, done.errors
    assert project.holds("hello.txt")
    assert project.holds("patched.txt")
    assert [event["tool_name"] for event in project.events("PreToolUse")] == ["Bash", "apply_patch"]


def test_codex_resumes_a_session(project: Project) -> None:
    with ModelServer(Script(say("One."), say("Two."))) as server:
        codex = Codex(project, server, with_planrail=False)
        first = codex.ask("first")
        second = codex.ask("second", resume=first.session)
    assert second.session == first.session
    assert _last(server).was_told("first")


def _last(server: ModelServer) -> ModelRequest:
    return server.turns[-1]
