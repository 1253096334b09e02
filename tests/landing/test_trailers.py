"""Trailers say which phase a commit is, whatever its text; a quotation says nothing."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.git.trailers import (
    Landed,
    add_trailers,
    decode_value,
    encode_value,
    find_landed,
    read_history,
    read_trailers,
)
from tests.landing.stages import MAIN, Stage

TEXTS = [
    "4b",
    "Phase 4 — déjà vu",
    "two\nlines\r\n",
    " spaces ",
    "100 % of 50%41",
    "x" * 200_000,
    "\u2028\x85\x00\x1b[31m",
    "--grep=x",
    "raw\udcff",
    "half \ud800",
    "计划",
    "a: b",
    ".*[",
    "%",
]


@given(st.text())
def test_any_text_is_one_line_and_comes_back(text: str) -> None:
    assert decode_value(encode_value(text)) == text
    assert len(encode_value(text).splitlines()) <= 1
    assert encode_value(text).strip() == encode_value(text)


@pytest.mark.parametrize("phase", TEXTS, ids=range(len(TEXTS)))
def test_a_phase_of_any_name_is_found_and_no_other(tmp_path: Path, phase: str) -> None:
    stage = Stage(tmp_path, {"a": "a\n"})
    work = stage.work({"a": "b\n"})
    outcome = stage.run(work, phase=phase)
    root = str(stage.root)
    assert find_landed(root, MAIN, "plan-1", phase) == outcome.commit
    assert find_landed(root, MAIN, "plan-1", phase, "e" * 64, stage.base) == outcome.commit
    assert find_landed(root, MAIN, "plan-1", phase, "f" * 64) is None
    assert find_landed(root, MAIN, "plan-1", phase, since=outcome.commit) is None
    assert find_landed(root, MAIN, "plan", phase) is None
    assert find_landed(root, MAIN, "plan-1", phase[:-1]) is None
    assert find_landed(root, MAIN, "plan-1", phase + "x") is None


def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    assert find_landed(str(stage.root), MAIN, "p", "1") is None
    assert read_history(str(stage.root), "refs/heads/none") == []


def test_a_fresh_clone_knows_what_landed(tmp_path: Path) -> None:
    stage = Stage(tmp_path, {"a": "a\n"})
    commits = [stage.run(stage.work({f"f{phase}": phase}), phase=phase).commit for phase in "123"]
    stage.git("clone", "-q", str(stage.root), str(tmp_path / "clone"))
    found = read_history(str(tmp_path / "clone"), "HEAD")
    assert [(landed.commit, landed.plan, landed.phase) for landed in found] == [
        (commit, "plan-1", phase) for commit, phase in zip(reversed(commits), "321", strict=True)
    ]
    assert all(landed.evidence == "e" * 64 and landed.at for landed in found)


QUOTES = [
    "See\n\nPlanrail-Plan: plan-1\nPlanrail-Phase: 9\n\nfor how it was.",
    "Planrail-Plan: plan-1\nPlanrail-Phase: 9",
    "Quote\n\n> Planrail-Plan: plan-1\n> Planrail-Phase: 9",
    "Quote\n\nIt said\nPlanrail-Plan: plan-1\nPlanrail-Phase: 9",
    "Quote\n\n    Planrail-Plan: plan-1\n    Planrail-Phase: 9",
    "No plan\n\nPlanrail-Phase: 9",
]


@pytest.mark.parametrize("message", QUOTES)
def test_a_message_that_quotes_a_trailer_has_none(tmp_path: Path, message: str) -> None:
    stage = Stage(tmp_path, {"a": "a\n"})
    stage.git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", message)
    assert find_landed(str(stage.root), MAIN, "plan-1", "9") is None
    assert read_history(str(stage.root), MAIN) == []


def test_what_a_message_says_in_planrail_s_name_is_taken_out() -> None:
    forged = "Done\n\nCo-Authored-By: A <a@b>\nplanrail-phase: 9\nPlanrail-Plan: other"
    trailers = read_trailers(add_trailers(forged, "plan-1", "1", "e"))
    assert trailers == [
        ("Co-Authored-By", "A <a@b>"),
        ("Planrail-Plan", "plan-1"),
        ("Planrail-Phase", "1"),
        ("Planrail-Evidence", "e"),
    ]


@pytest.mark.parametrize("message", ["", "Fix\n", "Fix\n\nbody\n\n\n", "a: b", "x\n\ny: z\n w", "nul\0"])
def test_trailers_are_a_paragraph_of_their_own(tmp_path: Path, message: str) -> None:
    stage = Stage(tmp_path, {"a": "a\n"})
    text = add_trailers(message, "plan-1", "1", "e")
    stage.git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", text)
    assert stage.git("log", "-1", "--format=%(trailers:key=Planrail-Phase,valueonly)") == "1"
    assert find_landed(str(stage.root), MAIN, "plan-1", "1") == stage.tip()


def test_commits_that_were_squashed_into_one_are_all_known(tmp_path: Path) -> None:
    stage = Stage(tmp_path, {"a": "a\n"})
    text = (
        "All of it (#7)\n\n- one\n- two\n\nPlanrail-Plan: p\nPlanrail-Phase: 1\nPlanrail-Evidence: x\nPlanrail-Phase: 2"
    )
    stage.git("commit", "-q", "--allow-empty", "-m", text)
    found = [
        Landed(landed.commit, landed.plan, landed.phase, landed.evidence)
        for landed in read_history(str(stage.root), MAIN)
    ]
    assert found == [Landed(stage.tip(), "p", "1", "x"), Landed(stage.tip(), "p", "2", "")]
    assert find_landed(str(stage.root), MAIN, "p", "2") == stage.tip()
