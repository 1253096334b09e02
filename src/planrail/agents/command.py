"""Any program that takes a prompt file: the settings give its command line, what it prints is its answer.

    my-agent --yes --message-file {prompt}

`{prompt}` is the path of a file with the prompt (without it, the prompt is the input), `{folder}` the folder to work
in, `{role}` the role. No shell is between: each word of the line is one argument. The program's exit code says whether
it went well. Its last line may be a report: a JSON object with some of `text`, `structured`, `tokens_in`, `tokens_out`,
`cost`, `conversation`, and for a failure `error`, `reason` ("limit") and `resets_at`, and nothing else. Only its own
good will holds it to reading.
"""

from planrail.agents.model import Assignment, Began, Outcome, Said, UsageEvent, failure
from planrail.agents.starting import Prepared, ProgramDriver, ScratchFolder
from planrail.agents.wires import CloseInput, LogNote, Parts, Permissions, Send, Wire, ask_for, last_object
from planrail.base.decoding import decode, encode
from planrail.base.errors import UsageError
from planrail.base.records import replace
from planrail.base.settings.agent_table import AgentSettings

_REASONS = ("failed", "limit")
_REPORT = ("text", "structured", "tokens_in", "tokens_out", "cost", "conversation", "error", "reason", "resets_at")


class CommandAgent(ProgramDriver):
    """See `model.Driver`. The program answers to nobody: neither judge nor questions."""

    name, install = "command", "see its own documentation"

    def choose(self, settings: AgentSettings) -> str:
        self._words = read_words(settings)
        self.title = self._words[0] if self._words else ""
        return self.title

    def refuse(self, assignment: Assignment) -> Outcome | None:
        if not self._words:
            return failure("missing", 'no command is set; set one, such as command = "my-agent {prompt}"')
        return super().refuse(assignment)

    def prepare(self, assignment: Assignment, permissions: Permissions) -> Prepared:
        scratch, prompt = ScratchFolder(assignment.log), ask_for(assignment.prompt, assignment.schema)
        told = {"{prompt}": scratch.write("prompt.md", prompt), "{folder}": assignment.folder}
        words = [_fill(word, {**told, "{role}": assignment.role}) for word in self._words[1:]]
        is_in_file = any("{prompt}" in word for word in self._words)
        return words, CommandWire(assignment, permissions, scratch, LogNote(prompt) if is_in_file else Send(prompt))


DRIVER = CommandAgent


class CommandWire(Wire):
    """See `Wire`. Everything is in a file; a command line without a place for it gets the prompt as its input."""

    def __init__(
        self, assignment: Assignment, permissions: Permissions, scratch: ScratchFolder, first: LogNote | Send
    ) -> None:
        super().__init__("the command", assignment, permissions)
        self._scratch, self._first = scratch, first
        self._said: list[str] = []
        self._more: dict[str, object] = {}
        self._last = ""

    def open(self) -> Parts:
        yield self._first
        yield CloseInput()
        yield Began(self.conversation)

    def hear(self, line: bytes) -> Parts:
        """A line of the answer, or the report; a report that something follows was none."""
        text = line.decode("utf-8", "replace")
        if self._more:
            self._said.append(self._last)
        try:
            value = decode(text) if text.startswith("{") else None
        except ValueError:
            value = None
        self._more = value if isinstance(value, dict) and all(key in _REPORT for key in value) else {}
        self._last = text
        if not self._more:
            self._said.append(text)
            yield Said(text)

    def settle(self) -> Parts:
        self._scratch.remove()
        tokens, cost = (_number(self._more, "tokens_in"), _number(self._more, "tokens_out")), self._more.get("cost")
        if any(tokens) or cost:
            yield UsageEvent(*tokens, float(cost) if isinstance(cost, int | float) else 0.0)
        if isinstance(self._more.get("text"), str):
            yield Said(str(self._more["text"]))

    def conclude(self, code: int, errors: str) -> Outcome:
        more, text = self._more, "\n".join(self._said)
        text = str(more["text"]) if isinstance(more.get("text"), str) else text
        conversation = str(more["conversation"]) if isinstance(more.get("conversation"), str) else self.conversation
        if code == 0 and not more.get("error"):
            told = encode(more["structured"]) if "structured" in more else last_object(text)
            structured = told if self._assignment.schema else ""
            return Outcome(text, ok=True, conversation=conversation, structured=structured)
        error = str(more.get("error") or errors or text or f"the command ended with code {code} and said nothing")
        reason = str(more["reason"]) if more.get("reason") in _REASONS else "failed"
        return replace(failure(reason, error[-4000:], conversation), resets_at=_number(more, "resets_at"))


def read_words(settings: AgentSettings) -> list[str]:
    """The words of the command line that the settings give, as a shell would see them, or a `UsageError`."""
    if not settings.command:
        return []
    import shlex

    try:
        return shlex.split(settings.command)
    except ValueError as error:
        raise UsageError(f"the agent's command cannot be read: {error}", remedy=settings.command) from error


def _fill(word: str, told: dict[str, str]) -> str:
    """The places of a template, each once: what is put in is not looked at again."""
    for name, value in told.items():
        before, found, after = word.partition(name)
        if found:
            return _fill(before, told) + value + _fill(after, told)
    return word


def _number(told: dict[str, object], key: str) -> int:
    value = told.get(key)
    return value if isinstance(value, int) else 0
