"""Any program that takes a prompt file: the settings give its command line, what it prints is its answer.

    my-agent --yes --message-file {prompt}

`{prompt}` is the path of a file with the prompt (without it, the prompt is the input), `{folder}` the folder to work
in, `{role}` the role. No shell is between: each word of the line is one argument. The program's exit code says whether
it went well. Its last line may be a report: a JSON object with some of `text`, `structured`, `tokens_in`, `tokens_out`,
`cost`, `conversation`, and for a failure `error`, `reason` ("limit") and `resets_at`, and nothing else. Only its own
good will holds it to reading.
"""

from collections.abc import Mapping

from planrail.agents.model import Assignment, Began, Outcome, Said, Spent, failure
from planrail.agents.processes.running import CloseInput, Note, Parts, Send
from planrail.agents.starting import Prepared, ProgramDriver, ScratchFolder, ask_for, last_object, locate, plain_json
from planrail.base.decoding import decode
from planrail.base.errors import UsageError
from planrail.base.records import replace
from planrail.base.settings.agent_table import AgentSettings

_REASONS = ("failed", "limit")
_REPORT = ("text", "structured", "tokens_in", "tokens_out", "cost", "conversation", "error", "reason", "resets_at")


class Command(ProgramDriver):
    """See `model.Driver`. The program answers to nobody: neither judge nor questions."""

    name = "command"

    def __init__(self, environment: Mapping[str, str], settings: AgentSettings) -> None:
        self._words = read_words(settings)
        name = self._words[0] if self._words else ""
        super().__init__(locate(name, "", environment, settings.environment, "see its own documentation"))

    def refuse(self, assignment: Assignment) -> Outcome | None:
        if not self._words:
            return failure("missing", 'no command is set; set one, such as command = "my-agent {prompt}"')
        return super().refuse(assignment)

    def prepare(self, assignment: Assignment, *, asks: bool) -> Prepared:
        scratch, prompt = ScratchFolder(assignment.log), ask_for(assignment.prompt, assignment.schema)
        told = {"{prompt}": scratch.write("prompt.md", prompt), "{folder}": assignment.folder}
        words = [_fill(word, {**told, "{role}": assignment.role}) for word in self._words[1:]]
        is_in_file = any("{prompt}" in word for word in self._words)
        return words, lambda desk: CommandWire(assignment, scratch, prompt, is_in_file=is_in_file)


class CommandWire:
    """See `running.Wire`."""

    def __init__(self, assignment: Assignment, scratch: ScratchFolder, prompt: str, *, is_in_file: bool) -> None:
        self._assignment, self._scratch = assignment, scratch
        self._prompt, self._is_in_file = prompt, is_in_file
        self.conversation = assignment.conversation
        self._said: list[str] = []
        self._more: dict[str, object] = {}
        self._last = ""

    def open(self) -> Parts:
        """Everything is in the file; a command line without a place for it gets the prompt as its input."""
        yield Note(self._prompt) if self._is_in_file else Send(self._prompt)
        yield CloseInput()
        yield Began(self.conversation)

    def hear(self, line: bytes) -> Parts:
        """A line of the answer, or the report; a report that something follows was none."""
        text = line.decode("utf-8", "replace")
        if self._more:
            self._said.append(self._last)
        self._more, self._last = _read_report(text), text
        if not self._more:
            self._said.append(text)
            yield Said(text)

    def settle(self) -> Parts:
        self._scratch.remove()
        tokens_in, tokens_out = _number(self._more, "tokens_in"), _number(self._more, "tokens_out")
        cost = self._more.get("cost")
        if tokens_in or tokens_out or cost:
            yield Spent(tokens_in, tokens_out, float(cost) if isinstance(cost, int | float) else 0.0)
        if isinstance(self._more.get("text"), str):
            yield Said(str(self._more["text"]))

    def conclude(self, code: int, errors: str) -> Outcome:
        text = str(self._more["text"]) if isinstance(self._more.get("text"), str) else "\n".join(self._said)
        if code == 0 and not self._more.get("error"):
            return Outcome(text, ok=True, conversation=self._conversation(), structured=self._structured(text))
        error = str(self._more.get("error") or errors or text or f"the command ended with code {code} and said nothing")
        told = self._more.get("reason")
        failed = failure(str(told) if told in _REASONS else "failed", error[-4000:], self._conversation())
        return replace(failed, resets_at=_number(self._more, "resets_at"))

    def _conversation(self) -> str:
        told = self._more.get("conversation")
        return told if isinstance(told, str) else self.conversation

    def _structured(self, text: str) -> str:
        if not self._assignment.schema:
            return ""

        return plain_json(self._more["structured"]) if "structured" in self._more else last_object(text)


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


def _read_report(line: str) -> dict[str, object]:
    if not line.startswith("{"):
        return {}
    try:
        value = decode(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) and all(key in _REPORT for key in value) else {}


def _number(told: dict[str, object], key: str) -> int:
    value = told.get(key)
    return value if isinstance(value, int) else 0
