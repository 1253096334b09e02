"""Which mode a turn of Codex is in, by its record."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.hook.turns import is_plan_turn
from tests.hook.situations import transcript_lines, turn_lines, write_lines


def _is_plan(lines: list[dict[str, Any]]) -> bool:
    begun = [line["payload"] for line in lines if line.get("type") == "event_msg" and "ordinal" in line]
    return [payload["collaboration_mode_kind"] for payload in begun][-1:] == ["plan"]


@given(lines=st.lists(transcript_lines | turn_lines, max_size=12))
def test_a_turn_is_in_the_mode_that_the_line_which_begins_it_names(
    tmp_path_factory: pytest.TempPathFactory, lines: list[dict[str, Any]]
) -> None:
    """Whatever stands around it, and whatever tools return that only looks like such a line."""
    path = tmp_path_factory.mktemp("record") / "rollout.jsonl"
    write_lines(path, lines)
    assert is_plan_turn(str(path)) == _is_plan(lines)


@pytest.mark.parametrize("missing", range(0, 700, 37))
def test_the_beginning_of_a_turn_is_found_wherever_a_chunk_ends(tmp_path: Path, missing: int) -> None:
    payload = {"type": "task_started", "turn_id": "t1", "collaboration_mode_kind": "plan"}
    begun = json.dumps({"timestamp": "x", "type": "event_msg", "payload": payload}).encode()
    rest = b'{"type":"response_item","payload":"%s"}\n' % (b"y" * (256 * 1024 - missing))
    path = tmp_path / "rollout.jsonl"
    path.write_bytes(b'{"type":"session_meta"}\n' * 20_000 + begun + b"\n" + rest)
    assert is_plan_turn(str(path))
    path.write_bytes(path.read_bytes() + rest * 20)
    assert is_plan_turn(str(path))


@pytest.mark.parametrize("name", ["", "missing.jsonl", ".", "nul\0"])
def test_a_record_that_cannot_be_read_says_nothing(tmp_path: Path, name: str) -> None:
    assert not is_plan_turn(name and str(tmp_path / name))
