"""The wait for the last message of a turn: with a clock that a test moves, and a transcript that it writes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.hook.late_lines import read_part, sample_of, wait_for

_MESSAGE = "The tests pass now, and I have stopped."


class Clock:
    """Time that passes only while somebody sleeps. `then` happens at each sleep."""

    def __init__(self, then: Callable[[int], None] = lambda _: None) -> None:
        self.seconds = 100.0
        self.sleeps = 0
        self.then = then

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        self.sleeps += 1
        self.then(self.sleeps)


def _line(kind: str, text: str) -> str:
    return json.dumps({"type": kind, "message": {"role": kind, "content": text}}, ensure_ascii=False) + "\n"


def _wait(message: str, transcript: Path | str, clock: Clock) -> Clock:
    wait_for(message, str(transcript), clock.now, clock.sleep)
    return clock


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "transcript.jsonl"
    path.write_text(_line("user", "hello") + _line("assistant", "I begin."))
    return path


def test_nobody_waits_for_a_message_that_is_there(transcript: Path) -> None:
    with transcript.open("a") as file:
        file.write(_line("assistant", _MESSAGE) + _line("system", "a note"))
    assert _wait(_MESSAGE, transcript, Clock()).sleeps == 0


@pytest.mark.parametrize("message", ["", "\n", "→ ✓", "\ud800"])
def test_nobody_waits_where_there_is_no_message_or_no_transcript(transcript: Path, message: str) -> None:
    assert _wait(message, transcript, Clock()).sleeps == 0
    assert _wait(_MESSAGE, "", Clock()).sleeps == 0


@pytest.mark.parametrize("message", [_MESSAGE, 'He said "no".\nSo I stopped.', "完成了,测试通过。", "Fertig: größer."])
def test_the_wait_ends_as_soon_as_the_message_is_written(transcript: Path, message: str) -> None:
    def write_late(sleeps: int) -> None:
        if sleeps == 3:
            with transcript.open("a") as file:
                file.write(_line("assistant", message))

    assert _wait(message, transcript, Clock(write_late)).sleeps == 3


@pytest.mark.parametrize("is_there", [True, False])
def test_a_message_that_never_comes_costs_half_a_second(transcript: Path, *, is_there: bool) -> None:
    if not is_there:
        transcript.unlink()
    clock = _wait(_MESSAGE, transcript, Clock())
    assert 0.5 <= clock.seconds - 100 < 0.55


def test_the_same_words_of_a_person_or_of_an_earlier_turn_are_not_the_message(transcript: Path) -> None:
    transcript.write_text(_line("assistant", _MESSAGE) + _line("assistant", "More.") + _line("user", "go on"))
    assert _wait(_MESSAGE, transcript, Clock()).sleeps > 1
    transcript.write_text(_line("user", _MESSAGE) + _line("assistant", "I begin."))
    assert _wait(_MESSAGE, transcript, Clock()).sleeps > 1


@pytest.mark.parametrize(
    ("message", "sample"),
    [
        ("", ""),
        ("  Done.  ", "Done."),
        ("\n\n## Done\nmore", "Done"),
        ('"quoted" text', "quoted"),
        ("größer", "größer"),
        ("✓ Done", "Done"),
        ("😀", ""),
        ("\ud800 Done", "Done"),
        ("The tests pass now, and I have stopped.", "The tests pass now, and"),
    ],
)
def test_a_sample_is_the_first_run_that_is_written_as_it_is(message: str, sample: str) -> None:
    assert sample_of(message) == sample.encode()


@given(st.text())
def test_a_sample_is_found_in_the_message_as_agents_write_it(message: str) -> None:
    written = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
    assert sample_of(message) in written


@pytest.mark.parametrize(("size", "part"), [(3, b"abc"), (-3, b"def"), (99, b"abcdef"), (-99, b"abcdef")])
def test_a_part_is_the_start_or_the_end_of_a_file(tmp_path: Path, size: int, part: bytes) -> None:
    (tmp_path / "a").write_bytes(b"abcdef")
    assert read_part(str(tmp_path / "a"), size) == part
    assert read_part(str(tmp_path), 5) == read_part(str(tmp_path / "missing"), -5) == b""
