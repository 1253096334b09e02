"""Codex, driven by `codex exec --json`.

Codex is held by its own sandbox, read-only or to its folder, and the sandbox is tried out before each assignment: where
it does not hold, the agent is not started. MCP servers, hooks, apps, plugins and the notify program run outside the
sandbox, and are switched off. A continued conversation does not remember its sandbox, so it is given each time.
Measured with 0.166.0.
"""

import json
import os
import subprocess
from collections.abc import Mapping

from planrail.agents.environment import CODEX
from planrail.agents.model import Ask, Assignment, Judge, Running, Spent, failure
from planrail.agents.processes.running import NeverRan
from planrail.agents.processes.scratch import ScratchFolder
from planrail.agents.starting import Program, launch, locate, refuse
from planrail.agents.wires.codex import CodexWire
from planrail.agents.wires.codex_config import variable_names
from planrail.agents.wires.codex_usage import used_so_far
from planrail.base.settings.agent_table import AgentSettings

INSTALL = "npm install --global @openai/codex"
_SECONDS = 30  # for the two looks before the start
_SWITCHED_OFF = ("features.hooks=false", "features.apps=false", "features.plugins=false", "notify=[]")
# A write that must not succeed, and for an agent that may work in its folder one that must.
_PROBES = {"read-only": "echo inside; : > probe", "workspace-write": "echo inside; touch ../probe; touch made"}
_TEMPORARY = "sandbox_workspace_write.exclude_slash_tmp=true", "sandbox_workspace_write.exclude_tmpdir_env_var=true"


class Codex:
    """See `model.Driver`. Codex decides about tools by its sandbox and puts no questions: nobody is asked."""

    name = "codex"

    def __init__(self, environment: Mapping[str, str], settings: AgentSettings) -> None:
        names = (*CODEX, *variable_names(environment), *settings.environment)
        self._program: Program = locate("codex", settings.programs.get("codex", ""), environment, names, INSTALL)

    def start(self, assignment: Assignment, ask: Ask | None, judge: Judge) -> Running:
        """Start Codex once its sandbox has been seen to hold; the prompt goes over its input."""
        refused = refuse(self._program, assignment)
        if refused is not None:
            return NeverRan(refused)
        servers = self._servers(assignment.folder)
        problem = self._unsafe(servers, _mode(assignment))
        if problem:
            return NeverRan(failure("failed", problem, assignment.conversation))
        scratch = ScratchFolder(assignment.log) if assignment.schema else None
        schema = scratch.write("schema.json", assignment.schema) if scratch else ""
        command = self._command(assignment, servers or [], schema)
        wire = CodexWire(assignment, self._used, scratch)
        return launch(self._program, command, assignment, lambda desk: wire, ask, judge)

    def _used(self, conversation: str) -> Spent:
        return used_so_far(self._program.environment, conversation)

    def _command(self, assignment: Assignment, servers: list[str], schema: str) -> list[str]:
        assert self._program.path is not None
        off = (*_SWITCHED_OFF, *(f"mcp_servers.{name}.enabled=false" for name in servers))
        choices = ['approval_policy="never"', *off, *self._closed(assignment)]
        sandbox = "--sandbox", _mode(assignment)
        return [
            *(self._program.path, "exec", "--json", *sandbox, "--skip-git-repo-check", "--color", "never"),
            *(word for choice in choices for word in ("-c", choice)),
            *(["--output-schema", schema] if schema else []),
            *([f"--model={assignment.model}"] if assignment.model else []),
            *(["resume", assignment.conversation] if assignment.conversation else []),
            "-",
        ]

    def _closed(self, assignment: Assignment) -> tuple[str, ...]:
        """Temporary folders are open to an agent that may write, unless something lies in them that it must not."""
        temporary = [os.path.realpath(name) for name in ("/tmp", self._program.environment.get("TMPDIR", "/tmp"))]
        protected = [os.path.realpath(place) for place in assignment.protected]
        is_near = any(place.startswith(folder.rstrip("/") + "/") for place in protected for folder in temporary)
        return _TEMPORARY if is_near and not assignment.read_only else ()

    def _unsafe(self, servers: list[str] | None, mode: str) -> str:
        """Why Codex must not be started here; "" if nothing speaks against it."""
        if servers is None:
            return (
                "codex does not say which MCP servers it would start, so it is not started; try `codex mcp list --json`"
            )
        odd = [name for name in servers if not name.replace("-", "").replace("_", "").isalnum()]
        if odd:
            return f"the MCP server {odd[0]!r} cannot be switched off by its name; rename it in codex's settings"
        return self._leaks(mode)

    def _leaks(self, mode: str) -> str:
        """Try the sandbox on a folder that nobody misses."""
        outer = ScratchFolder()
        try:
            inner = os.path.join(outer.path, "inner")
            os.mkdir(inner)
            open_ones = _TEMPORARY if mode == "workspace-write" else ()  # the probe itself lies in a temporary folder
            choices = (f'sandbox_mode="{mode}"', *open_ones)
            flags = [word for choice in choices for word in ("-c", choice)]
            said = self._look(["sandbox", *flags, "--", "sh", "-c", _PROBES[mode]], inner)
            if any(os.path.exists(os.path.join(folder, "probe")) for folder in (outer.path, inner)):
                return f"codex's {mode} sandbox does not hold on this machine, so codex is not started"
            can_work = mode == "read-only" or os.path.exists(os.path.join(inner, "made"))
        finally:
            outer.remove()
        if said is None or "inside" not in said or not can_work:
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


def _mode(assignment: Assignment) -> str:
    return "read-only" if assignment.read_only else "workspace-write"
