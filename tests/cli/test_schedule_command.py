"""`planrail schedule explain`: what an expression means, for people and for programs."""

import argparse
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from planrail.base.errors import UsageError
from planrail.cli.team import schedule_command

_AT = "2026-04-19T10:09"


def _call(*words: str) -> int:
    parser = argparse.ArgumentParser()
    schedule_command.configure(parser)
    return schedule_command.run(parser.parse_args(["explain", *words]))


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "America/New_York")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def _answer(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert _call(*words, "--json") == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


@pytest.mark.parametrize(
    ("words", "kind", "cron"),
    [
        (["4h", "--zone", "Europe/Berlin"], "interval", "9 */4 * * *"),
        (["weekday", "at", "14:00"], "clock", "3 14 * * 1-5"),
        (["every", "weekday at", "14:00"], "clock", "3 14 * * 1-5"),
        (["0 9 * * mon"], "clock", "0 9 * * mon"),
        (["tomorrow at 9am"], "once", "0 9 20 4 *"),
    ],
)
def test_an_expression_of_one_argument_or_several_is_explained_for_programs(
    words: list[str], kind: str, cron: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = _answer(capsys, *words, "--at", _AT, "--count", "2")
    assert (answer["kind"], answer["cron"]) == (kind, cron)
    if kind == "interval":
        assert answer["zone"] == "Europe/Berlin"
        assert answer["next"] == ["2026-04-19T12:09:00+02:00", "2026-04-19T16:09:00+02:00"]


def test_a_time_without_an_offset_is_one_on_the_zone_s_clocks(capsys: pytest.CaptureFixture[str]) -> None:
    assert _answer(capsys, "4h", "--at", _AT)["at"] == "2026-04-19T10:09:00-04:00"
    assert _answer(capsys, "4h", "--at", f"{_AT}Z")["at"] == "2026-04-19T06:09:00-04:00"
    assert _answer(capsys, "4h", "--at", f"{_AT}+05:30")["cron"] == "39 */4 * * *"


def test_the_project_s_zone_is_that_of_its_committed_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "planrail.toml").write_text('[schedule]\ntimezone = "Asia/Tokyo"\n')
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    assert _answer(capsys, "day at 9am", "--at", _AT)["zone"] == "Asia/Tokyo"
    assert _answer(capsys, "day at 9am", "--at", _AT, "--zone", "UTC")["zone"] == "UTC"


def test_without_a_time_it_is_now(capsys: pytest.CaptureFixture[str]) -> None:
    answer = _answer(capsys, "30m")
    assert answer["next"] == sorted(answer["next"])
    assert len(answer["next"]) == 5
    assert answer["at"] < answer["next"][0]


def test_people_see_relative_and_absolute_times_and_what_to_type_next(capsys: pytest.CaptureFixture[str]) -> None:
    assert _call("weekday at 9am", "--at", _AT, "--zone", "Europe/Berlin") == 0
    shown = capsys.readouterr().out
    assert "in 22 h 54 min  Mon 2026-04-20 09:03 CEST" in shown
    assert shown.rstrip().endswith("planrail run PLAN every 'weekday at 9am'")


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (["5h"], "4h or 6h"),
        ([""], "4h"),
        ([], "4h"),
        (["4h", "--zone", "Europe/Belin"], "Europe/Berlin"),
        (["4h", "--at", "soon"], "2026-11-20T09:00"),
        (["4h", "--at", "0001-01-01T00:00+14:00"], "2026-11-20T09:00"),
        (["4h", "--count", "0"], "--count 10"),
    ],
)
def test_a_mistake_is_refused_with_advice(words: list[str], advice: str) -> None:
    with pytest.raises(UsageError) as refused:
        _call(*words)
    assert advice in refused.value.remedy


@pytest.mark.parametrize("at", ["0001-01-02T00:00", "9998-12-31T00:00", "1969-12-31T23:59:59.5Z"])
def test_any_time_of_the_calendar_is_answered(at: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _call("day at 9am", "--at", at) == 0
    assert _call("day at 9am", "--at", at, "--json") == 0
    assert "day at 9am" in capsys.readouterr().out
