"""Codex, driven by `codex exec --json`.

Read-only is held by Codex's own sandbox, which is tried out before each assignment: where it does not hold, the agent
is not started. MCP servers, hooks, apps, plugins and the notify program run outside the sandbox, and are switched off.
A continued conversation does not remember its sandbox, so it is given each time. Measured with 0.166.0.
"""

import json
import os
import subprocess
import tempfile

from planrail.agents.codex_config import variable_names
from planrail.agents.codex_usage import used_so_far
from planrail.agents.codex_wire import CodexWire
from planrail.agents.environment import CODEX
from planrail.agents.model import failure
from planrail.agents.running import NeverRan
from planrail.agents.starting import Program, launch, locate, refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from planrail.agents.model import Ask, Assignment, Judge, Running, Spent
    from planrail.agents.settings import AgentSettings

INSTALL = "npm install --global @openai/codex"
_SECONDS = 30  # for the two looks before the start
_SWITCHED_OFF = ("features.hooks=false", "features.apps=false", "features.plugins=false", "notify=[]")
_PROBE = "echo inside; : > probe"


class Codex:
    """See `model.Driver`. Codex decides about tools by its sandbox and puts no questions: nobody is asked."""

    name = "codex"

    def __init__(self, environment: "Mapping[str, str]", settings: "AgentSettings") -> None:
        names = (*CODEX, *variable_names(environment), *settings.environment)
        self._program: Program = locate("codex", settings.programs.get("codex", ""), environment, names, INSTALL)

    def start(self, assignment: "Assignment", ask: "Ask | None", judge: "Judge") -> "Running":
        """Start Codex once its sandbox has been seen to hold; the prompt goes over its input."""
        refused = refuse(self._program, assignment)
        if refused is not None:
            return NeverRan(refused)
        servers = self._servers(assignment.folder)
        problem = self._unsafe(servers) if assignment.read_only else ""
        if problem:
            return NeverRan(failure("failed", problem, assignment.conversation))
        command = self._command(assignment, servers or [])
        return launch(self._program, command, assignment, lambda desk: CodexWire(assignment, self._used), ask, judge)

    def _used(self, conversation: str) -> "Spent":
        return used_so_far(self._program.environment, conversation)

    def _command(self, assignment: "Assignment", servers: list[str]) -> list[str]:
        assert self._program.path is not None
        off = (*_SWITCHED_OFF, *(f"mcp_servers.{name}.enabled=false" for name in servers))
        choices = ['approval_policy="never"', *(off if assignment.read_only else ())]
        sandbox = "read-only" if assignment.read_only else "workspace-write"
        return [
            *(self._program.path, "exec", "--json", "--sandbox", sandbox, "--skip-git-repo-check", "--color", "never"),
            *(word for choice in choices for word in ("-c", choice)),
            *([f"--model={assignment.model}"] if assignment.model else []),
            *(["resume", assignment.conversation] if assignment.conversation else []),
            "-",
        ]

    def _unsafe(self, servers: list[str] | None) -> str:
        """Why Codex must not be started read-only here; "" if nothing speaks against it."""
        if servers is None:
            return (
                "codex does not say which MCP servers it would start, so it is not started; try `codex mcp list --json`"
            )
        odd = [name for name in servers if not name.replace("-", "").replace("_", "").isalnum()]
        if odd:
            return f"the MCP server {odd[0]!r} cannot be switched off by its name; rename it in codex's settings"
        return self._leaks()

    def _leaks(self) -> str:
        """Try the sandbox on a folder that nobody misses."""
        with tempfile.TemporaryDirectory(prefix="planrail-probe-") as folder:
            command = ["sandbox", "-c", 'sandbox_mode="read-only"', "--", "sh", "-c", _PROBE]
            said = self._look(command, folder)
            if os.path.exists(os.path.join(folder, "probe")):
                return "codex's read-only sandbox does not hold on this machine, so codex is not started"
        if said is None or "inside" not in said:
            return "codex has no working sandbox on this machine, so it is not started; see `codex sandbox -- true`"
        return ""

    def _servers(self, folder: str) -> list[str] | None:
        said = self._look(["mcp", "list", "--json"], folder)
        try:
            listed = json.loads(said or "")
        except ValueError:
            return None
        return [str(entry["name"]) for entry in listed if isinstance(entry, dict) and "name" in entry]

    def _look(self, arguments: list[str], folder: str) -> str | None:
        """What a short command of Codex prints, whatever its code; None where it does not run."""
        assert self._program.path is not None
        try:
            done = subprocess.run(
                [self._program.path, *arguments],
                cwd=folder,
                env=dict(self._program.environment),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.decode(errors="replace")
