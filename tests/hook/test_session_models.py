"""The model that a session was started with decides its window: transcripts leave out that it is a large one."""

from pathlib import Path
from typing import Any

import pytest

from tests.hook.driving import Host, write_transcript

_WARNING = "CONTEXT WARNING"
_SMALL = "claude-sonnet-4-5"


def _warned(host: Host, place: Path, tokens: int, **fields: Any) -> bool:
    transcript = place / "transcript.jsonl"
    write_transcript(transcript, [{"input": tokens, "model": _SMALL}])
    told = host.send("UserPromptSubmit", "s", place, prompt="go on", transcript_path=str(transcript), **fields)
    return _WARNING in told.context


@pytest.mark.parametrize(
    ("model", "source"), [(f"{_SMALL}[1m]", "startup"), (f"{_SMALL}[1M]", "compact"), ("sonnet[1m]", "clear")]
)
def test_a_session_is_warned_at_half_of_the_window_of_the_model_of_its_last_start(
    host: Host, tmp_path: Path, model: str, source: str
) -> None:
    """That does not make it active, and says nothing about another."""
    host.send("SessionStart", "s", tmp_path, source=source, model=model)
    assert host.session("s") is None
    folder = Path(host.folder) / "sessions" / "claude"
    assert [path.name for path in folder.iterdir() if not path.name.startswith(".")] == []
    assert not _warned(host, tmp_path, 150_000)
    assert _warned(host, tmp_path / "..", 150_000, session_id="another")
    assert _warned(host, tmp_path, 510_000)
    host.send("SessionStart", "s", tmp_path, source="resume", model=_SMALL)
    assert _warned(host, tmp_path, 150_000)
