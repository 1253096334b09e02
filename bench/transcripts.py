"""Transcripts to measure with, as Claude Code writes them: questions, tool results, and answers that count tokens."""

import json
import os
from collections.abc import Iterator

MODEL = "claude-sonnet-4-5-20250929"
WINDOW = 200_000
LARGE = 20_000_000
SMALL = 100_000
# Lines of the tool results, in turns: a word, a command's output, a whole file (20 kB).
MIXED = (1, 12, 60, 400)
SHORT = (1,)


def write_transcript(folder: str, *, size: int, percent: int, results: tuple[int, ...] = MIXED) -> str:
    """A transcript of about this many bytes whose newest answer fills so much of the window; its path."""
    path = os.path.join(folder, f"{size}-{percent}-{len(results)}.jsonl")
    if os.path.exists(path):
        return path
    os.makedirs(folder, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        for line in _turns(WINDOW * percent // 100 - 1_000, results):
            file.write(line)
            if file.tell() >= size:
                break
        file.write(_answer(WINDOW * percent // 100))
        file.write(_question("And now the next one."))
    return path


def _turns(tokens: int, results: tuple[int, ...]) -> Iterator[str]:
    """Turns without end. The window stands still: a transcript of 20 MB has been through many compactions."""
    answer = _answer(tokens)
    questions = [_question([{"type": "tool_result", "tool_use_id": "toolu_01", "content": _text(n)}]) for n in results]
    while True:
        for question in questions:
            yield answer
            yield question


def _text(lines: int) -> str:
    return "".join(f"{line:6}  value = compute(rows[{line}], columns)\n" for line in range(lines))


def _answer(tokens: int) -> str:
    usage = {
        "input_tokens": 4,
        "cache_creation_input_tokens": 996,
        "cache_read_input_tokens": tokens - 1_000,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 996},
        "output_tokens": 310,
        "service_tier": "standard",
    }
    content = [{"type": "tool_use", "id": "toolu_01", "name": "Read", "input": {"file_path": "/project/part.py"}}]
    about = {"id": "msg_01ABCDEFGHIJKLMNOPQRSTUV", "type": "message", "role": "assistant", "model": MODEL}
    message = {**about, "content": content, "stop_reason": "tool_use", "stop_sequence": None, "usage": usage}
    return _line({"message": message, "requestId": "req_01ABCDEFGHIJKLMNOPQRSTUV", "type": "assistant"})


def _question(content: object) -> str:
    return _line({"type": "user", "message": {"role": "user", "content": content}})


def _line(entry: dict[str, object]) -> str:
    """A line of the transcript, with what Claude Code writes around each."""
    before = {
        "parentUuid": "00000001-0000-4000-8000-000000000000",
        "isSidechain": False,
        "userType": "external",
        "cwd": "/project",
        "sessionId": "00000002-0000-4000-8000-000000000000",
        "version": "2.1.325",
        "gitBranch": "main",
    }
    after = {"uuid": "00000003-0000-4000-8000-000000000000", "timestamp": "2026-01-01T00:00:00.000Z"}
    return json.dumps({**before, **entry, **after}, separators=(",", ":")) + "\n"
