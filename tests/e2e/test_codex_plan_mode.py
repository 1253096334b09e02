"""Codex's own plan mode, which its hooks do not tell: the guard stands in it, and goes with it."""

import json
from pathlib import Path

from planrail.testing.model_server import ModelServer, Script, call, say
from tests.e2e.attempts import DENIED
from tests.e2e.codex import Codex, CodexHost
from tests.e2e.projects import Project
from tests.e2e.test_codex_stories import PATCH

_TOUCH = call("exec_command", cmd="touch made.txt")


def test_codex_tells_its_plan_mode_in_its_record_alone(project: Project) -> None:
    """What the rule rests on: the hooks name the approval policy, and the line that begins the turn names the mode."""
    with (
        ModelServer(Script(_TOUCH, say("Done."))) as server,
        CodexHost(Codex(project, server, with_planrail=False)) as host,
    ):
        host.say("make it", mode="plan")
    [asked] = project.events("PreToolUse")
    record = [json.loads(line) for line in Path(str(asked["transcript_path"])).read_text().splitlines()]
    begun = [line["payload"] for line in record if line["payload"].get("type") == "task_started"]
    assert asked["permission_mode"] == "bypassPermissions"
    assert [(turn["turn_id"], turn["collaboration_mode_kind"]) for turn in begun] == [(asked["turn_id"], "plan")]
    assert project.holds("made.txt")  # Codex itself only asks its model not to


def test_nothing_is_changed_in_the_plan_mode_of_codex(project: Project) -> None:
    """Reading is free; a command that writes and a patch are denied. The next turn, outside of it, may write."""
    script = Script(
        call("exec_command", cmd="git log --oneline"),
        _TOUCH,
        call("apply_patch", PATCH),
        say("<proposed_plan>\n- [ ] make it\n\nVerify: `test -f made.txt`\n</proposed_plan>"),
        _TOUCH,
        say("Made."),
    )
    with ModelServer(script) as server, CodexHost(Codex(project, server)) as host:
        host.say("plan it", mode="plan")
        planned = project.session("codex", host.thread)
        kept = (project.holds("made.txt"), project.holds("patched.txt"))
        host.say("Implement the plan.")
        left = project.session("codex", host.thread)
    assert server.turns[0].was_told("<proposed_plan> block")
    assert "Begin" in server.turns[1].news
    assert DENIED in server.turns[2].news
    assert DENIED in server.turns[3].news
    assert (planned["planning"], kept) == (True, (False, False))
    assert not left.get("planning")
    assert project.holds("made.txt")
