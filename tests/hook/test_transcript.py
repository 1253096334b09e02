"""The context by the end of a transcript: which lines count, and that no more is read than is needed."""

import json
import os
from pathlib import Path

import pytest

from planrail.hook.sessions.transcript import (
    FIRST_CHUNK,
    LARGEST_CHUNK,
    ContextUsage,
    find_usage,
    measure,
    read_backwards,
)

MODEL = "claude-sonnet-4-5"
Line = dict[str, object]


def answer(tokens: int, *, model: str = MODEL, id: str = "m1", **more: object) -> Line:
    usage = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 7,
        "cache_read_input_tokens": tokens - 10,
        "output_tokens": 500,
    }
    message = {
        "id": id,
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": "yes"}],
        "usage": usage,
    }
    return {"parentUuid": "u", "isSidechain": False, "type": "assistant", "message": message, **more}


def prompt(content: object = "go on", **more: object) -> Line:
    return {"type": "user", "isSidechain": False, "message": {"role": "user", "content": content}, **more}


def boundary(**metadata: object) -> Line:
    return {"type": "system", "subtype": "compact_boundary", "isSidechain": False, "compactMetadata": metadata}


def codex(tokens: int, window: int | None = 258_400) -> Line:
    usage = {"input_tokens": tokens - 5, "cached_input_tokens": 2, "output_tokens": 5, "total_tokens": tokens}
    total = {key: value * 9 for key, value in usage.items()}
    info = {"total_token_usage": total, "last_token_usage": usage, "model_context_window": window}
    return {"timestamp": "t", "type": "event_msg", "payload": {"type": "token_count", "info": info, "rate_limits": {}}}


def gemini(tokens: int | None, id: str = "g1") -> Line:
    counts = None if tokens is None else {"input": tokens, "output": 9, "cached": tokens // 2, "total": tokens + 9}
    return {"id": id, "timestamp": "t", "type": "gemini", "content": "yes", "tokens": counts, "model": "gemini-2.5-pro"}


ZERO = {"input_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 0}
NOTHING: Line = {"type": "assistant", "message": {"role": "assistant", "model": MODEL, "usage": ZERO}}
SYNTHETIC = answer(90_000, model="<synthetic>")
API_ERROR = answer(90_000, isApiErrorMessage=True)
SIDE_CHAIN = answer(4_000, isSidechain=True)
PROGRESS: Line = {"type": "progress", "data": {"type": "agent_progress", "message": answer(4_000)}}
TOOL_RESULT = prompt(
    [{"type": "tool_result", "content": "ok"}], toolUseResult={"usage": {"input_tokens": 5}, "role": "assistant"}
)
QUOTED = prompt(json.dumps(answer(4_000)))
QUOTED_RESULT = prompt([{"type": "tool_result", "content": json.dumps(boundary(postTokens=1))}])
BOOKKEEPING: Line = {"type": "api-request-blob", "blob": "x" * 150_000, "usage": {"input_tokens": 4}}
MICRO: Line = {"type": "system", "subtype": "microcompact_boundary", "microcompactMetadata": {"tokensSaved": 5}}
SEEN = ContextUsage(150_000, MODEL)

TABLE: dict[str, tuple[list[Line], ContextUsage | None]] = {
    "the newest answer counts, without its output": ([answer(20_000), prompt(), answer(150_000)], SEEN),
    "what follows an answer changes nothing": ([answer(150_000), prompt(), BOOKKEEPING], SEEN),
    "an answer of zero tokens is none": ([answer(150_000), NOTHING], SEEN),
    "a synthetic answer is none": ([answer(150_000), SYNTHETIC], SEEN),
    "an error of the API is none": ([answer(150_000), API_ERROR], SEEN),
    "a side chain has its own context": ([answer(150_000), SIDE_CHAIN], SEEN),
    "the progress of a sub-agent": ([answer(150_000), PROGRESS], SEEN),
    "a tool result with a usage of its own": ([answer(150_000), TOOL_RESULT], SEEN),
    "a prompt that quotes an answer": ([answer(150_000), QUOTED], SEEN),
    "a tool result that quotes a compaction": ([answer(150_000), QUOTED_RESULT], SEEN),
    "a micro-compaction is none": ([answer(150_000), MICRO], SEEN),
    "a line without a type, by its role": ([{"message": answer(150_000)["message"]}], SEEN),
    "nothing but prompts": ([prompt(), QUOTED, BOOKKEEPING], None),
    "a compaction that says what it left": (
        [answer(150_000), boundary(postTokens=9_000), prompt()],
        ContextUsage(9_000, MODEL, True),
    ),
    "a compaction that does not": ([answer(150_000), boundary(preTokens=150_000), prompt()], None),
    "a compaction at the beginning": ([boundary(postTokens=9_000)], ContextUsage(9_000, "", True)),
    "counts that are no counts": (
        [
            answer(150_000),
            {"type": "assistant", "message": {"usage": {"input_tokens": "9", "cache_read_input_tokens": True}}},
        ],
        SEEN,
    ),
    "shapes that nobody knows": ([answer(150_000), {"type": "assistant", "message": ["usage"], "usage": 3}], SEEN),
    "Codex: the last request, not the sum": ([codex(9_000), codex(60_000)], ContextUsage(60_000, "", False, 258_400)),
    "Codex: rate limits alone": (
        [codex(60_000), {"type": "event_msg", "payload": {"type": "token_count", "info": None}}],
        ContextUsage(60_000, "", False, 258_400),
    ),
    "Codex: a window that is not known": ([codex(60_000, None)], ContextUsage(60_000, "")),
    "Codex: compacted": ([codex(60_000), {"type": "compacted", "payload": {"message": "in short"}}], None),
    "Codex: an estimate after it": (
        [{"type": "compacted", "payload": {}}, codex(4_000)],
        ContextUsage(4_000, "", False, 258_400),
    ),
    "Codex: a message that quotes a count": (
        [codex(60_000), {"type": "response_item", "payload": {"type": "message", "content": json.dumps(codex(5))}}],
        ContextUsage(60_000, "", False, 258_400),
    ),
    "Gemini: the prompt of the newest answer": (
        [gemini(9_000), gemini(60_000, "g2"), gemini(None, "g3"), {"$set": {"lastUpdated": "t"}}],
        ContextUsage(60_000, "gemini-2.5-pro"),
    ),
    "Gemini: the history written once more": (
        [gemini(9_000), {"$set": {"messages": [gemini(60_000), {"id": "u", "type": "user"}]}}],
        ContextUsage(60_000, "gemini-2.5-pro"),
    ),
    "Gemini: rewound": ([gemini(60_000), {"$rewindTo": "g1"}], None),
}


def _write(path: Path, lines: list[Line], *, separators: tuple[str, str] = (",", ":")) -> str:
    path.write_text("".join(json.dumps(line, separators=separators) + "\n" for line in lines), "utf-8")
    return str(path)


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")], ids=["compact", "spaced"])
def test_each_line_counts_for_what_it_is(name: str, separators: tuple[str, str], tmp_path: Path) -> None:
    lines, expected = TABLE[name]
    assert measure(_write(tmp_path / "t.jsonl", lines, separators=separators)) == expected


@pytest.mark.parametrize(
    "rest",
    [
        *(json.dumps(answer(9_000)).encode()[:length] for length in (1, 50, -1)),  # a last line that is torn
        *(b"\xff\xfe\n", b"\0" * 5000, b'["usage"]\n', b'"usage"\n' * 9, b"\r\n\r\n"),
        b'{"usage":' + b"[" * 50_000 + b"\n" + b'{"$set":{"messages":[' * 20_000 + b"\n",
        b"\n" + json.dumps(answer(150_000, id="m2")).encode(),  # a whole last line needs no newline
    ],
    ids=range(10),
)
def test_what_is_torn_garbage_or_nested_too_deeply_is_passed_over(rest: bytes, tmp_path: Path) -> None:
    path = Path(_write(tmp_path / "t.jsonl", [answer(9_000 if b"m2" in rest else 150_000)]))
    path.write_bytes(path.read_bytes() + rest)
    assert measure(str(path)) == SEEN


@pytest.mark.parametrize(
    "make", [lambda path: None, Path.mkdir, os.mkfifo, Path.touch], ids=["missing", "folder", "pipe", "empty"]
)
def test_what_is_no_transcript_is_unknown(make: object, tmp_path: Path) -> None:
    assert callable(make)
    make(tmp_path / "t.jsonl")
    assert [measure(path) for path in (str(tmp_path / "t.jsonl"), "", "a\0b")] == [None] * 3


# ---------------------------------------------------------------------------------------------- how much is read


class Counted:
    """Bytes that count how many of them were asked for."""

    def __init__(self, content: bytes) -> None:
        self.content, self.bytes_read = content, 0

    def __call__(self, start: int, length: int) -> bytes:
        self.bytes_read += length
        return self.content[start : start + length]


def _as_bytes(*lines: Line) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def test_a_long_transcript_costs_what_its_end_costs() -> None:
    turn = _as_bytes(answer(9_000), prompt("x" * 3_000))
    read = Counted(turn * (20_000_000 // len(turn)) + _as_bytes(answer(150_000), prompt("x" * 3_000)))
    assert find_usage(read_backwards(read, len(read.content))) == SEEN
    assert read.bytes_read == FIRST_CHUNK


@pytest.mark.parametrize("size", [FIRST_CHUNK, 210_000, 5_000_000])
def test_a_huge_line_at_the_end_is_read_once_and_little_beyond_it(size: int) -> None:
    read = Counted(
        _as_bytes(answer(9_000), prompt("x" * 2_000_000), answer(150_000), prompt('"usage" ' * (size // 10)))
    )
    assert find_usage(read_backwards(read, len(read.content))) == SEEN
    assert read.bytes_read < size * 1.1 + FIRST_CHUNK + LARGEST_CHUNK


@pytest.mark.parametrize("size", [100, FIRST_CHUNK, 3_000_000])
def test_a_huge_answer_is_read_whole(size: int, tmp_path: Path) -> None:
    long = answer(150_000)
    assert isinstance(long["message"], dict)
    long["message"]["content"] = "x" * size
    assert measure(_write(tmp_path / "t.jsonl", [answer(9_000), long, prompt("y" * size)])) == SEEN


@pytest.mark.parametrize(
    "content",
    [
        _as_bytes(answer(150_000), prompt("x" * 500_000)),
        json.dumps({"content": "x" * 500_000, **answer(150_000)}).encode(),  # a line that begins beyond it
    ],
    ids=["a line before it", "a line across it"],
)
def test_beyond_the_limit_nothing_is_looked_for(content: bytes) -> None:
    read = Counted(content)
    assert find_usage(read_backwards(read, len(content), limit=400_000)) is None
    assert read.bytes_read == 400_000


def test_a_file_that_shrinks_meanwhile_is_unknown() -> None:
    content = _as_bytes(answer(150_000))
    assert find_usage(read_backwards(Counted(content), len(content) + 10)) is None
