"""What `codex exec --json` says. It is told one thing, the prompt, and answers to nobody else."""

import json
from collections.abc import Callable, Iterator

from planrail.agents.model import Assignment, Began, Outcome, Said, Spent, Used, failure
from planrail.agents.processes.running import CloseInput, Part, Send
from planrail.agents.processes.scratch import ScratchFolder
from planrail.agents.structured import answered
from planrail.agents.wires.codex_usage import spent_on
from planrail.base.json_reading import command_in, describe_use, object_in, objects_in, read_object, reason_of, text_in

Parts = Iterator[Part]


_TOOLS = {"command_execution": "Bash", "file_change": "Edit", "mcp_tool_call": "MCP", "web_search": "WebSearch"}


class CodexWire:
    """See `running.Wire`. `used` says what a conversation has used so far, by Codex's own record of it."""

    def __init__(
        self, assignment: Assignment, used: Callable[[str], Spent], scratch: ScratchFolder | None = None
    ) -> None:
        self._scratch = scratch
        self._assignment = assignment
        self.conversation = assignment.conversation
        self._used = used
        self._counted = used(self.conversation)
        self._last_words = ""
        self._error = ""
        self._is_done = False

    def open(self) -> Parts:
        """The prompt is all that Codex reads."""
        yield Send(self._assignment.prompt)
        yield CloseInput()

    def hear(self, line: bytes) -> Parts:
        """One event. Kinds that are not known mean nothing."""
        heard = read_object(line)
        kind = text_in(heard, "type")
        if kind == "thread.started":
            self.conversation = text_in(heard, "thread_id") or self.conversation
            yield Began(self.conversation)
        elif kind.startswith("item."):
            yield from self._item(kind, object_in(heard, "item"))
        elif kind == "turn.completed":
            self._is_done, self._error = True, ""
            yield self._spent(spent_on(object_in(heard, "usage")))
        elif kind == "turn.failed":
            self._is_done, self._error = False, _plain(text_in(object_in(heard, "error"), "message"))
        elif kind == "error":
            self._error = _plain(text_in(heard, "message"))

    def _item(self, kind: str, item: dict[str, object]) -> Parts:
        what = text_in(item, "type")
        if what == "agent_message" and kind == "item.completed":
            self._last_words = text_in(item, "text")
            yield Said(self._last_words)
        elif what == "file_change" and kind == "item.completed":
            paths = ", ".join(text_in(change, "path") for change in objects_in(item, "changes"))
            yield Used("Edit", paths)
        elif what in _TOOLS and kind == "item.started":
            yield Used(_TOOLS[what], describe_use(item), command_in(item))

    def _spent(self, total: Spent) -> Spent:
        """What is new: the figures of a continued conversation begin at its beginning."""
        before, self._counted = self._counted, total
        return Spent(max(0, total.tokens_in - before.tokens_in), max(0, total.tokens_out - before.tokens_out))

    def settle(self) -> Parts:
        """What a turn had used that was not allowed to complete."""
        if self._scratch is not None:
            self._scratch.remove()
        if not self._is_done and self.conversation:
            spent = self._spent(self._used(self.conversation))
            if spent.tokens_in or spent.tokens_out:
                yield spent

    def conclude(self, code: int, errors: str) -> Outcome:
        """Only a completed turn is an answer."""
        if self._is_done and code == 0:
            return answered(self._last_words, self._assignment, self.conversation)
        error = self._error or errors or f"codex ended with code {code} and said nothing"
        return failure(reason_of(error), error, self.conversation)


def _plain(message: str) -> str:
    """The text of an error, which is sometimes the service's JSON."""
    if not message.startswith("{"):
        return message
    try:
        found = json.loads(message)
    except ValueError:
        return message
    inner = object_in(found, "error") if isinstance(found, dict) else {}
    return text_in(inner, "message") or message
