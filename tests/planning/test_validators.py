"""What each phase accepts and refuses, as `validators/PHASE.txt` says: a case begins with `=== ok` or `=== no`."""

import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.errors import UsageError
from planrail.planning.answers.judging import PHASES, SECTIONS, Bar, judge
from planrail.planning.answers.words import words_from
from planrail.planning.principles import refuted_by
from planrail.plans.lint.document import error, warning

_FIXTURES = Path(__file__).parent / "validators"
_CASE = re.compile(r"^=== (ok|no)(.*)\n", re.MULTILINE)
_PROMISE = "<promise>PLAN_OK</promise>"
_SAID = {
    "Goal": "People are greeted by their name, whatever language they speak.",
    "Scope": "The command that greets, and its help.",
    "Non-Scope": "Plural forms stay as they are for now.",
    "Steps": "Add a table of words, then choose a word by the language that was asked for.",
    "Verification": "The tests run once for each language, and one of them asks for a language that nobody knows.",
    "Risks": "Scripts may rely on the old greeting; it remains the default.",
    "Open Questions": "Which languages come first has not been decided.",
}
_PLAN = "".join(f"## {name}\n\n{_SAID[name]}\n\n" for name in SECTIONS)


def _cases() -> list[Any]:
    found = []
    for phase in PHASES:
        _, *parts = _CASE.split((_FIXTURES / f"{phase}.txt").read_text("utf-8"))
        for number, (wanted, options, text) in enumerate(zip(*[iter(parts)] * 3, strict=True)):
            name = f"{phase}-{number}-{text.strip()[:30]!r}"
            found.append(pytest.param(phase, wanted == "ok", options.split(), text, id=name))
    return found


def _bar(options: list[str]) -> Bar:
    values = dict(zip(options, [*options[1:], ""], strict=False))
    return Bar(
        promise=values["--promise"].replace("_", " ") if "--promise" in values else "PLAN_OK",
        sections=tuple(values["--sections"].replace("_", " ").split(",")) if "--sections" in values else SECTIONS,
        is_final="--final" in values,
        open_critique="--open" in values,
        refuted={name: "a finding" for name in values.get("--refuted", "").split(",") if name},
    )


@pytest.mark.parametrize(("phase", "wanted", "options", "text"), _cases())
def test_an_answer_is_judged_as_its_case_says_whatever_its_line_ends_marks_and_trailing_spaces(
    phase: str, wanted: bool, options: list[str], text: str
) -> None:
    for same in (text, text.replace("\n", "\r\n"), "\ufeff" + text, text.replace("\n", "  \n"), text + "\n\n\n"):
        assert (not judge(phase, same, _bar(options))) is wanted


def test_an_unknown_phase_is_a_wrong_call() -> None:
    with pytest.raises(UsageError):
        judge("interview", "text", Bar())


def test_missing_sections_are_named_in_the_order_of_the_bar() -> None:
    (problem,) = judge("draft", "## Goal\nx\n\n## Steps\n1. y", Bar())
    assert problem.message == "Missing sections: Scope, Non-Scope, Verification, Risks, Open Questions"


def test_sections_in_a_fence_or_behind_one_without_an_end_are_missing_and_the_author_is_told_why() -> None:
    (problem,) = judge("draft", f"```markdown\n{_PLAN}```\n", Bar())
    assert "inside a code fence" in problem.message
    (problem,) = judge("draft", _PLAN.replace("## Steps", "```\n## Steps"), Bar())
    assert "never closed" in problem.message


def test_a_pass_that_lint_refutes_names_the_finding() -> None:
    findings = [error("cycle", 4, "the dependencies form a cycle"), warning("length", 1, "long")]
    text = "1. P1: PASS - fine\n2. P2: FAIL - no files\n3. P3: PASS - fine"
    (problem,) = judge("critique", text, Bar(refuted=refuted_by(findings)))
    assert problem.rule == "refuted"
    assert "line 4: the dependencies form a cycle" in problem.message


def test_an_uncertain_path_refutes_nobody() -> None:
    assert refuted_by([warning("grounding", 2, "there is no file `x`")]) == {}
    assert refuted_by([error("grounding", 2, "there is no file `x`")]) == {"P2": "line 2: there is no file `x`"}


def test_settings_add_words_of_a_language_that_is_not_shipped() -> None:
    text = "Kirjautuminen kestää liian kauan ja kaatuu usein puhelimessa."
    words = words_from({"aspects": ["ongelma*", "onnistum*", "rajoit*"], "sections": {"Goal": ["Tavoite"]}})
    assert not judge("understand", "## Tavoite\n" + text, Bar())
    assert judge("understand", "## Tavoite\n" + text, Bar(words=words))
    frame = "Ongelma, ongelmat, onnistuminen, onnistumiset, rajoite, rajoitteet, rajoitukset."
    assert not judge("understand", frame, Bar())
    assert judge("understand", frame, Bar(words=words))


def test_a_language_without_words_is_told_where_they_belong() -> None:
    unknown, known = "1. Problém\n2. Úspěch: stav\n3. Omezení", "1. The first\n2. It is the second\n3. and so on"
    assert "[planning.words]" in judge("draft", unknown, Bar())[0].message
    assert "[planning.words]" not in judge("draft", known, Bar())[0].message


@pytest.mark.parametrize("wrong", [{"aspect": []}, {"aspects": "why"}, {"aspects": [1]}, {"sections": ["Goal"]}])
def test_wrong_words_in_settings_are_a_wrong_call(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        words_from(wrong)


_HEADINGS = (
    "## {}",
    "# {}:",
    "### 2. {}",
    "**{}**",
    "__{}__",
    "**{}:** text",
    "{}\n====",
    "{}\n---",
    "   ## {} ##",
    "## {} (draft)",
)
_NUMBERS = ("{}. ", "{}) ", "({}) ", "- ", "* ", "+ ", "• ", "**{}.** ", "### {}. ", "  {}. ")


@given(st.lists(st.sampled_from(_HEADINGS), min_size=7, max_size=7), st.permutations(SECTIONS), st.booleans())
def test_a_plan_is_whole_in_any_style_and_order_of_headings(styles: list[str], names: list[str], windows: bool) -> None:
    text = "\n\n".join(f"{style.format(name)}\n\n{_SAID[name]}" for style, name in zip(styles, names, strict=True))
    text = text.replace("\n", "\r\n") if windows else text
    assert not judge("draft", text, Bar())
    assert judge("draft", text.replace(names[3], "Something else"), Bar())
    assert judge("explore", f"src/a.py src/b.py\n\n{text}", Bar())


@given(st.sampled_from(("", *_NUMBERS)), st.booleans())
def test_an_answer_is_judged_the_same_in_any_style_of_numbering_and_in_none(style: str, is_empty: bool) -> None:
    said = ("Listing a full table takes seconds.", "A page shall be there at once.", "No new library is allowed.")
    points = ("The problem.", "Success.", "Constraint: none.") if is_empty else said
    text = "\n".join(style.format(number) + point for number, point in enumerate(points, start=1))
    assert bool(judge("understand", text, Bar())) is is_empty


_MARKUP = (
    *("```", "~~~", "<!--", "-->", "\n", "# Goal", "`", "**", "|", "|-|", "P1 FAIL ", "<promise>", "</promise>"),
    *("PLAN_OK", "> ", "- ", "    ", "<pre>", "a.py ", "1. "),
)


@pytest.mark.full
@given(st.text(max_size=300) | st.lists(st.sampled_from(_MARKUP), max_size=40).map("".join))
def test_any_text_and_any_pieces_of_markup_are_judged(text: str) -> None:
    for phase in PHASES:
        judge(phase, text, Bar())


def _long_plan(*, without: str = "") -> str:
    """Half a megabyte: prose, tables, fences, lists."""
    chance = random.Random(7)
    words = [
        "every",
        "module",
        "reads",
        "its",
        "part",
        "of",
        "the",
        "table",
        "and",
        "writes",
        "a",
        "row",
        "before",
        "the",
        "next",
        "request",
        "comes",
    ]
    parts = []
    for name in SECTIONS:
        parts += [f"## {name}\n" if name != without else "More of it.\n"]
        for number in range(1_430):
            line = " ".join(chance.choices(words, k=9))
            shapes = (
                line,
                f"- {line}",
                f"| {number} | {line} |",
                f"```sh\n# Goal\n{line}\n```",
                f"### Part {number}",
                line,
            )
            parts.append(shapes[number % 6])
    return "\n".join(parts)


@pytest.mark.full
@pytest.mark.parametrize(("phase", "ending"), [("draft", ""), ("revise", f"\n{_PROMISE}\n")])
def test_a_plan_of_half_a_megabyte_is_judged_right(phase: str, ending: str) -> None:
    whole, lacking = _long_plan() + ending, _long_plan(without="Risks") + ending
    assert len(whole) > 450_000
    assert judge(phase, whole, Bar(is_final=bool(ending))) == []
    (problem,) = judge(phase, lacking, Bar(is_final=bool(ending)))
    assert problem.message == "Missing sections: Risks"


@pytest.mark.full
@pytest.mark.parametrize(
    "piece", [*"*|`-(#\n ", "<promise>", "<!--", "x <!-- ", "```md\n```x\n", "|-|\n", "**a", "P1 "]
)
def test_long_nonsense_is_no_plan_and_is_refused_before_long(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    for phase in PHASES:
        assert judge(phase, text, Bar(is_final=True))
