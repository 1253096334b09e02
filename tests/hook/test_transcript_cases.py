"""The judged sessions beside the repository: how full the context is in each of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from planrail.hook.sessions.transcript import measure
from planrail.hook.sessions.windows import decide_window, percent_of

_CASES = Path(__file__).parents[3] / "shared" / "cases" / "in-session.jsonl"
_WORDS = ("CONTEXT WARNING: ", "CONTEXT CRITICAL: ", "Context at ")


def _cases() -> list[dict[str, Any]]:
    if not _CASES.exists():
        return []
    cases = [json.loads(line) for line in _CASES.read_text("utf-8").splitlines()]
    return [case for case in cases if "transcript" in (case.get("setup") or {})]


def _stated(case: dict[str, Any]) -> set[int]:
    """The percentages that the expected messages of a case name."""
    texts = [text for step in case["steps"] for text in step["expect"].get("contains", [])]
    numbers = [text[len(word) :].partition("%")[0] for text in texts for word in _WORDS if text.startswith(word)]
    return {int(number) for number in numbers if number.isdigit()}


def _line(entry: dict[str, Any]) -> dict[str, object]:
    if "raw_user_line_bytes" in entry:
        return {"type": "user", "message": {"role": "user", "content": "x" * entry["raw_user_line_bytes"]}}
    message = {"role": "assistant", "usage": {"input_tokens": entry["input"]}, "model": entry.get("model", "")}
    return {"type": "assistant", "message": message}


def _percent(case: dict[str, Any], path: Path) -> int:
    path.write_text("".join(json.dumps(_line(entry)) + "\n" for entry in case["setup"]["transcript"]), "utf-8")
    usage = measure(str(path))
    assert usage is not None
    window = decide_window(statusline=None, setting=None, codex=usage.window, model=usage.model)
    return percent_of(usage.tokens, window)


@pytest.mark.parametrize("case", [case for case in _cases() if _stated(case)], ids=lambda case: case["id"])
def test_a_judged_session_is_as_full_as_it_was_said_to_be(case: dict[str, Any], tmp_path: Path) -> None:
    assert _stated(case) == {_percent(case, tmp_path / "t.jsonl")}


def _missed() -> list[dict[str, Any]]:
    """Sessions in which the original was silent although an answer had filled the window to 60 %."""
    quirks = [case for case in _cases() if "quirk" in case and not _stated(case)]
    return [case for case in quirks if any(entry.get("input", 0) >= 120_000 for entry in case["setup"]["transcript"])]


@pytest.mark.parametrize("case", _missed(), ids=lambda case: case["id"])
def test_a_full_context_that_the_original_missed_is_seen(case: dict[str, Any], tmp_path: Path) -> None:
    assert _percent(case, tmp_path / "t.jsonl") >= 60


def test_the_judged_sessions_are_here(shared: Path) -> None:
    assert sum(1 for case in _cases() if _stated(case)) >= 15
