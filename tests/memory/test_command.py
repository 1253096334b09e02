"""`planrail memory`: what it prints, and how it ends."""

import json
import subprocess
from argparse import ArgumentParser
from pathlib import Path

import pytest

from planrail.base.errors import UsageError
from planrail.cli import memory_command
from planrail.cli.main import carry_out
from planrail.memory.lessons import Lesson, make_lesson
from planrail.memory.store import begin_planning, load, remember
from planrail.planning.plannings import memory_file


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The file of lessons of a repository, in which the test stands."""
    root = tmp_path / "repository"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    monkeypatch.setenv("PLANRAIL_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(root)
    return memory_file(str(root))


def _memory(*arguments: str) -> int:
    parser = ArgumentParser()
    memory_command.configure(parser)
    return carry_out(memory_command, parser.parse_args(arguments))


def _learn(path: str, *texts: str) -> list[Lesson]:
    made = (make_lesson(text, principle="P2", title="Add login") for text in texts)
    remember(path, [lesson for lesson in made if lesson], now=begin_planning(path))
    return load(path)


def test_a_project_that_learned_nothing_says_so(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _memory() == 0
    shown = capsys.readouterr().out
    assert "Nothing was learned yet" in shown
    assert shown.splitlines()[-1].startswith("next: planrail plan ")
    assert not Path(path).exists()


def test_lessons_are_listed_with_their_ids_and_for_a_task_those_it_would_be_shown(
    path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lessons = _learn(path, "Step 3 names no file", "the cache in src/cache.py is never cleared")
    assert _memory() == 0
    shown = capsys.readouterr().out
    for lesson in lessons:
        assert f"{lesson.id} P2 “{lesson.text}”" in shown
    assert "2 lessons from 1 planning" in shown
    assert shown.splitlines()[-1].startswith("next: planrail memory --for ")
    assert _memory("--for", "speed up the cache") == 0
    shown = capsys.readouterr().out
    assert "is never cleared" in shown
    assert "Step 3" not in shown
    assert shown.splitlines()[-1] == "next: planrail plan 'speed up the cache'"
    assert load(path) == lessons  # looking does not count as showing
    assert _memory("--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["plannings"], answer["damage"]) == (1, None)
    assert {one["id"]: one["paths"] for one in answer["lessons"]} == {
        lessons[0].id: [],
        lessons[1].id: ["src/cache.py"],
    }


def test_one_lesson_can_be_forgotten_or_all_of_them(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = _learn(path, "Step 3 names no file", "the cache is never cleared")
    assert _memory("forget", first.id) == 0
    assert [lesson.id for lesson in load(path)] == [second.id]
    assert capsys.readouterr().out.splitlines()[-1] == "next: planrail memory"
    assert _memory("clear", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"forgotten": 1}
    assert load(path) == []


def test_a_damaged_file_is_spoken_of_until_it_is_cleared(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    _learn(path, "Step 3 names no file")
    Path(path).write_text("{")
    _memory()
    assert "cannot be read" in capsys.readouterr().out
    assert Path(path).read_text() == "{"
    begin_planning(path)
    _memory()
    assert "put aside" in capsys.readouterr().out
    _memory("clear")
    capsys.readouterr()
    _memory()
    assert "put aside" not in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [("forget",), ("forget", "nothing"), ("clear", "x"), ("clear", "--for", "x")])
def test_a_wrong_call_has_a_remedy(path: str, arguments: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as caught:
        _memory(*arguments)
    assert caught.value.remedy
