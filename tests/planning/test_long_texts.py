"""Half a megabyte of anything: a plan comes through whole, and nonsense comes to nothing. Bench measures how fast."""

import pytest

from planrail.memory.lessons import MOST_LESSONS, lessons_of
from planrail.planning.answers.drift_log import add_drift_log, find_log
from planrail.planning.answers.plan_text import extract_plan, merge_sections
from planrail.planning.answers.questions import open_questions
from planrail.planning.answers.verdicts import read_verdicts
from planrail.planning.plan_format import EXAMPLE
from planrail.planning.refining import keep_finished

_SIZE = 500_000


def _fill(piece: str) -> str:
    return piece * (_SIZE // len(piece))


@pytest.mark.parametrize("piece", ["```\n", "```\n# a\n```\n", "-\n", "a\n=\n", "- a?\n", "|-|\n"])
def test_nonsense_of_any_length_holds_no_plan_and_no_question(piece: str) -> None:
    text = _fill(piece)
    assert extract_plan(text) == ""
    assert open_questions(text) == ()
    assert merge_sections(EXAMPLE, text) == EXAMPLE


def test_a_plan_in_a_fence_is_found_among_many_others() -> None:
    small = "```\n# a\n```\n\n" * 2_000
    assert extract_plan(f"{small}```markdown\n{EXAMPLE}```\n{small}") == EXAMPLE.rstrip() + "\n"


@pytest.mark.full
def test_a_plan_of_megabytes_comes_out_whole() -> None:
    plan = EXAMPLE.replace(
        "## Verification", "A line of an ordinary length, as people write them.\n" * 60_000 + "\n## Verification"
    )
    assert extract_plan(f"Here it is.\n\n{plan}") == plan.rstrip() + "\n"


@pytest.mark.parametrize("piece", ["a\n=\n", "# Phase 1: a\n"])
def test_a_log_is_added_to_a_text_of_any_length(piece: str) -> None:
    text = _fill(piece)
    longer = add_drift_log(text, "2026-02-03", "changed phase 1 (1 lines in, 1 out)", "why")
    assert longer.startswith(text)
    assert longer.endswith("| why |\n")


def test_a_log_stands_beside_phases_of_the_highest_level() -> None:
    text = add_drift_log("# Phase 1: a\n\n- [ ] 1.1 x\n\n# Phase 2: b\n\n- [ ] 2.1 y\n", "2026-02-03", "x", "y")
    assert "\n# Drift Log\n" in text
    assert find_log(text) is not None


@pytest.mark.parametrize("piece", ["- [ ] Phase 1: a\n", "# Goal\n"])
def test_a_revision_of_more_parts_than_anybody_writes_is_handed_back(piece: str) -> None:
    problems = keep_finished(EXAMPLE, _fill(piece))
    assert not isinstance(problems, str)
    assert [problem.rule for problem in problems] == ["unreadable"]


@pytest.mark.full
@pytest.mark.parametrize(
    "piece", ["P1 ", "P1 P2 P3 P4, ", "P1: FAIL - no order ", "- [ ] a fault\n", "- a? (no / b)\n"]
)
def test_the_lessons_of_a_long_critique_are_few(piece: str) -> None:
    text = _fill(piece)
    assert len(lessons_of(text, read_verdicts(text), title="x")) <= MOST_LESSONS
