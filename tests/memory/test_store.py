"""The file of lessons."""

import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.errors import PlanrailError, ToolFailed
from planrail.memory.lessons import Lesson, make_lesson
from planrail.memory.store import Memory, begin_planning, change, clear, load, look, put_aside, recall, remember

_WRITER = """
import sys
from planrail.memory.lessons import Lesson
from planrail.memory.store import begin_planning, change
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
for at in range(count):
    begin_planning(path)
    change(path, lambda lessons: [*lessons, Lesson(f"{name}-{at}", "x")])
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "ledger" / "memory.json")


def _lesson(text: str) -> Lesson:
    made = make_lesson(text, principle="P2", title="T")
    assert made is not None
    return made


def test_what_is_kept_is_private_and_read_again_and_looking_makes_no_file(path: str) -> None:
    assert look(path) == Memory(0, [])
    assert not os.path.exists(os.path.dirname(path))
    lesson = Lesson("a", 'quoted "text" 테스트', "P2", "title", ("src/a.py",), "run", 1, 2, 3, 4, 5)
    change(path, lambda _: [lesson])
    assert load(path) == [lesson]
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
    before = Path(path).read_bytes()

    def fail(lessons: list[Lesson]) -> list[Lesson]:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        change(path, fail)
    assert Path(path).read_bytes() == before


def test_recalling_notes_what_was_shown_and_remembering_lets_it_fade(path: str) -> None:
    remember(path, [_lesson("the cache is never cleared")], now=begin_planning(path))
    for _ in range(3):
        now = begin_planning(path)
        assert [lesson.text for lesson in recall(path, "cache", now=now)] == ["the cache is never cleared"]
        remember(path, [], now=now)
    assert load(path) == []


def test_sixty_four_writers_lose_nothing(path: str) -> None:
    def write(number: int) -> int:
        change(path, lambda lessons: [*lessons, Lesson(f"w{number}", "x")])
        return begin_planning(path)

    with ThreadPoolExecutor(64) as pool:
        numbers = list(pool.map(write, range(64)))
    assert sorted(numbers) == list(range(1, 65))
    assert {lesson.id for lesson in load(path)} == {f"w{number}" for number in range(64)}


@pytest.mark.full
def test_processes_that_write_at_the_same_time_lose_nothing(path: str) -> None:
    command = [sys.executable, "-c", _WRITER, path]
    writers = [subprocess.Popen([*command, f"p{number}", "8"]) for number in range(8)]
    assert [writer.wait() for writer in writers] == [0] * 8
    assert look(path).plannings == 64
    assert len({lesson.id for lesson in load(path)}) == 64


def test_a_torn_file_is_put_aside_and_said_so(path: str) -> None:
    change(path, lambda _: [_lesson("x y"), _lesson("z w")])
    whole = Path(path).read_bytes()
    Path(path).write_bytes(whole[: len(whole) // 2])
    assert "cannot be read" in look(path).damage
    after = change(path, lambda lessons: [*lessons, _lesson("new words")])
    assert "put aside" in after.damage
    (aside,) = put_aside(path)
    assert aside in after.damage
    assert Path(aside).read_bytes() == whole[: len(whole) // 2]
    assert [lesson.text for lesson in load(path)] == ["new words"]
    assert look(path).damage == ""


def test_a_second_torn_file_does_not_replace_the_first(path: str) -> None:
    for content in (b"{", b"[", b"\xff"):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        Path(path).write_bytes(content)
        begin_planning(path)
    assert [Path(aside).read_bytes() for aside in put_aside(path)] == [b"{", b"[", b"\xff"]


def test_what_can_be_read_of_a_damaged_file_is_kept(path: str) -> None:
    change(path, lambda _: [_lesson("good words"), _lesson("other matter")])
    value = json.loads(Path(path).read_text())
    value["lessons"][1]["times"] = "many"
    Path(path).write_text(json.dumps(value))
    after = change(path, lambda lessons: lessons)
    assert "1 of 2 lessons" in after.damage
    assert [lesson.text for lesson in load(path)] == ["good words"]
    assert len(put_aside(path)) == 1


def test_the_file_of_a_newer_planrail_is_left_alone(path: str) -> None:
    os.makedirs(os.path.dirname(path))
    Path(path).write_text('{"version": 2, "lessons": []}')
    with pytest.raises(PlanrailError, match="newer planrail"):
        change(path, lambda lessons: lessons)
    assert Path(path).read_text() == '{"version": 2, "lessons": []}'


def test_clearing_forgets_everything_but_the_count(path: str) -> None:
    Path(path).parent.mkdir()
    Path(path).write_text("{")
    now = begin_planning(path)
    remember(path, [_lesson("x y")], now=now)
    assert clear(path) == 1
    assert load(path) == []
    assert put_aside(path) == []
    assert begin_planning(path) == now + 1


def test_a_place_that_cannot_be_written_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ToolFailed) as caught:
        begin_planning(str(tmp_path / "file" / "memory.json"))
    assert caught.value.remedy


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["lessons", "plannings", "id"]), inner),
    max_leaves=8,
)


@given(_json)
def test_no_json_breaks_the_reader(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    path = tmp_path_factory.mktemp("memory") / "memory.json"
    path.write_text(json.dumps(value))
    assert look(str(path)).lessons == []
