"""The drivers keep their promises with the real Claude Code and Codex on the scripted model."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.agents.drivers import load_driver
from planrail.agents.model import Assignment, Denied, Event, Outcome
from planrail.agents.processes.trees import tree
from planrail.base.settings.agent_table import AgentSettings
from planrail.testing.agent_conformance import AgentConformance, QuestionConformance
from planrail.testing.agent_stage import Say, Stage, allow, guarded
from planrail.testing.model_server import ModelServer, Script, Turn, call, say
from tests.e2e.agent_stages import ClaudeStage, CodexStage
from tests.e2e.programs import OLD_CLAUDE


class OldClaudeStage(ClaudeStage):
    """The oldest Claude Code that is supported."""

    program = OLD_CLAUDE


class TestClaude(AgentConformance, QuestionConformance):
    @pytest.fixture
    def stage(self, tmp_path: Path) -> Iterator[Stage]:
        with ModelServer(Script()) as server:
            yield ClaudeStage(tmp_path, server)


class TestCodex(AgentConformance):
    @pytest.fixture
    def stage(self, tmp_path: Path) -> Iterator[Stage]:
        with ModelServer(Script()) as server:
            yield CodexStage(tmp_path, server)


@pytest.fixture
def claude(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ClaudeStage]:
    with ModelServer(Script()) as server:
        yield getattr(request, "param", ClaudeStage)(tmp_path, server)


both_versions = pytest.mark.parametrize("claude", [ClaudeStage, OldClaudeStage], ids=["new", "old"], indirect=True)


@pytest.fixture
def codex(tmp_path: Path) -> Iterator[CodexStage]:
    with ModelServer(Script()) as server:
        yield CodexStage(tmp_path, server)


def _run(stage: ClaudeStage | CodexStage, script: Script) -> tuple[Outcome, list[Event]]:
    """One assignment, under the guard."""
    stage.server.script = script
    driver = load_driver(stage.name, stage.environment(), stage.settings())
    assignment = Assignment("author", "Plan.", str(stage.folder), timeout=60)
    running = driver.start(assignment, None, guarded(stage.folder))
    events = list(running.events())
    return running.wait(), events


_HURTFUL_CLAUDE = [
    call("Bash", command="touch made.txt"),
    call("Bash", command="echo hi > made.txt"),
    call("Bash", command="git commit --allow-empty --message slipped"),
    call("Write", file_path="made.txt", content="x"),
    call("Edit", file_path="notes.md", old_string="Nothing", new_string="Something"),
    call("NotebookEdit", notebook_path="made.ipynb", new_source="x"),
    call("EnterWorktree", name="made"),
    call("ExitPlanMode"),
    call("Bash", command="touch made.txt", dangerouslyDisableSandbox=True),
    call("Bash", command="sleep 1; touch made.txt", run_in_background=True),
]


@both_versions
def test_nothing_that_claude_or_its_sub_agents_try_changes_the_tree(claude: ClaudeStage) -> None:
    started = call("Agent", description="look", prompt="look around", subagent_type="general-purpose")
    subagents = (*_HURTFUL_CLAUDE, say("I tried."))
    before = claude.project.git("log", "--format=%H")
    outcome, events = _run(claude, Script(*_HURTFUL_CLAUDE, started, say("Over."), subagents=subagents))
    assert outcome.text == "Over."
    assert claude.project.changes() == ""
    assert claude.project.git("log", "--format=%H") == before
    assert len(claude.server.subagent_turns) == len(subagents)
    judged = [event for event in events if isinstance(event, Denied) and event.tool == "Bash"]
    assert len(judged) == 2 * 4  # the command in the background is refused by Claude Code itself, before it asks


@both_versions
def test_settings_that_allow_more_are_kept_out_and_the_projects_instructions_in(claude: ClaudeStage) -> None:
    everything = {"permissions": {"allow": ["Bash", "Write", "Edit"], "defaultMode": "acceptEdits"}}
    touching = {"hooks": [{"type": "command", "command": f"touch {claude.folder}/hooked.txt"}]}
    hooks = {event: [touching] for event in ("SessionStart", "PreToolUse", "Stop")}
    allowing = json.dumps({**everything, "hooks": hooks})
    for folder in (claude.project.home / ".claude", claude.folder / ".claude"):
        folder.mkdir(exist_ok=True)
        (folder / "settings.json").write_text(allowing)
    server = {"command": "touch", "args": [str(claude.folder / "served.txt")]}
    (claude.folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"x": server}}))
    (claude.folder / "CLAUDE.md").write_text("Herons are grey.\n")
    outcome, _ = _run(claude, Script(call("Bash", command="touch made.txt"), say("Over.")))
    assert outcome.text == "Over."
    for name in ("made.txt", "hooked.txt", "served.txt"):
        assert not claude.project.holds(name), name
    assert claude.server.turns[0].was_told("Herons are grey.")
    assert "AskUserQuestion" not in claude.server.turns[0].tools  # nobody is there to ask


def test_the_login_in_the_users_settings_still_works(claude: ClaudeStage) -> None:
    environment = claude.environment()
    key = environment.pop("ANTHROPIC_API_KEY")
    address = environment.pop("ANTHROPIC_BASE_URL")
    settings = {"apiKeyHelper": f"echo {key}", "env": {"ANTHROPIC_BASE_URL": address, "LD_PRELOAD": "x"}}
    (claude.project.home / ".claude" / "settings.json").write_text(json.dumps(settings))
    claude.server.script = Script(say("Hello."))
    driver = load_driver("claude", environment, claude.settings())
    outcome = driver.start(Assignment("author", "Hi.", str(claude.folder), timeout=60), None, allow).wait()
    assert outcome.text == "Hello.", outcome.error


_DRIVE = """
import json, sys, time
from planrail.agents.drivers import load_driver
from planrail.agents.model import Assignment
from planrail.base.settings.agent_table import AgentSettings

def think(tool, given):
    print("judging", flush=True)
    time.sleep(600)

folder, environment, programs = json.loads(sys.argv[1])
load_driver("claude", environment, AgentSettings(programs)).start(Assignment("author", "Plan.", folder), None, think).wait()
"""


def test_when_planrail_is_killed_claude_changes_nothing_and_ends(claude: ClaudeStage) -> None:
    claude.server.script = Script(
        call("Bash", command="touch made.txt"), call("Bash", command="touch made.txt"), say("x")
    )
    told = json.dumps([str(claude.folder), claude.environment(), claude.settings().programs])
    with subprocess.Popen([sys.executable, "-c", _DRIVE, told], stdout=subprocess.PIPE, text=True) as driving:
        assert driving.stdout is not None
        assert driving.stdout.readline() == "judging\n"
        left = {process.pid for process in tree(driving.pid, "none")} - {driving.pid}
        driving.kill()
    assert left
    deadline = time.monotonic() + 30
    while any(os.path.exists(f"/proc/{pid}") for pid in left) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(os.path.exists(f"/proc/{pid}") for pid in left)
    assert claude.project.changes() == ""


_HURTFUL_CODEX: list[Turn] = [
    call("exec_command", cmd="touch made.txt"),
    call("exec_command", cmd="touch $TMPDIR/made.txt"),
    call("exec_command", cmd="touch made.txt", sandbox_permissions="require_escalated", justification="please"),
    call("apply_patch", "*** Begin Patch\n*** Add File: made.txt\n+x\n*** End Patch\n"),
    call("exec_command", cmd="git commit --allow-empty --message slipped"),
]


def test_nothing_that_codex_tries_changes_the_tree_also_when_it_is_continued(codex: CodexStage) -> None:
    before = codex.project.git("log", "--format=%H")
    driver = codex.play(Say("unused"))
    conversation = ""
    for _ in range(2):
        codex.server.script = Script(*_HURTFUL_CODEX, say("Over."))
        assignment = Assignment("author", "Plan.", str(codex.folder), conversation=conversation, timeout=60)
        outcome = driver.start(assignment, None, allow).wait()
        assert outcome.text == "Over."
        conversation = outcome.conversation
    assert codex.project.changes() == ""
    assert codex.project.git("log", "--format=%H") == before
    assert list(codex.project.temporary.rglob("made.txt")) == []


def test_what_codex_would_start_outside_its_sandbox_is_switched_off(codex: CodexStage) -> None:
    environment = codex.environment()
    config = Path(environment["CODEX_HOME"]) / "config.toml"
    touched = codex.project.base / "touched"
    server = f'[mcp_servers.birds]\ncommand = "touch"\nargs = ["{touched}"]\n'
    config.write_text(f'notify = ["touch", "{touched}"]\n' + config.read_text() + server)
    codex.server.script = Script(say("Hello."))
    driver = load_driver("codex", environment, codex.settings())
    outcome = driver.start(Assignment("critic", "Hi.", str(codex.folder), timeout=60), None, allow).wait()
    assert outcome.text == "Hello.", outcome.error
    assert not touched.exists()
    assert codex.project.events() == []


@pytest.mark.parametrize(
    ("sandbox", "told"),
    [('shift 4; exec "$@"', "does not hold"), ("exit 1", "no working sandbox")],
    ids=["leaks", "absent"],
)
def test_codex_without_a_sandbox_is_not_started(codex: CodexStage, sandbox: str, told: str) -> None:
    program = codex.project.base / "codex"
    program.write_text(f'#!/bin/sh\ncase $1 in\nmcp) echo "[]" ;;\nsandbox) {sandbox} ;;\n*) touch started ;;\nesac\n')
    program.chmod(0o755)
    driver = load_driver("codex", codex.environment(), AgentSettings({"codex": str(program)}))
    running = driver.start(Assignment("critic", "Hi.", str(codex.folder), timeout=60), None, allow)
    outcome = running.wait()
    assert (outcome.ok, outcome.reason) == (False, "failed")
    assert told in outcome.error
    assert not codex.project.holds("started")
