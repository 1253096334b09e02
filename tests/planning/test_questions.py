"""What a plan asks of a person: the items of its last section that ask, and nothing that is settled."""

import pytest

from planrail.planning.answers.questions import open_questions, split_options
from planrail.planning.plan_format import EXAMPLE


def _plan(section: str) -> str:
    return EXAMPLE.replace("## Open Questions\n\nNone.", f"## Open Questions\n\n{section}")


@pytest.mark.parametrize(
    "nothing",
    [
        "None.", "- None", "No.", "N/A", "None at this time.", "- No open questions.", "All questions are resolved.",
        "없음", "- 없습니다.", "Keine.", "Keine offenen Fragen.", "Aucune.", "Ninguna.", "Nenhuma.", "Nessuna.", "Нет.",
        "Немає.", "Brak.", "Yok.", "无", "無。", "なし", "特になし。", "", "-",
    ],
)  # fmt: skip
def test_none_in_a_shipped_language_asks_nothing(nothing: str) -> None:
    assert open_questions(_plan(nothing)) == ()


def test_each_item_is_a_question_with_or_without_its_mark() -> None:
    plan = _plan("- Which exit status? (1 / 2)\n- **Port**: which one (80 / 8080)\n1. Who is told\n")
    assert open_questions(plan) == ("Which exit status? (1 / 2)", "Port: which one (80 / 8080)", "Who is told")


def test_what_is_ticked_struck_out_or_answered_is_no_question() -> None:
    plan = _plan("- [x] Which one?\n- ~~Or this?~~\n- Resolved: 2\n- Who?\n  - Answer: everybody\n- [ ] When?\n")
    assert open_questions(plan) == ("When?",)


@pytest.mark.parametrize(
    "question",
    [
        "None of the tests run on Windows; should they?",
        "No answer is logged: is that right?",
        "Nothing is cached. Why?",
    ],
)
def test_a_question_that_begins_like_none_is_one(question: str) -> None:
    assert open_questions(_plan(f"- {question}")) == (question,)


def test_rows_of_a_table_and_lines_that_ask_are_questions() -> None:
    plan = _plan("Is it so?\nThis is not.\n\n| # | Question |\n|---|---|\n| 1 | Why? |\n| 2 | Because |\n")
    assert open_questions(plan) == ("Is it so?", "Why?")


def test_other_sections_fences_and_comments_ask_nothing() -> None:
    plan = _plan("```\n- Why?\n```\n<!--\n- How?\n-->\nNone.\n\n## Drift Log\n\n- Who changed it?\n")
    assert open_questions(plan.replace("Names of white space only", "What about spaces?")) == ()


def test_in_a_section_that_is_not_only_about_questions_only_what_asks_counts() -> None:
    plan = (
        EXAMPLE.partition("## Risks")[0] + "## Risks & Open Questions\n\n- It may be slow.\n- Is that bad? (yes / no)\n"
    )
    assert open_questions(plan) == ("Is that bad? (yes / no)",)


def test_a_question_is_asked_once_and_a_text_without_the_section_asks_nothing() -> None:
    assert open_questions(_plan("- Why?\n- Why?\n")) == ("Why?",)
    assert open_questions("- Why?\n") == ()


def test_a_bold_lead_in_is_a_section_as_well() -> None:
    names = ("Goal", "Scope", "Non-Scope", "Steps", "Verification", "Risks")
    plan = "".join(f"**{name}:** something\n\n" for name in names) + "**Open Questions:** Which one?\n"
    assert open_questions(plan) == ("Which one?",)


@pytest.mark.parametrize(
    ("question", "asked", "options"),
    [
        ("Which? (a / b / c)", "Which?", ("a", "b", "c")),
        ("Which (sqlite / postgres)?", "Which", ("sqlite", "postgres")),
        ("어느 것? （예 / 아니오）", "어느 것?", ("예", "아니오")),
        ("Which path (src/app.py)?", "Which path (src/app.py)?", ()),
        ("Which? (f(x) / g(x))", "Which?", ("f(x)", "g(x)")),
    ],
)
def test_answers_in_parentheses_are_offered(question: str, asked: str, options: tuple[str, ...]) -> None:
    assert split_options(question) == (asked, options)
