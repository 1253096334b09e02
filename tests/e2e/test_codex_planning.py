"""A planning in phases in Codex, whose stops are held by its hooks as well."""

import json
from pathlib import Path

from planrail.testing.model_server import ModelServer, Script, call, say
from tests.e2e.attempts import DENIED
from tests.e2e.codex import Codex
from tests.e2e.plan_files import told_plan_file
from tests.e2e.plannings import BEST, BETTER, ENDING, PLAN, add_source, before_the_draft, progress
from tests.e2e.projects import Project
from tests.e2e.test_codex_stories import PATCH, write_plan
from tests.e2e.windows import at_window
from tests.planning.answers import CRITIQUE, PROMISE


def _stage(project: Project, session: str) -> object:
    """`codex exec` has ended by the time that we look, and its session was put aside."""
    return json.loads((project.state / "ended" / "codex" / f"{session}.json").read_text())["stage"]


def test_a_plan_earns_its_approval_through_phases_in_codex(project: Project) -> None:
    """A failing critique, a revision, a no with a comment, another revision, an edit by the person, and a yes."""
    add_source(project)
    script = Script(
        *before_the_draft(),
        write_plan(PLAN),
        say("The draft is written."),
        say(CRITIQUE),
        call("apply_patch", PATCH),  # denied: only the plan file can be written
        write_plan(BETTER),
        say(ENDING),
        say("It is good as it is."),
        write_plan(BEST),
        say("Revised by your comment."),
        say("I have read what you changed."),
        call("apply_patch", PATCH),
        say("Done."),
    )
    with ModelServer(script) as server:
        codex = Codex(project, server)
        first = codex.ask("/plan refuse empty names --rounds 1")
        session = first.session
        plan = Path(told_plan_file(server.turns[0]))
        assert _stage(project, session) == "proposed"
        lines = plan.read_text().splitlines()
        number = next(at for at, line in enumerate(lines, 1) if "refuse an empty name" in line)
        at_window(project, "reject", str(plan), "--comment", f"{number}:with which error?")
        codex.ask("well?", resume=session)
        heard = server.turns[-1].news
        assert _stage(project, session) == "draft"
        codex.ask("then do as I said", resume=session)
        assert _stage(project, session) == "proposed"
        plan.write_text(plan.read_text().replace("White space.", "White space, and names of one letter."))
        codex.ask("I made it clearer", resume=session)
        edited = server.turns[-1].news
        assert not project.holds("patched.txt")
        codex.ask("approve the plan", resume=session)
    assert "Phase: UNDERSTAND" in server.turns[0].news
    assert "Phase: CRITIQUE" in server.turns[5].news
    assert DENIED in server.turns[7].news
    assert "In `src/greeter.py`, refuse an empty name" in heard
    assert "with which error?" in heard
    assert "The user edited the plan file" in edited
    assert project.holds("patched.txt")
    assert script.left == 0
    (found,) = json.loads(project.planrail("list", "approvals", "--json"))["plans"]
    assert (found["state"], [phase["channel"] for phase in found["phases"]]) == ("approved", ["dialog", "dialog"])


def test_a_plan_that_codex_only_says_is_put_into_the_file(project: Project) -> None:
    """No tool at all, and a phase that is not good enough: Codex is held as often as it takes, without a pause."""
    add_source(project)
    worse = [say("I like it.")] * 3
    script = Script(
        *worse,
        *before_the_draft(),
        say(PLAN),
        *worse,
        say(CRITIQUE),
        say(BETTER),
        say(f"{CRITIQUE}\n5. P7 Risks: FAIL - none is named"),
        say(f"{BEST}\n{PROMISE}"),
    )
    with ModelServer(script) as server:
        done = Codex(project, server).ask("/plan refuse empty names --deep")
        stage = _stage(project, done.session)
    text = Path(told_plan_file(server.turns[0])).read_text()
    assert (stage, progress(project)["ended"]) == ("proposed", "finished")
    assert BEST in text
    assert PROMISE not in text
    assert script.left == 0
