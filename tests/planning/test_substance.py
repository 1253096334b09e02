"""What a plan has to say beyond its headings."""

import pytest

from planrail.planning.answers.judging import SECTIONS, Bar, judge
from planrail.planning.answers.questions import judge_content
from planrail.planning.plan_format import EXAMPLE
from tests.planning.answers import PLAN

_HOLLOW = "".join(f"## {name}\n{name[0]}.\n\n" for name in SECTIONS)


def _rules(plan: str) -> list[str]:
    return [problem.rule for problem in judge_content(plan, Bar())]


@pytest.mark.parametrize("plan", [PLAN, EXAMPLE, PLAN.replace("\n", "\r\n")])
def test_a_plan_that_says_something_everywhere_has_substance(plan: str) -> None:
    assert judge_content(plan, Bar()) == []


def test_sections_of_one_letter_pass_the_floor_of_structure_and_not_this_one() -> None:
    assert judge("draft", _HOLLOW, Bar()) == []
    assert _rules(_HOLLOW) == ["empty-section", "no-work", "no-criterion"]


def test_an_empty_section_is_named() -> None:
    empty, *_ = judge_content(PLAN.replace('`greet ""` exits with status 2.', ""), Bar())
    assert "say nothing: Goal." in empty.message


@pytest.mark.parametrize("text", ["", "x", "TBD TBD TODO", "word word word", "<!-- nobody sees these words -->", "---"])
def test_what_is_no_content_is_none(text: str) -> None:
    assert "empty-section" in _rules(PLAN.replace("`greet()` and its tests.", text))


@pytest.mark.parametrize("text", ["None", "None.", "- None", "n/a", "—", "없음", "なし", "Keine.", "нет", "Windows."])
def test_there_may_be_nothing_outside_the_scope(text: str) -> None:
    assert _rules(PLAN.replace("White space.", text)) == []


@pytest.mark.parametrize("text", ["빈 이름을 거부한다", "空の名前を拒否する", "拒绝空的名字"])
def test_scripts_that_write_words_shorter_say_as_much(text: str) -> None:
    assert _rules(PLAN.replace("`greet()` and its tests.", text)) == []


def test_steps_without_an_item_are_no_work() -> None:
    assert _rules(PLAN.replace("- [ ] 1.1 Refuse an empty name", "It is done soon.")) == ["no-work"]


def test_a_command_in_verification_is_criterion_enough() -> None:
    lacking = PLAN.replace("#### Acceptance Criteria\n\n- [ ] `python3 -m pytest` passes\n\n", "")
    assert _rules(lacking) == []
    assert _rules(lacking.replace("`python3 -m pytest` passes.", "Somebody looks at it.")) == ["no-criterion"]


def test_sections_in_bold_are_read_with_the_rest_of_their_line() -> None:
    plan = PLAN.replace("## Scope\n\n", "**Scope:** ").replace("## Risks\n\nNone that is known.", "**Risks:** None.")
    assert "empty-section" not in _rules(plan)
