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

from planrail.agents.environment import EVERYBODY, matches
from planrail.agents.model import Asked, Assignment, Began, Denied, Outcome, Question, Said, UsageEvent, Used, failure
from planrail.agents.starting import Connection, Prepared, ProgramDriver
from planrail.agents.wires import Abort, Finish, Parts, Permissions, Send, Wire, not_a_command, send_json
from planrail.base import json_reading as reading
from planrail.base.records import replace
from planrail.base.settings.agent_table import AgentSettings
from planrail.base.whole_files import read_whole

_ASK, _PLANS = "AskUserQuestion", ("ExitPlanMode", "EnterPlanMode")
_INITIALIZE = "planrail-initialize"
_DISABLED = "No such tool available: "


class ClaudeWire(Wire):
    """See `Wire`. The prompt is said only after the callback for tools has been accepted."""

    def __init__(self, assignment: Assignment, permissions: Permissions) -> None:
        super().__init__("claude", assignment, permissions)
        self._has_begun = False
        self._tasks = 0  # in the background: while there are any, a result is not the last
        self._result: dict[str, object] = {}
        self._usage: dict[str, UsageEvent] = {}  # by message, of those that no result has counted
        self._uses: dict[str, str] = {}
        self._judged: set[str] = set()
        self._refused_until = 0  # by a usage limit; -1: nobody knows how long

    def open(self) -> Parts:
        hooks = {"PreToolUse": [{"matcher": None, "hookCallbackIds": ["judge"]}]}
        request = {"subtype": "initialize", "hooks": hooks}
        yield send_json({"type": "control_request", "request_id": _INITIALIZE, "request": request})

    def hear(self, line: bytes) -> Parts:
        heard = reading.read_object(line)
        kind = heard.get("type")
        if kind == "control_request":
            yield from self._requested(reading.text_in(heard, "request_id"), reading.object_in(heard, "request"))
        elif kind == "control_response":
            yield from self._accepted(reading.object_in(heard, "response"))
        elif kind == "system" and heard.get("subtype") == "background_tasks_changed":
            self._tasks = len(reading.objects_in(heard, "tasks"))
        elif kind == "system" and heard.get("subtype") == "init" and not self._has_begun:
            self._has_begun = True
            self.conversation = reading.text_in(heard, "session_id") or self.conversation
            yield Began(self.conversation)
        elif kind == "assistant":
            yield from self._said(heard)
        elif kind == "user":
            yield from self._tool_ended(heard)
        elif kind == "result":
            self._result = heard
            self.conversation = reading.text_in(heard, "session_id") or self.conversation
            self._usage.clear()
            yield _counted(heard)
            if self._tasks == 0:
                yield Finish()
        elif kind == "rate_limit_event":
            # Told at every turn; what counts is a refusal, and that it was the last word.
            told = reading.object_in(heard, "rate_limit_info")
            self._refused_until = (reading.number_in(told, "resetsAt") or -1) if told.get("status") == "rejected" else 0

    def _accepted(self, response: dict[str, object]) -> Parts:
        if response.get("request_id") != _INITIALIZE:
            return
        if response.get("subtype") != "success":
            yield Abort("claude does not let planrail judge its tools, so it was not given the work")
            return
        content = [{"type": "text", "text": not_a_command(self._assignment.prompt)}]
        said = {"role": "user", "content": content}
        yield send_json({"type": "user", "message": said, "parent_tool_use_id": None, "session_id": "default"})

    # ---- tools ----

    def _requested(self, request_id: str, request: dict[str, object]) -> Parts:
        """A tool is asked about by the callback, and a second time by a request for a permission."""
        subtype, is_hook = request.get("subtype"), request.get("subtype") == "hook_callback"
        if not is_hook and subtype != "can_use_tool":
            response = {"subtype": "error", "request_id": request_id, "error": f"planrail cannot {subtype}"}
            yield send_json({"type": "control_response", "response": response})
            return
        event = reading.object_in(request, "input") if is_hook else request
        tool, given = (
            reading.text_in(event, "tool_name"),
            reading.object_in(event, "tool_input" if is_hook else "input"),
        )
        if is_hook:
            self._judged.add(reading.text_in(request, "tool_use_id") or reading.text_in(event, "tool_use_id"))
        reason = self._refuse(tool, given)
        if reason is not None:
            yield Denied(tool, reason, reading.command_in(given))
            decision = {"permissionDecision": "deny", "permissionDecisionReason": reason}
            hook = {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}
            yield _response(request_id, hook if is_hook else {"behavior": "deny", "message": reason})
            return
        if tool == _ASK and not is_hook:
            questions = [_question(entry) for entry in reading.objects_in(given, "questions")]
            yield Asked(tuple(questions))
            given = {**given, "answers": self._permissions.answer(questions)}
        yield _response(request_id, {} if is_hook else {"behavior": "allow", "updatedInput": given})

    def _refuse(self, tool: str, given: Mapping[str, object]) -> str | None:
        if tool == _ASK:
            is_answered = self._permissions.answers_questions
            return None if is_answered else "nobody is there to answer; decide, and say what you assumed"
        if tool in _PLANS and self._assignment.read_only:
            return "say the plan in your answer; planrail takes it from there"
        return self._permissions.refuse(tool, given)

    def _tool_ended(self, heard: dict[str, object]) -> Parts:
        """A tool that has run without being judged ends the work: the guard does not stand where it should."""
        for block in reading.objects_in(reading.object_in(heard, "message"), "content"):
            if block.get("type") != "tool_result":
                continue
            use = reading.text_in(block, "tool_use_id")
            tool = self._uses.pop(use, "")
            if block.get("is_error"):
                if _DISABLED in str(block.get("content"))[:200]:
                    yield Denied(tool, "the tool is taken away while planning")
            elif tool and use not in self._judged and self._assignment.read_only:
                yield Abort(f"claude used {tool} without asking planrail, so it was ended")

    # ---- words and figures ----

    def _said(self, heard: dict[str, object]) -> Parts:
        message = reading.object_in(heard, "message")
        self._usage[reading.text_in(message, "id")] = _spent_on(reading.object_in(message, "usage"))
        for block in reading.objects_in(message, "content"):
            if block.get("type") == "tool_use":
                self._uses[reading.text_in(block, "id")] = reading.text_in(block, "name")
                given = reading.object_in(block, "input")
                yield Used(reading.text_in(block, "name"), reading.describe_use(given), reading.command_in(given))
            elif block.get("type") == "text" and not heard.get("parent_tool_use_id"):
                self._last_words = reading.text_in(block, "text")
                yield Said(self._last_words)

    def settle(self) -> Parts:
        """What was spent on messages that no result has counted, because there was none."""
        for spent in self._usage.values():
            if spent.tokens_in or spent.tokens_out:
                yield spent
        self._usage.clear()

    def conclude(self, code: int, errors: str) -> Outcome:
        """The last result decides. `subtype` does not: it says success for an API error, too."""
        result = self._result
        if result and not result.get("is_error"):
            text, structured = reading.text_in(result, "result") or self._last_words, result.get("structured_output")
            told = "" if structured is None else json.dumps(structured)
            return Outcome(text, ok=True, conversation=self.conversation, structured=told)
        listed = result.get("errors")
        problems = "; ".join(map(str, listed)) if isinstance(listed, list) else ""
        error = (
            reading.text_in(result, "result") or problems or errors or f"claude ended with code {code} and said nothing"
        )
        reason = reading.reason_of(error, 429 if self._refused_until else reading.number_in(result, "api_error_status"))
        return replace(failure(reason, error, self.conversation), resets_at=max(0, self._refused_until))


def _response(request_id: str, response: object) -> Send:
    answer = {"subtype": "success", "request_id": request_id, "response": response}
    return send_json({"type": "control_response", "response": answer})


def _question(entry: dict[str, object]) -> Question:
    labels = tuple(reading.text_in(option, "label") for option in reading.objects_in(entry, "options"))
    return Question(reading.text_in(entry, "question"), labels, many=bool(entry.get("multiSelect")))


def _spent_on(usage: dict[str, object]) -> UsageEvent:
    told = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return UsageEvent(sum(reading.number_in(usage, key) for key in told), reading.number_in(usage, "output_tokens"))


def _counted(result: dict[str, object]) -> UsageEvent:
    """What was spent since the last result, sub-agents included; `total_cost_usd` would count a whole conversation."""
    models = reading.object_in(result, "model_usage_since_last_result")
    if not models:
        return _spent_on(reading.object_in(result, "usage"))
    each = [reading.object_in(models, name) for name in models]
    told = ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
    costs = [usage.get("costUSD") for usage in each]
    return UsageEvent(
        sum(reading.number_in(usage, key) for usage in each for key in told),
        sum(reading.number_in(usage, "outputTokens") for usage in each),
        sum(float(cost) for cost in costs if isinstance(cost, int | float)),
    )


CLAUDE = ("ANTHROPIC_*", "CLAUDE_*", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING", "DISABLE_AUTOUPDATER")
# Claude Code at another provider needs that provider's credentials, which are nobody else's business.
_PROVIDERS = {
    "CLAUDE_CODE_USE_BEDROCK": ("AWS_*",),
    "CLAUDE_CODE_USE_VERTEX": ("GOOGLE_*", "GCLOUD_*", "CLOUD_ML_*", "VERTEX_*"),
    "CLAUDE_CODE_USE_FOUNDRY": ("AZURE_*",),
}
_THEIR_LOGINS = {"AWS_*": ".aws", "GOOGLE_*": ".config/gcloud", "AZURE_*": ".azure"}
INSTALL = "npm install --global @anthropic-ai/claude-code"
_STREAMS = ("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
_HELD = ("--permission-prompt-tool", "stdio", "--setting-sources", "", "--strict-mcp-config")
# They work somewhere else, or later, or ask for a plan that is there already.
_ASTRAY = (*_PLANS, "EnterWorktree", "ExitWorktree", "CronCreate", "CronDelete", "ScheduleWakeup")
_WRITING_TOOLS = ("Write", "Edit", "MultiEdit", "NotebookEdit", "Skill", "SlashCommand", "Workflow")
_LOGIN = ("apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "forceLoginMethod", "model")
_OURS = {
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",  # the answer is there when the process ends, not some time later
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",  # its memory is files that it writes
    "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD": "1",  # CLAUDE.md without the settings beside it
    "DISABLE_AUTOUPDATER": "1",
}


class Claude(ProgramDriver):
    """See `model.Driver`."""

    name, install, ours = "claude", INSTALL, _OURS
    login = (".claude/.credentials.json",)
    copied = (".claude.json", ".claude/.claude.json")  # the second where CLAUDE_CONFIG_DIR is set
    connection = Connection(
        "Claude Code",
        "Claude Code loads the commands (/planrail:plan …) in folders that you trust; the hooks hold everywhere.",
        (".claude", "settings.local.json"),
        ("settings.json",),
        ".claude",
        "CLAUDE_CONFIG_DIR",
        mcp_file=(".mcp.json",),
        mcp_entries={"mcpServers": {"planrail": {"command": "planrail", "args": ["mcp"]}}},
        mcp_command="claude mcp add --scope user planrail -- planrail mcp",
    )

    def __init__(self, environment: Mapping[str, str], settings: AgentSettings) -> None:
        self._user = _user_settings(environment)
        super().__init__(environment, settings)
        words = [word for key in _LOGIN for word in str(self._user.get(key, "")).split()]
        self.helpers = tuple(map(os.path.expanduser, words))

    @classmethod
    def variables(cls, environment: Mapping[str, str]) -> tuple[str, ...]:
        return claude_names({**environment, **_variables(_user_settings(environment))})

    def surround(self, environment: Mapping[str, str]) -> Mapping[str, str]:
        return {**environment, **_variables(self._user)}

    def kept(self, environment: Mapping[str, str]) -> tuple[str, ...]:
        """With the login of the provider."""
        return (*self.login, *(place for name, place in _THEIR_LOGINS.items() if name in self.known))

    def prepare(self, assignment: Assignment, permissions: Permissions) -> Prepared:
        login = {key: self._user[key] for key in _LOGIN if isinstance(self._user.get(key), str)}
        writing = _WRITING_TOOLS if assignment.read_only else ()
        removed = (*_ASTRAY, *writing, *(() if permissions.answers_questions else (_ASK,)))
        arguments = [
            *(*_STREAMS, *_HELD, "--disable-slash-commands", f"--add-dir={os.path.abspath(assignment.folder)}"),
            *(["--settings", json.dumps(login)] if login else []),
            f"--disallowedTools={','.join(removed)}",
            *([f"--json-schema={assignment.schema}"] if assignment.schema else []),
            *([f"--model={assignment.model}"] if assignment.model else []),
            *([f"--resume={assignment.conversation}"] if assignment.conversation else []),
        ]
        return arguments, ClaudeWire(assignment, permissions)


DRIVER = Claude


def claude_names(given: Mapping[str, str]) -> tuple[str, ...]:
    """What Claude Code may have, with the credentials of the provider that it is told to use."""
    used = [names for flag, names in _PROVIDERS.items() if given.get(flag, "") not in ("", "0", "false")]
    return (*CLAUDE, *(name for names in used for name in names))


def _user_settings(environment: Mapping[str, str]) -> dict[str, object]:
    """The user's settings of Claude Code. They are read for the login alone; what cannot be read has none."""
    folder = environment.get("CLAUDE_CONFIG_DIR") or os.path.join(environment.get("HOME", ""), ".claude")
    return reading.read_object(read_whole(os.path.join(folder, "settings.json")) or b"")


def _variables(user: dict[str, object]) -> dict[str, str]:
    """The variables that the user's settings give to Claude Code, as far as they are about where and who."""
    texts = {name: value for name, value in reading.object_in(user, "env").items() if isinstance(value, str)}
    wanted = (*claude_names(texts), *EVERYBODY)
    return {name: value for name, value in texts.items() if matches(name, wanted)}
