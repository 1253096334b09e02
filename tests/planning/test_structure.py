"""The structure of an answer, in every style, and nothing of what it quotes."""

import pytest

from planrail.base.settings import SECTIONS
from planrail.planning.answers.page import Page
from planrail.planning.answers.promises import makes_promise
from planrail.planning.answers.section_titles import SectionTitles


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("# A\n## B ##\n  ### C", ["A", "B", "C"]),
        ("A\n===\n\nB\n---\n\n---\n- x\n---", ["A", "B"]),
        ("**A**\n__B__\n**C:** x\n**D**: x\n**E** is x", ["A", "B", "C:", "D"]),
        ("<h2>A</h2>\n<b>B</b>", ["A", "B"]),
        ("    # A\n> # B\n`# C`\n#D", []),
        ("<!-- # A -->\n<!--\n# B\n--> # C\n# D", ["D"]),
        ("```\n# A\n```\n~~~~\n# B\n~~~\n# C\n~~~~\n# D", ["D"]),
        ("- ```\n  # A\n  ```\n# B", ["B"]),
        ("```md\n# A\n```sh\nx\n```\n# B\n```\n# C", ["C"]),
        ("<pre>\n# A\n</pre>\n# B", ["B"]),
        ("a `<!--` b\n# A\n\nc `-->`", ["A"]),
        ("---\na: b\n---\n# A", ["A"]),
        ("---\n# A\n---", ["A"]),
    ],
)
def test_headings_are_found_in_every_style_and_never_in_quotations(text: str, titles: list[str]) -> None:
    assert [heading.text for heading in Page(text).headings] == titles


@pytest.mark.parametrize(
    "mark",
    [
        *("1. ", "(1) ", "① ", "a) ", "iv. ", "- ", "• ", "1️⃣ ", "**1.** ", "### 1. ", "1.2. ", "1、", "1: "),
        *("가. ", "🔹 ", "✓ ", "-> ", "一、", "（二）", "First, "),
    ],
)
def test_an_item_may_be_numbered_in_any_style(mark: str) -> None:
    assert len(Page(f"{mark}something\n\n{mark}else").points) == 2


@pytest.mark.parametrize(
    "line",
    ["1.5 times", "-x", "* * *", "---", "a.b", "1.", "I am", "> - x", "2024-01-01 x", "→x", "First x", "🔹", "一 x"],
)
def test_a_line_that_only_looks_like_an_item_is_none(line: str) -> None:
    assert Page(line).points == []


def test_rows_are_those_below_the_line_of_a_table() -> None:
    assert Page("a | b\n--|--\n1 | 2\n| 3 | 4 |\n\n5 | 6").rows() == [["1", "2"], ["3", "4"]]


@pytest.mark.parametrize(
    ("title", "sections"),
    [
        ("Goal", {"Goal"}),
        ("1. GOALS:", {"Goal"}),
        ("🎯 Goal (why)", {"Goal"}),
        ("[Goal](#goal)", {"Goal"}),
        ("Goal: ship it", {"Goal"}),
        ("Non‑Goals", {"Non-Scope"}),
        ("Out-of-Scope", {"Non-Scope"}),
        ("Goals & Non-Goals", {"Goal", "Non-Scope"}),
        ("Risks / Open Questions", {"Risks", "Open Questions"}),
        ("Implementation Phases", {"Steps"}),
        ("목표 (Goal)", {"Goal"}),
        ("【目标】", {"Goal"}),
        ("목표와 배경", {"Goal"}),
        ("범위와 제외 사항", {"Scope", "Non-Scope"}),
        ("단계별 구현 계획", {"Steps"}),
        ("검증을 위한 방법", {"Verification"}),
        ("위험 분석", {"Risks"}),
        ("风险分析", {"Risks"}),
        ("範囲の定義", {"Scope"}),
        ("목표 서버 설정", set()),
        ("결과 검증", set()),
        ("目标服务器", set()),
        ("Offene Fragen", {"Open Questions"}),
        ("Goals of auth module", set()),
        ("Risk register", set()),
        ("Risks and the auth module", set()),
        ("Scopes", set()),
        ("", set()),
    ],
)
def test_a_title_opens_a_section_by_what_it_says_as_a_whole(title: str, sections: set[str]) -> None:
    assert SectionTitles(SECTIONS).opened_by(title) == sections


@pytest.mark.parametrize(
    ("title", "section"),
    [
        ("Testing", "Verification"),
        ("Fragen", "Open Questions"),
        ("위험 분석", "Risks"),
        ("目标说明", "Goal"),
    ],
)
def test_a_title_of_many_uses_opens_a_section_in_a_plan_alone(title: str, section: str) -> None:
    assert SectionTitles(SECTIONS).opened_by(title) == {section}
    assert SectionTitles(SECTIONS, only_plain=True).opened_by(title) == set()


def test_a_section_of_ones_own_is_matched_by_its_own_words() -> None:
    titles = SectionTitles(("Roll-out Plan", "Project", "goals"))
    assert titles.opened_by("3. Roll-Out plan") == {"Roll-out Plan"}
    assert titles.opened_by("Project") == {"Project"}
    assert titles.opened_by("Roll-out") == set()
    assert titles.required["goals"] == "Goal"


@pytest.mark.parametrize(
    ("text", "is_made"),
    [
        ("x\n<promise>OK</promise>", True),
        ("<promise>OK</promise>\nx", True),
        ("Done: <promise> OK </promise>.", True),
        ("<promise>NO</promise> <promise>OK</promise>", True),
        ("There are no blockers. <promise>OK</promise>", True),
        ("`<promise>OK</promise>`", False),
        ("```\n<promise>OK</promise>\n```", False),
        ("<!-- <promise>OK</promise> -->", False),
        ("x\n\n    <promise>OK</promise>", False),
        ("I will NOT say <promise>OK</promise> yet", False),
        ("Not yet:\n<promise>OK</promise>", False),
        ("The tag <promise>OK</promise> comes later.", False),
        ("<promise>OK", False),
        ("<promise>NOT OK</promise>", False),
    ],
)
def test_a_promise_is_made_where_it_stands_for_itself(text: str, is_made: bool) -> None:
    assert makes_promise(Page(text), "OK") is is_made
