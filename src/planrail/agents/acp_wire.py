"""The Agent Client Protocol, from the client's side: JSON-RPC, one message on each line, requests in both directions.

Tools are asked about where the agent asks; what it has done without asking is judged afterwards, and a no ends it.
"""

import json

from planrail.agents import acp_tools as tools
from planrail.agents.model import Assignment, Began, Denied, Outcome, Said, UsageEvent, Used, failure
from planrail.agents.wires import Abort, Finish, Parts, Permissions, Send, Wire, ask_for, not_a_command, send_json
from planrail.base.json_reading import number_in, object_in, objects_in, read_object, text_in

Json = dict[str, object]
PROTOCOL = 1
_NO_METHOD = -32601
# Modes in which an agent asks before it does something; any other that it starts in is left for one of these.
_ASKING = ("default", "ask", "read-only", "manual")
_UNASKED = ("yolo", "auto", "autoEdit", "acceptEdits", "bypassPermissions", "dontAsk", "agent", "agent-full-access")
_FOLLOW_UPS = 10
_GO_ON = """What you wanted to do was refused:

{reasons}

Go on without it, and finish what you were asked to do."""


class AcpWire(Wire):
    """See `Wire`."""

    def __init__(self, name: str, assignment: Assignment, permissions: Permissions, *, is_gemini: bool = False) -> None:
        super().__init__(name, assignment, permissions)
        # Gemini is told its model by a flag; and where its client reads files for it, it cannot make new ones (0.61).
        self._sets_model = bool(assignment.model) and not is_gemini
        # a confined agent is not served by a process that is not: it reads and writes by itself
        self._offers_files = not is_gemini and not assignment.confinement.holds
        self._files = tools.AgentFiles(assignment.folder, read_only=assignment.read_only)
        self._number = 0
        self._requests: dict[int, str] = {}  # those that are not yet answered
        self._has_begun = False
        self._words: list[str] = []
        self._stop = ""
        self._calls: dict[str, Json] = {}
        self._judged: set[str] = set()
        self._announced: set[str] = set()
        self._refusals: list[str] = []  # since the agent last said something
        self._follow_ups = 0

    # ---- the course of the conversation ----

    def open(self) -> Parts:
        writes = self._offers_files and not self._assignment.read_only
        files = {"readTextFile": self._offers_files, "writeTextFile": writes}
        about = {"name": "planrail", "title": "planrail", "version": "1"}
        can = {"fs": files, "terminal": False}
        yield self._request("initialize", protocolVersion=PROTOCOL, clientCapabilities=can, clientInfo=about)

    def hear(self, line: bytes) -> Parts:
        heard = read_object(line)
        method, given = text_in(heard, "method"), object_in(heard, "params")
        if method == "session/update" and self._has_begun:
            update = object_in(given, "update")
            kind = text_in(update, "sessionUpdate")
            if kind == "agent_message_chunk":
                self._words.append(text_in(object_in(update, "content"), "text"))
            elif kind in ("tool_call", "tool_call_update"):
                yield from self._flush()
                yield from self._tool(update)
        elif method and "id" in heard:
            yield from self._asked(method, heard["id"], given)
        elif not method and isinstance(heard.get("id"), int):
            asked = self._requests.pop(number_in(heard, "id"), "")
            if "error" in heard:
                told = _plain(object_in(heard, "error")) or f"{self._name} answered {asked} with an error and no text"
                self._error = f"no conversation found: {told}" if asked == "session/load" else told
                yield Finish()
            else:
                yield from self._answered(asked, object_in(heard, "result"))

    def _answered(self, asked: str, result: Json) -> Parts:
        if asked == "initialize":
            yield from self._begin_session(result)
        elif asked in ("session/new", "session/load"):
            self.conversation = text_in(result, "sessionId") or self.conversation
            yield from self._settle_in(result)
        elif asked in ("session/set_mode", "session/set_model") and not self._requests:
            yield from self._say_prompt()
        elif asked == "session/prompt":
            yield from self._flush()
            yield from _spent(result)
            yield from self._turn_ended(text_in(result, "stopReason"))

    def _begin_session(self, result: Json) -> Parts:
        if number_in(result, "protocolVersion") != PROTOCOL:
            yield Abort(f"{self._name} speaks another version of the Agent Client Protocol than {PROTOCOL}")
            return
        place = {"cwd": self._assignment.folder, "mcpServers": []}
        if not self.conversation:
            yield self._request("session/new", **place)
        elif object_in(result, "agentCapabilities").get("loadSession"):
            yield self._request("session/load", sessionId=self.conversation, **place)
        else:
            self._error = f"no conversation found: {self._name} cannot go on with an earlier one"
            yield Finish()

    def _settle_in(self, result: Json) -> Parts:
        """An agent that would begin in a mode in which it does not ask is changed to one that does."""
        modes = object_in(result, "modes")
        offered = [text_in(mode, "id") for mode in objects_in(modes, "availableModes")]
        asking = next((mode for mode in _ASKING if mode in offered), "")
        if asking and text_in(modes, "currentModeId") in _UNASKED:
            yield self._request("session/set_mode", sessionId=self.conversation, modeId=asking)
        if self._sets_model:
            yield self._request("session/set_model", sessionId=self.conversation, modelId=self._assignment.model)
        if not self._requests:
            yield from self._say_prompt()

    def _say_prompt(self) -> Parts:
        self._has_begun = True  # what was said before is the history of a continued conversation
        yield Began(self.conversation)
        yield self._prompt(not_a_command(ask_for(self._assignment.prompt, self._assignment.schema)))

    def _prompt(self, text: str) -> Send:
        return self._request("session/prompt", sessionId=self.conversation, prompt=[{"type": "text", "text": text}])

    def _turn_ended(self, stop: str) -> Parts:
        """Some agents (opencode) end their turn at a refusal, without a word: they are told to go on without it."""
        if stop == "end_turn" and self._refusals and self._follow_ups < _FOLLOW_UPS:
            self._follow_ups += 1
            reasons, self._refusals = "\n".join(f"- {reason}" for reason in self._refusals), []
            yield self._prompt(_GO_ON.format(reasons=reasons))
            return
        self._is_done, self._stop = True, stop
        yield Finish()

    # ---- what the agent does ----

    def _flush(self) -> Parts:
        """A message is complete when something else begins."""
        text = "".join(self._words)
        self._words = []
        if text:
            self._last_words, self._refusals = text, []
            yield Said(text)

    def _tool(self, update: Json) -> Parts:
        use = text_in(update, "toolCallId")
        call = self._calls[use] = {**self._calls.get(use, {}), **_told(update)}
        if tools.is_telling(call):
            yield from self._announce(use, call)
        if call.get("status") == "completed" and use not in self._judged:
            self._judged.add(use)
            reason = self._refuse(call)
            if reason is not None:
                yield Denied(tools.name_of(call), reason, tools.command_of(call))
                yield Abort(
                    f"{self._name} used a tool without asking ({tools.describe_call(call)}), so it was ended: {reason}"
                )

    def _announce(self, use: str, call: Json) -> Parts:
        if use not in self._announced:
            self._announced.add(use)
            yield Used(tools.name_of(call), tools.describe_call(call), tools.command_of(call))

    def _refuse(self, call: Json) -> str | None:
        reasons = (self._permissions.refuse(tool, given) for tool, given in tools.judged_calls(call))
        return next((reason for reason in reasons if reason is not None), None)

    # ---- what the agent asks for ----

    def _asked(self, method: str, number: object, given: Json) -> Parts:
        try:
            if method == "session/request_permission":
                yield from self._permit(number, given)
            elif method == "fs/read_text_file" and self._offers_files:
                text = self._files.read(text_in(given, "path"), number_in(given, "line"), number_in(given, "limit"))
                yield _message(id=number, result={"content": text})
            elif method == "fs/write_text_file" and self._offers_files:
                path, text = text_in(given, "path"), text_in(given, "content")
                reason = self._permissions.refuse("Write", {"file_path": path, "content": text})
                if reason is not None:
                    yield Denied("Write", reason)
                    raise tools.FileRefused(reason)
                self._files.write(path, text)
                yield _message(id=number, result={})
            else:
                error = {"code": _NO_METHOD, "message": f"planrail offers no {method}"}
                yield _message(id=number, error=error)
        except tools.FileRefused as problem:
            yield _message(id=number, error={"code": problem.code, "message": str(problem)})

    def _permit(self, number: object, given: Json) -> Parts:
        told = object_in(given, "toolCall")
        use = text_in(told, "toolCallId")
        call = self._calls[use] = {**self._calls.get(use, {}), **_told(told)}
        yield from self._flush()
        yield from self._announce(use, call)
        reason = self._refuse(call)
        self._judged.add(use)
        if reason is not None:
            self._refusals.append(reason)
            yield Denied(tools.name_of(call), reason, tools.command_of(call))
        option = tools.choose_option(objects_in(given, "options"), is_allowed=reason is None)
        outcome = {"outcome": "selected", "optionId": option} if option else {"outcome": "cancelled"}
        yield _message(id=number, result={"outcome": outcome})

    # ---- the end ----

    def settle(self) -> Parts:
        yield from self._flush()

    def conclude(self, code: int, errors: str) -> Outcome:
        """Only a turn that came to its end is an answer."""
        if self._is_done and self._stop != "end_turn":
            return failure("failed", f"{self._name} stopped before it was done ({self._stop})", self.conversation)
        return self._answer() if self._is_done else self._fail(code, errors)

    def _request(self, method: str, **given: object) -> Send:
        self._number += 1
        self._requests[self._number] = method
        return _message(id=self._number, method=method, params=given)


def _message(**parts: object) -> Send:
    return send_json({"jsonrpc": "2.0", **parts})


def _told(update: Json) -> Json:
    """What an update says: a part that it leaves out stays as it was."""
    return {key: value for key, value in update.items() if value is not None and value != []}


def _spent(result: Json) -> Parts:
    """What the turn cost, by those agents that tell."""
    usage = object_in(result, "usage")
    if usage:
        read = [number_in(usage, key) for key in ("inputTokens", "cachedReadTokens", "cachedWriteTokens")]
        yield UsageEvent(sum(read), number_in(usage, "outputTokens"))
        return
    counted = object_in(object_in(object_in(result, "_meta"), "quota"), "token_count")
    if counted:
        yield UsageEvent(number_in(counted, "input_tokens"), number_in(counted, "output_tokens"))


def _plain(error: Json) -> str:
    data = error.get("data")
    if isinstance(data, dict):
        details = text_in(data, "details") or text_in(data, "message") or json.dumps(data)
    else:
        details = data if isinstance(data, str) else ""
    return ": ".join(part for part in (text_in(error, "message"), details) if part)
