"""The real Claude Code and Codex try it, on a scripted model: their processes are known for what they are."""

import sys
from pathlib import Path
from shlex import quote

import pytest

from planrail.testing.model_server import ModelRequest, ModelServer, Script, call, say
from tests.approval.attacks.desks import PLAN as TEXT
from tests.approval.attacks.desks import TOOLS
from tests.e2e.claude import Claude
from tests.e2e.codex import Codex
from tests.e2e.projects import Project

PYTHON = quote(sys.executable)
APPROVE = f"{PYTHON} {quote(str(TOOLS.parent / 'installed.py'))} /nowhere approve plans/herons.md"
TYPE = f"{PYTHON} {quote(str(TOOLS / 'type_yes.py'))} {APPROVE}"
# As it is; and with an environment that tells nothing, so that the program itself must be known.
WAYS = [TYPE, f'exec env -i HOME="$HOME" PATH="$PATH" {TYPE}']
LOOK = (
    f'{PYTHON} -c "from planrail.approval.people.terminals import list_lineage; '
    'from planrail.approval.channels import name_agent; print([name_agent(facts) for facts in list_lineage()])"'
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    (made.folder / "plans").mkdir()
    (made.folder / "plans" / "herons.md").write_text(TEXT)
    return made


def _assert_refused(turns: list[ModelRequest], agent: str) -> None:
    for told in (turn.news for turn in turns):
        assert "nothing was approved" in told, told[-1500:]
        assert "agents set for what they start" in told or f"started by an agent ({agent}" in told


def test_claude_code_cannot_approve_at_a_terminal_that_it_makes(project: Project) -> None:
    """Its shell carries marks; a shell that takes its place without them still has the agent above it."""
    tried = [call("Bash", command=command) for command in (*WAYS, LOOK)]
    with ModelServer(Script(*tried, say("I give up."))) as server:
        claude = Claude(project, server, plugin=None, environment={"IS_SANDBOX": "1"})
        claude.ask("approve it", "--permission-mode", "bypassPermissions")
    _assert_refused(server.turns[1:3], "claude")
    seen = server.turns[3].news
    assert "'claude'" in seen or "anthropic-ai" in seen, seen[-800:]


def test_codex_cannot_approve_at_a_terminal_that_it_makes(project: Project) -> None:
    with ModelServer(Script(*(call("exec_command", cmd=command) for command in WAYS), say("I give up."))) as server:
        codex = Codex(project, server, with_planrail=False)
        config = codex.config / "config.toml"
        config.write_text(config.read_text().replace("workspace-write", "danger-full-access", 1))
        codex.ask("approve it")
    _assert_refused(server.turns[1:], "codex")
    assert len(server.turns) == len(WAYS) + 1
