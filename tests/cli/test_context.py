"""`planrail context`: what programs and people are told about an agent's context."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import pytest

from planrail.base.errors import PlanrailError, UsageError
from planrail.cli.main import carry_out
from planrail.cli.sessions import context_command


def _run(*arguments: str) -> int:
    parser = ArgumentParser()
    context_command.configure(parser)
    return carry_out(context_command, parser.parse_args(arguments))


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PLAN_CONTEXT_WARNING_PCT", "PLAN_CONTEXT_CRITICAL_PCT", "CONTEXT_WINDOW_TOKENS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return _write(
        tmp_path, {"type": "assistant", "message": {"model": "claude-sonnet-4-5", "usage": {"input_tokens": 111_999}}}
    )


def _write(folder: Path, *lines: dict[str, Any]) -> Path:
    path = folder / "session.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def _answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert _run(*arguments, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert isinstance(answer, dict)
    return answer


def test_a_program_gets_tokens_window_and_percent_and_a_person_a_bar(
    transcript: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = _answer(capsys, str(transcript))
    assert (answer["tokens"], answer["window"], answer["percent"]) == (111_999, 200_000, 55)
    assert (answer["known"], answer["model"], answer["source"]) == (True, "claude-sonnet-4-5", "model")
    assert _run(str(transcript)) == 0
    out = capsys.readouterr().out
    assert "█" * 22 + "░" * 18 + " 55 %" in out
    assert "111,999 of 200,000 tokens (claude-sonnet-4-5, window by the model)" in out
    assert out.strip().splitlines()[-1].startswith("next: ")
    assert _run(str(transcript), "--window", "50000") == 0
    assert "█" * 40 + " 223 %" in capsys.readouterr().out
    monkeypatch.setenv("CONTEXT_WINDOW_TOKENS", "400000")
    assert _answer(capsys, str(transcript))["window"] == 400_000
    answer = _answer(capsys, str(transcript), "--window", "1000000")
    assert (answer["window"], answer["percent"], answer["source"]) == (1_000_000, 11, "option")


def test_what_cannot_be_measured_is_refused_with_a_remedy(tmp_path: Path, transcript: Path) -> None:
    for name in ("missing.jsonl", ".", "a\0b"):
        with pytest.raises(PlanrailError, match="there is no file") as caught:
            _run(str(tmp_path / name))
        assert (caught.value.exit_code, "transcript_path" in caught.value.remedy) == (1, True)
    for window in ("0", "-1"):
        with pytest.raises(UsageError):
            _run(str(transcript), f"--window={window}")


def test_the_window_that_codex_wrote_down_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    info = {"last_token_usage": {"total_tokens": 129_200}, "model_context_window": 258_400}
    path = _write(tmp_path, {"type": "event_msg", "payload": {"type": "token_count", "info": info}})
    answer = _answer(capsys, str(path))
    assert (answer["window"], answer["percent"], answer["source"]) == (258_400, 50, "transcript")


def test_an_unknown_context_is_zero_and_said_to_be_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _write(tmp_path, {"type": "user", "message": {"content": "hi"}})
    answer = _answer(capsys, str(path))
    assert (answer["tokens"], answer["percent"], answer["known"]) == (0, 0, False)
    assert _run(str(path)) == 0
    assert "does not tell" in capsys.readouterr().out


def test_nonsense_in_the_environment_is_told(
    transcript: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAN_CONTEXT_WARNING_PCT", "a[$(cmd)]")
    assert len(_answer(capsys, str(transcript))["complaints"]) == 1
    assert _run(str(transcript)) == 0
    assert "PLAN_CONTEXT_WARNING_PCT" in capsys.readouterr().out
