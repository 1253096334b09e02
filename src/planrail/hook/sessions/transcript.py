"""How many tokens an agent's context holds, from the end of its transcript.

A transcript grows to tens of megabytes while the answer stands in its last few lines. So it is read backwards in
growing chunks, and a line is decoded only if it can matter: 20 MB cost what 100 KB cost.

Three agents are understood, by the shape of each line: Claude Code, Codex (rollouts) and Gemini (chat recordings).
The count is the agent's own; docs/context.md has the rules.
"""

import posix

from planrail.base.decoding import decode, object_in, text_in
from planrail.base.records import mutable_record, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

FIRST_CHUNK = 64 * 1024
LARGEST_CHUNK = 256 * 1024  # larger ones are no faster: the memory for each is new
LIMIT = 64 * 1024 * 1024  # what stands further from the end is not looked for
# A line without any of these says nothing about the context. Inside a JSON string the last quote is escaped, so that
# text which merely quotes such a line does not match. All but the usage name the kind of a line, and stand near its
# beginning: searching a tool result of 5 MB for each of them would cost 20 ms.
_USAGE = b'"usage"'
_KINDS = (b'"compact_boundary"', b'"token_count"', b'"compacted"', b'"gemini"', b'"$set"', b'"$rewindTo"')
_HEAD = 16 * 1024


@record
class ContextUsage:
    """What the context holds. `compacted`: it is what a compaction left. `window`: where the agent wrote it down."""

    tokens: int
    model: str
    compacted: bool = False
    window: int | None = None


@record
class Reset:
    """The context was cut: what older lines say no longer counts. `tokens` is what is left, where that is known."""

    tokens: int | None


def measure(path: str) -> ContextUsage | None:
    """What the context of this transcript holds; None where that is unknown, also for a file that cannot be read."""
    try:
        # A pipe in the place of the file must not hold up the agent.
        descriptor = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC | posix.O_NONBLOCK)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None
    try:
        size = posix.fstat(descriptor).st_size
        return find_usage(read_backwards(lambda start, length: posix.pread(descriptor, length, start), size))
    except OSError:  # a folder, a disk that fails
        return None
    finally:
        posix.close(descriptor)


def read_backwards(
    read: "Callable[[int, int], bytes]", size: int, *, chunk: int = FIRST_CHUNK, limit: int = LIMIT
) -> "Iterator[bytes]":
    """The lines of a file that may matter, the last one first, read only as far as they are asked for.

    `read(start, length)` gives bytes of the file. A line that begins more than `limit` bytes from the end is left out.
    """
    end = line_end = size
    stop, line = max(0, size - limit), _LongLine()
    while end > stop:
        start = max(stop, end - chunk)
        data = read(start, end - start)
        if len(data) < end - start:
            return  # the file was cut meanwhile: nothing that was read holds
        if b"\n" in data:
            first, *others, last = data.split(b"\n")
            line.precede(last)
            if line.may_matter():
                yield last if line_end == end else read(end - len(last), line_end - end + len(last))
            yield from filter(_may_matter, reversed(others))
            line, line_end, data = _LongLine(), start + len(first), first
        line.precede(data)
        end, chunk = start, min(chunk * 2, LARGEST_CHUNK)
    if end == 0 and line.may_matter():
        yield read(0, line_end)


@mutable_record
class _LongLine:
    """A line that is read from its end. Its bytes are not kept: most long ones are tool results, and do not matter."""

    head: bytes = b""
    has_usage: bool = False

    def precede(self, data: bytes) -> None:
        """Take what stands before all that was taken so far; a mark may be cut in two."""
        reach = len(_USAGE) - 1
        self.has_usage = self.has_usage or _USAGE in data or _USAGE in data[-reach:] + self.head[:reach]
        self.head = data[:_HEAD] if len(data) >= _HEAD else (data + self.head)[:_HEAD]

    def may_matter(self) -> bool:
        return self.has_usage or any(kind in self.head for kind in _KINDS)


def _may_matter(line: bytes) -> bool:
    head = line[:_HEAD]
    return _USAGE in line or any(kind in head for kind in _KINDS)


def find_usage(lines: "Iterable[bytes]") -> ContextUsage | None:
    """The newest usage of the main chain after the last compaction, in lines of which the newest comes first."""
    left: int | None = None
    for said in map(read_line, lines):
        if isinstance(said, ContextUsage):
            # After a compaction the line before it still tells the model.
            return said if left is None else ContextUsage(left, said.model, True, said.window)
        if said is not None and left is None:
            left = said.tokens
            if left is None:
                return None
    return None if left is None else ContextUsage(left, "", True)


def read_line(line: bytes) -> ContextUsage | Reset | None:
    """What one line of a transcript says about the context: None for most, for torn ones and for unknown shapes."""
    try:
        entry = decode(line.decode("utf-8", "replace"))
    except ValueError:
        return None
    if not isinstance(entry, dict):
        return None
    return _read_claude(entry) or _read_codex(entry) or _read_gemini(entry)


def _read_claude(entry: dict[str, object]) -> ContextUsage | Reset | None:
    if entry.get("isSidechain"):
        return None
    kind, message = entry.get("type"), object_in(entry, "message")
    if kind == "system" and entry.get("subtype") == "compact_boundary":
        return Reset(_count(object_in(entry, "compactMetadata"), "postTokens") or None)
    if kind != "assistant" and not (kind is None and message.get("role") == "assistant"):
        return None  # progress of a sub-agent, or a tool result, that has a usage of its own somewhere inside
    model = text_in(message, "model")
    if entry.get("isApiErrorMessage") or model == "<synthetic>":
        return None
    usage = object_in(message, "usage")
    # Without the output, as in the client's own percentage.
    tokens = sum(_count(usage, f"{part}input_tokens") for part in ("", "cache_creation_", "cache_read_"))
    return ContextUsage(tokens, model) if tokens else None


def _read_codex(entry: dict[str, object]) -> ContextUsage | Reset | None:
    if entry.get("type") == "compacted":
        return Reset(None)  # its own estimate follows as a token count
    payload = object_in(entry, "payload")
    if entry.get("type") != "event_msg" or payload.get("type") != "token_count":
        return None
    info = object_in(payload, "info")  # null where only the rate limits are told
    tokens = _count(object_in(info, "last_token_usage"), "total_tokens")
    return ContextUsage(tokens, "", False, _count(info, "model_context_window") or None) if tokens else None


def _read_gemini(entry: dict[str, object]) -> ContextUsage | Reset | None:
    if "$rewindTo" in entry:
        return Reset(None)
    messages = object_in(entry, "$set").get("messages")
    if isinstance(messages, list):  # the whole history once more
        known = (_read_gemini_message(message) for message in reversed(messages) if isinstance(message, dict))
        return next((usage for usage in known if usage is not None), Reset(None))
    return _read_gemini_message(entry)


def _read_gemini_message(entry: dict[str, object]) -> ContextUsage | None:
    if entry.get("type") != "gemini":
        return None
    tokens = _count(object_in(entry, "tokens"), "input")  # cached ones are among them
    return ContextUsage(tokens, text_in(entry, "model")) if tokens else None


def _count(entry: dict[str, object], key: str) -> int:
    value = entry.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
