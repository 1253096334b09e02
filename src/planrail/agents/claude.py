"""Claude Code, driven over its JSON streams.

Read-only is held in three ways. Every use of a tool, also by a sub-agent, comes to us as a PreToolUse callback and is
judged; what needs a permission comes a second time, as a request for it; and tools that write are taken away by a
flag. Settings, hooks, plugins and MCP servers of the user and of the project are kept out, since they could allow more;
the login and CLAUDE.md are kept in. An agent that may write is held by the same callback, with another judge.
Measured with 2.1.325 and 2.1.197; docs/agents.md has the findings.
"""

import json
import os
from collections.abc import Mapping

from planrail.agents.environment import EVERYBODY, claude_names, matches
from planrail.agents.model import Ask, Assignment, Judge, Running
from planrail.agents.processes.running import NeverRan
from planrail.agents.starting import Program, launch, locate, refuse
from planrail.agents.wires.claude import ClaudeWire
from planrail.base.records import replace
from planrail.base.settings.agent_table import AgentSettings

INSTALL = "npm install --global @anthropic-ai/claude-code"
_STREAMS = ("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
_HELD = (
    "--permission-prompt-tool",
    "stdio",
    "--setting-sources",
    "",
    "--strict-mcp-config",
    "--disable-slash-commands",
)
# They work somewhere else, or later, or ask for a plan that is there already.
_ASTRAY = (
    *("EnterPlanMode", "ExitPlanMode", "EnterWorktree", "ExitWorktree", "CronCreate", "CronDelete", "ScheduleWakeup"),
)
_WRITING_TOOLS = ("Write", "Edit", "MultiEdit", "NotebookEdit", "Skill", "SlashCommand", "Workflow")
_LOGIN = ("apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "forceLoginMethod", "model")
_OURS = {
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",  # the answer is there when the process ends, not some time later
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",  # its memory is files that it writes
    "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD": "1",  # CLAUDE.md without the settings beside it
    "DISABLE_AUTOUPDATER": "1",
}


class Claude:
    """See `model.Driver`."""

    name = "claude"

    def __init__(self, environment: Mapping[str, str], settings: AgentSettings) -> None:
        self._user = _user_settings(environment)
        given = {**environment, **_variables(self._user)}
        names = (*claude_names(given), *settings.environment)
        program = locate("claude", settings.programs.get("claude", ""), given, names, INSTALL)
        self._program: Program = replace(program, environment={**program.environment, **_OURS})

    def start(self, assignment: Assignment, ask: Ask | None, judge: Judge) -> Running:
        """Start Claude Code; the prompt goes over its input, never onto the command line."""
        refused = refuse(self._program, assignment)
        if refused is not None:
            return NeverRan(refused)
        command = self._command(assignment, asks=ask is not None)
        return launch(self._program, command, assignment, lambda desk: ClaudeWire(assignment, desk), ask, judge)

    def _command(self, assignment: Assignment, *, asks: bool) -> list[str]:
        assert self._program.path is not None
        login = {key: self._user[key] for key in _LOGIN if isinstance(self._user.get(key), str)}
        writing = _WRITING_TOOLS if assignment.read_only else ()
        removed = (*_ASTRAY, *writing, *(() if asks else ("AskUserQuestion",)))
        return [
            *(self._program.path, *_STREAMS, *_HELD, f"--add-dir={os.path.abspath(assignment.folder)}"),
            *(["--settings", json.dumps(login)] if login else []),
            f"--disallowedTools={','.join(removed)}",
            *([f"--json-schema={assignment.schema}"] if assignment.schema else []),
            *([f"--model={assignment.model}"] if assignment.model else []),
            *([f"--resume={assignment.conversation}"] if assignment.conversation else []),
        ]


def variable_names(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The variables that Claude Code may have, its user's own settings considered."""
    return claude_names({**environment, **_variables(_user_settings(environment))})


def _user_settings(environment: Mapping[str, str]) -> dict[str, object]:
    """The user's settings of Claude Code. They are read for the login alone; what cannot be read has none."""
    folder = environment.get("CLAUDE_CONFIG_DIR") or os.path.join(environment.get("HOME", ""), ".claude")
    try:
        with open(os.path.join(folder, "settings.json"), encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _variables(user: dict[str, object]) -> dict[str, str]:
    """The variables that the user's settings give to Claude Code, as far as they are about where and who."""
    chosen = user.get("env")
    texts = (
        {name: value for name, value in chosen.items() if isinstance(value, str)} if isinstance(chosen, dict) else {}
    )
    names = claude_names(texts)
    return {name: value for name, value in texts.items() if matches(name, (*names, *EVERYBODY))}
