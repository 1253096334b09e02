"""The line below the prompt, as `planrail init` sets it up, in front of a person."""

from planrail.testing.model_server import ModelServer, Script, Turn, Usage, call, say
from tests.e2e.claude import Claude
from tests.e2e.claude_screen import Screen
from tests.e2e.plan_files import told_plan_file, write_plan
from tests.e2e.projects import Project

PLAN = """# Teach the herons

## Phase 1: Find

- [x] Find a heron

## Phase 2: Teach

- [ ] Teach it to bow

Verify: `test -d .`
"""
# Claude Code gives this model 200,000 tokens, unless it is asked for the large window.
MODEL, WINDOW = "claude-opus-4-6", 200_000
LITTLE, FULL = Usage(input=1_000, cache_read=31_000), Usage(input=1_000, cache_read=123_000)


def test_the_status_line_shows_plan_phase_and_context_and_its_window_is_the_one_that_fills(project: Project) -> None:
    """The line names the approved plan, counts its phases, and tells planrail how much fits: the stop is held by that."""
    project.planrail("init", "--agent", "claude")
    approved = [write_plan(PLAN), call("ExitPlanMode"), say("Approved.", LITTLE)]
    look = Turn(calls=call("Bash", command="git status").calls, usage=FULL)
    with (
        ModelServer(Script(*approved, look, say("Worked.", FULL), say("Saved."))) as server,
        Screen(Claude(project, server, plugin=None), "--permission-mode", "plan", "--model", MODEL) as screen,
    ):
        screen.type("plan the herons", until="Would you like to proceed?")
        screen.press("Enter", until="Approved.")
        screen.wait_for("16 %")
        line = next(line for line in screen.text.splitlines() if "16 %" in line)
        kept = project.session("claude", server.turns[0].session)
        screen.type("work", until="Saved.")
    name = told_plan_file(server.turns[0]).rpartition("/")[2].removesuffix(".md")
    assert [part.strip() for part in line.split("·")] == [name, "phase 2/2", "Teach it to bow", "0 of 1 proven", "16 %"]
    assert kept["window"] == WINDOW
    assert "Context at 62%" in server.turns[-1].news
