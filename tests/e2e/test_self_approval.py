"""The real Claude Code and Codex try it, on a scripted model: their processes are known for what they are."""

import sys
from pathlib import Path
from shlex import quote

import pytest

from planrail.testing.model_server import ModelServer, Script, call, say
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


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    (made.folder / "plans").mkdir()
    (made.folder / "plans" / "herons.md").write_text(TEXT)
    return made


@pytest.mark.parametrize("command", WAYS, ids=["as it is", "env -i"])
def test_claude_code_cannot_approve_at_a_terminal_that_it_makes(project: Project, command: str) -> None:
    with ModelServer(Script(call("Bash", command=command), say("I give up."))) as server:
        claude = Claude(project, server, plugin=None, environment={"IS_SANDBOX": "1"})
        claude.ask("approve it", "--permission-mode", "bypassPermissions")
    told = server.turns[1].news
    assert "nothing was approved" in told, told[-1500:]
    assert "agents set for what they start" in told or "started by an agent (claude" in told


def test_claude_code_is_known_by_its_program_alone(project: Project) -> None:
    """Claude Code's shell carries the marks; a shell that takes its place without them still has the agent above it."""
    program = "import sys; from planrail.approval.people.processes import list_lineage; from planrail.approval.channels import name_agent; print([name_agent(facts) for facts in list_lineage()])"
    with ModelServer(Script(call("Bash", command=f'{PYTHON} -c "{program}"'), say("Seen."))) as server:
        Claude(project, server, plugin=None, environment={"IS_SANDBOX": "1"}).ask(
            "look", "--permission-mode", "bypassPermissions"
        )
    assert "'claude'" in server.turns[1].news or "anthropic-ai" in server.turns[1].news, server.turns[1].news[-800:]


@pytest.mark.parametrize("command", WAYS, ids=["as it is", "env -i"])
def test_codex_cannot_approve_at_a_terminal_that_it_makes(project: Project, command: str) -> None:
    with ModelServer(Script(call("exec_command", cmd=command), say("I give up."))) as server:
        codex = Codex(project, server, with_planrail=False)
        config = codex.config / "config.toml"
        config.write_text(config.read_text().replace("workspace-write", "danger-full-access", 1))
        codex.ask("approve it")
    told = server.turns[1].news
    assert "nothing was approved" in told, told[-1500:]
    assert "agents set for what they start" in told or "started by an agent (codex" in told
