"""`planrail author check`, as a program calls it."""

import io
import json
import sys
from argparse import ArgumentParser
from pathlib import Path

import pytest

from planrail.base.errors import UsageError
from planrail.cli.main import carry_out
from planrail.cli.plans import author_command
from tests.planning.answers import PLAN

_SECTIONS = ["Goal", "Scope", "Non-Scope", "Steps", "Verification", "Risks", "Open Questions"]


def _check(monkeypatch: pytest.MonkeyPatch, text: str, *arguments: str) -> int:
    parser = ArgumentParser()
    author_command.configure(parser)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    return carry_out(author_command, parser.parse_args(["check", *arguments]))


def _answer(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    answer: dict[str, object] = json.loads(capsys.readouterr().out)
    return answer


def test_a_good_answer_is_ok_with_exit_code_0(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _check(monkeypatch, PLAN, "draft", "--json") == 0
    assert _answer(capsys) == {"ok": True, "problems": []}


def test_a_bad_answer_has_problems_and_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _check(monkeypatch, "## Goal\nx", "draft", "--sections", "Goal, Rollout", "--json") == 1
    assert _answer(capsys) == {"ok": False, "problems": [{"rule": "sections", "message": "Missing sections: Rollout"}]}


def test_a_person_is_told_what_is_missing_and_what_comes_next(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _check(monkeypatch, "## Goal\nx", "revise", "--final", "--promise", "ALL DONE")
    out = capsys.readouterr().out
    assert "<promise>ALL DONE</promise>" in out
    assert "next: planrail author check revise --final --promise 'ALL DONE'" in out


@pytest.mark.parametrize(
    "arguments", [("interview",), ("draft", "--sections", " , "), ("explore", "--root", "/nowhere/at/all")]
)
def test_a_wrong_call_is_a_usage_error(monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    with pytest.raises((UsageError, SystemExit)) as caught:
        _check(monkeypatch, "x", *arguments)
    assert 2 in (getattr(caught.value, "exit_code", 0), getattr(caught.value, "code", 0))


def test_cited_files_are_looked_up_under_the_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text("x")
    assert _check(monkeypatch, "a.py and b.py", "explore", "--root", str(tmp_path)) == 0
    assert _check(monkeypatch, "a.py and d.py", "explore", "--root", str(tmp_path)) == 0
    assert _check(monkeypatch, "a.py, d.py and e.py", "explore", "--root", str(tmp_path)) == 1
    assert _check(monkeypatch, "d.py", "explore", "--root", str(tmp_path)) == 1


def test_headings_over_nothing_are_no_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _check(monkeypatch, "".join(f"## {name}\n\n" for name in _SECTIONS), "draft") == 1


def test_an_answer_is_about_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = ("understand", "--request", "Refuse empty names")
    said = "An empty name is greeted today. It shall exit with status 2 and print why, to the error output."
    assert _check(monkeypatch, said, *wanted) == 0
    assert _check(monkeypatch, "The cake is round, and Tuesday is blue. Fish ride bicycles to the moon.", *wanted) == 1


def test_a_critique_cannot_pass_what_lint_refutes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plan = tmp_path / "PLAN.md"
    plan.write_text(
        "# Plan\n\n## Phase 1: One\n\nDepends on: Phase 2\n\n- [ ] a\n\n## Phase 2: Two\n\nDepends on: Phase 1\n\n- [ ] b\n"
    )
    text = "1. P1: PASS - fine\n2. P2: FAIL - no files\n3. P3: PASS - fine"
    assert _check(monkeypatch, text, "critique") == 0
    capsys.readouterr()
    assert _check(monkeypatch, text, "critique", "--plan", str(plan), "--root", str(tmp_path), "--json") == 1
    assert '"refuted"' in capsys.readouterr().out
