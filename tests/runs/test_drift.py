"""Drift: what is measured, what follows, and that a correction changes one number and nothing else."""

import io
import json
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.run_model import DriftRecord
from planrail.cli.main import main
from planrail.plans.canonical.canonical import canonicalise
from planrail.plans.editing.corrections import (
    Correction,
    apply_splices,
    correct,
    evaluate,
    find_bullets,
    measure,
    read_stated,
    refuse_text,
    restate,
    splice_lines,
    undo_corrections,
)
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource
from planrail.runs.drift.deciding import MARK, decide, decide_drift, leaves_approval, read_tokens

DAY = "2026-01-31"
PLAN = """# Plan

## Phase 3b-i — Shrink it [NOT STARTED]
- [ ] move the code, 15 files

### Acceptance Criteria
- [ ] `test $(wc -l < a.md) -le 380` with 340-380 lines in a.md
- [ ] nothing to count
- [ ] ≥12 tests pass, 5 of 15 new
  - [ ] a detail of 7
    - [ ] a detail of a detail, 8
- [ ] the whole of it
  has 100 lines

## Phase P1.A — Done already [COMPLETED]
### Acceptance Criteria
- [x] 50 files
"""


def _correct(text: str, phase: str, bullet: int, stated: str, new: str) -> str | None:
    plan = read(PlanSource("plan.md", text))
    found = plan.phase(phase)
    assert found is not None
    edit = correct(text, plan, found, bullet, stated, new, DAY)
    return None if edit is None else edit.apply(text)


def _decide(*records: DriftRecord, text: str = PLAN, earlier: tuple[tuple[str, int], ...] = ()):  # type: ignore[no-untyped-def]
    return decide_drift(records, text, read(PlanSource("plan.md", text)), DAY, earlier=earlier)


def _record(stated: str, actual: str, bullet: int = 2, phase: str = "3b-i") -> DriftRecord:
    return DriftRecord(phase, bullet, "lines", stated, actual)


def _token(record: DriftRecord) -> str:
    phase = f'"{record.phase}"' if re.search(r'[\s="<>]', record.phase) else record.phase
    place = f"phase={phase} bullet={record.bullet} field={record.field}"
    return f"{MARK} {place} plan={record.stated} actual={record.actual}"


# -------------------------------------------------------------------------------------------------------------- values


@given(st.integers(1, 10**6), st.integers(0, 10**5), st.integers(-(10**6), 2 * 10**6))
def test_a_value_inside_a_stated_range_has_not_drifted(low: int, width: int, actual: int) -> None:
    percent = measure(f"{low}-{low + width}", str(actual))
    assert percent is not None
    assert (percent == 0) == (low <= actual <= low + width)


@given(st.integers(0, 2000), st.integers(0, 2000))
def test_more_drift_is_never_judged_milder(one: int, other: int) -> None:
    order = ("none", "correct", "correct_and_note", "abort")
    low, high = sorted((one, other))
    assert order.index(decide(low)) <= order.index(decide(high))


@pytest.mark.parametrize(
    ("percent", "decision"),
    [(0, "none"), (1, "correct"), (10, "correct"), (11, "correct_and_note"), (20, "correct_and_note"), (21, "abort")],
)
def test_the_thresholds_are_ten_and_twenty(percent: int, decision: str) -> None:
    assert decide(percent) == decision


@given(st.integers(20, 10**6), st.sampled_from(["100-120", "100–120", "~100", "≥100", "at most 100", "100"]))
def test_what_is_restated_holds_for_what_was_measured(actual: int, stated: str) -> None:
    new = restate(stated, str(actual))
    assert measure(new, str(actual)) == 0
    old_form, new_form = read_stated(stated), read_stated(new)
    assert old_form is not None
    assert new_form is not None
    assert (old_form.form, new_form.middle) == (new_form.form, actual)


_signs = st.text("+- ", max_size=6)


@given(st.tuples(_signs, st.integers(0, 999)), st.lists(st.tuples(_signs.filter(str.strip), st.integers(0, 999))))
def test_signs_before_a_number_mean_what_they_mean_in_arithmetic(
    first: tuple[str, int], rest: list[tuple[str, int]]
) -> None:
    terms = [first, *rest]
    expression = "".join(f"{signs}{number}" for signs, number in terms)
    assert evaluate(expression) == sum(-number if signs.count("-") % 2 else number for signs, number in terms)
    assert evaluate(f"{expression} -") is None


def test_the_command_takes_a_sum_that_begins_with_a_minus_for_no_option(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["-5 + 3"], ["--", "1 -3"], ["- 2"]):
        assert main(["drift", "eval", *words]) == 0
    assert capsys.readouterr().out.split() == ["-2", "-2", "-2"]


def test_the_commands_answer_in_json(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["drift", "value", "340-380", "390", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["percent"] == measure("340-380", "390")
    assert main(["drift", "value", "lots", "5", "--json"]) == 2
    capsys.readouterr()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{_token(_record('10', '11'))} {MARK} x".encode())))
    assert main(["drift", "tokens", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert ([row["actual"] for row in told["records"]], len(told["errors"])) == (["11"], 1)


@given(st.text())
def test_no_text_makes_the_readers_of_values_fail(text: str) -> None:
    evaluate(text)
    measure(text, "5")
    measure("5", text)
    read_tokens(f"PLAN-TEXT-DRIFT: {text}")


# -------------------------------------------------------------------------------------------------------------- tokens


@given(
    st.text(st.characters(codec="ascii", categories=("L", "N", "P", "Zs"), exclude_characters='"'), min_size=1),
    st.integers(1, 999),
    st.sampled_from(["340-380", "at most 50", "≥12"]),
    st.integers(-99, 10**6),
)
def test_a_token_of_any_phase_is_read_as_it_was_written(phase: str, bullet: int, stated: str, actual: int) -> None:
    record = DriftRecord(phase, bullet, "lines", stated, str(actual))
    assert read_tokens(f"noise {_token(record)}, more {_token(record)}\n") == ((record, record), ())


# --------------------------------------------------------------------------------------------------------- corrections


def test_criteria_with_a_number_are_counted_and_their_further_lines_belong_to_them() -> None:
    phase = read(PlanSource("plan.md", PLAN)).phases[0]
    assert [bullet.line for bullet in find_bullets(PLAN, phase)] == [7, 9, 10, 12]


def test_a_correction_changes_one_number_and_says_so_behind_it() -> None:
    comment = f" <!-- Auto-corrected {DAY}: was 5, arithmetic says 6 -->"
    assert _correct(PLAN, "3b-i", 2, "5", "6") == PLAN.replace("5 of 15 new", "6 of 15 new" + comment)
    further = _correct(PLAN, "3b-i", 4, "100", "105")
    assert further is not None
    assert "  has 105 lines <!-- Auto-corrected" in further
    beside_code = _correct(PLAN, "3b-i", 1, "340-380", "350-390")
    assert beside_code is not None
    assert "-le 380`" in beside_code


@pytest.mark.parametrize(
    ("bullet", "stated"), [(1, "380"), (2, "1"), (2, "15 new, 5"), (2, "12 tests fail"), (2, "380")]
)
def test_a_part_of_a_number_and_one_in_code_are_not_that_number(bullet: int, stated: str) -> None:
    assert _correct(PLAN, "3b-i", bullet, stated, "390") is None


def test_line_ends_and_blanks_stay_as_they_are() -> None:
    text = PLAN.replace("15 new\n", "15 new  \n").replace("\n", "\r\n")
    after = _correct(text, "3b-i", 2, "≥12", "≥11")
    assert after is not None
    assert (
        after.replace("≥11", "≥12").replace(f" <!-- Auto-corrected {DAY}: was ≥12, arithmetic says ≥12 -->", "") == text
    )


@pytest.mark.parametrize("new", ["1\n2", "1 --> 2", "<!-- 1", "`rm`", " ", "1 -- 2"])
def test_what_could_be_more_than_a_number_is_refused(new: str) -> None:
    assert refuse_text(new)
    assert _correct(PLAN, "3b-i", 2, "5", new) is None


@given(st.integers(1, 4), st.integers(1, 10**6))
def test_a_correction_that_is_undone_gives_the_plan_that_was_there(bullet: int, number: int) -> None:
    stated = {1: "340-380", 2: "15", 3: "7", 4: "100"}[bullet]
    after = _correct(PLAN, "3b-i", bullet, stated, str(number))
    if after is None:
        assert str(number) == stated
        return
    before, corrections = undo_corrections(after, read(PlanSource("plan.md", after)))
    if before == PLAN:  # else the number stands in that line twice, and nothing is taken for undone
        assert corrections == (Correction("3b-i", bullet, stated, str(number)),)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1), st.data())
def test_splices_turn_one_text_into_the_other(lines: list[str], data: st.DataObject) -> None:
    before = "".join(
        line.translate({ord(sign): "x" for sign in "\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"}) + "\n" for line in lines
    )
    marks = data.draw(st.lists(st.booleans(), min_size=len(lines), max_size=len(lines)))
    after = "".join(
        ("+" if mark else "") + line for mark, line in zip(marks, before.splitlines(keepends=True), strict=True)
    )
    assert apply_splices(before, splice_lines(before, after)) == after


# ------------------------------------------------------------------------------------------------------------ outcomes


@pytest.mark.parametrize(
    ("records", "written", "asks"),
    [
        ([_record("≥12", "11")], "≥11 tests pass", ""),
        ([_record("≥12", "3"), _record("≥12", "11")], "≥11 tests pass", ""),  # the later measurement counts
        ([_record("≥12", "11"), _record("15", "16")], "≥11 tests pass, 5 of 16 new <!-- ", ""),
        ([_record("340-380", "390", bullet=1)], "370-410 lines in a.md", ""),
        ([_record("15", "17")], "5 of 17 new", "14 % off"),
    ],
)
def test_up_to_twenty_per_cent_are_corrected_and_over_ten_a_person_is_asked(
    records: list[DriftRecord], written: str, asks: str
) -> None:
    outcome = _decide(*records)
    assert (outcome.abort, len(outcome.edits)) == ("", 1)
    assert written in apply_splices(PLAN, outcome.edits)
    assert asks in outcome.asks
    assert bool(outcome.asks) == bool(asks)


def test_over_twenty_per_cent_the_attempt_ends_and_nothing_is_changed() -> None:
    outcome = _decide(_record("≥12", "11"), _record("15", "30"))
    assert "100 % off" in outcome.abort
    assert (list(outcome.edits), outcome.asks) == ([], "")


def test_the_same_bullet_a_second_time_ends_the_attempt() -> None:
    first = _decide(_record("≥12", "11"))
    text = apply_splices(PLAN, first.edits)
    again = _decide(
        _record("≥11", "10"), text=text, earlier=tuple((known.phase, known.bullet) for known in first.records)
    )
    assert "drifts again" in again.abort
    right = _decide(_record("340-380", "350", bullet=1), earlier=(("3b-i", 1),))
    assert (right.abort, right.notes, right.asks) == ("", (), ""), "what is right has not drifted"


def test_a_finished_phase_and_one_that_is_not_there_are_left_alone() -> None:
    outcome = _decide(_record("50", "52", 1, "P1.A"), _record("50", "52", 1, "9"), _record("lots", "5"))
    assert not outcome.edits
    assert len(outcome.notes) == 3


# ----------------------------------------------------------------------------------------------------------- approvals


def test_a_correction_changes_what_an_approval_holds_and_undoing_it_gives_that_back() -> None:
    after = apply_splices(PLAN, _decide(_record("≥12", "11")).edits)
    before, corrections = undo_corrections(after, read(PlanSource("plan.md", after)))
    hashes = [canonicalise(read(PlanSource("plan.md", text)), text).hash for text in (PLAN, after, before)]
    assert hashes[0] != hashes[1]
    assert hashes[0] == hashes[2]
    assert leaves_approval(corrections)


def test_corrections_that_creep_past_ten_per_cent_void_an_approval() -> None:
    steps = [Correction("1", 1, "100", "108"), Correction("1", 1, "108", "116")]
    assert leaves_approval(steps[:1])
    assert not leaves_approval(steps)


def test_a_comment_that_was_made_up_does_not_cover_another_change() -> None:
    text = PLAN.replace("15 files", f"99 files <!-- Auto-corrected {DAY}: was 15, arithmetic says 99 -->")
    assert undo_corrections(text, read(PlanSource("plan.md", text))) == (text, ())
