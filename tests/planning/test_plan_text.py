"""From an answer to the plan file: the plan comes out whole, and nothing else comes out as a plan."""

import re

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from planrail.base.errors import UsageError
from planrail.base.settings import SECTIONS
from planrail.planning.answers.front_matter import split_front_matter, with_front_matter
from planrail.planning.answers.plan_text import (
    count_lines,
    describe_length,
    extract_plan,
    length_problem,
    merge_sections,
    read_length,
)
from planrail.planning.answers.promises import strip_promises
from planrail.planning.plan_format import EXAMPLE

PROMISE = "<promise>PLAN_OK</promise>"
HARD = """\
# A title with "quotes" and $(rm -rf /) and `$(x)`

## Goal

A rule follows.

---

title: not front matter
---

<!-- /PROMPT --> and <!-- a comment
## Goal in a comment
-->

## Steps

### Phase 1: One

- [ ] 1.1 say `<promise>PLAN_OK</promise>` in code

```text
<promise>PLAN_OK</promise>
## Risks
```

## Risks

None.
"""


# ---- extracting ----


@pytest.mark.parametrize("plan", [EXAMPLE, HARD, EXAMPLE.replace("\n", "\r\n")], ids=["example", "hard", "crlf"])
@pytest.mark.parametrize(
    "answer",
    [
        "{plan}",
        "Here is the plan:\n\n{plan}",
        "I have read **all** of it.\n\n---\n\n{plan}",
        "{plan}\n" + PROMISE,
        "{plan}" + PROMISE + "\n\nTell me what you think! I can go on.\n",
        "{plan}" + PROMISE + "\n\n## Summary\n\nI have planned it.\n",
        PROMISE + "\n\n{plan}",
        "Here:\n\n`````markdown\n{plan}`````\n",
        "Here:\n\n~~~~\n{plan}~~~~\n\nShall I begin?\n" + PROMISE,
        "````\n{plan}" + PROMISE + "\n````\nDone.\n",
        "The old one:\n\n````markdown\n# Old\n\n## Goal\n\nThis.\n````\n\nThe new one:\n\n````markdown\n{plan}````\n",
        "````markdown\n{plan}",
    ],
)
def test_the_plan_comes_out_of_whatever_is_said_around_it(plan: str, answer: str) -> None:
    assert extract_plan(answer.replace("{plan}", plan)) == plan


def test_a_fence_of_the_same_length_inside_the_plan_does_not_end_it() -> None:
    for plan in (EXAMPLE, EXAMPLE.replace("```sh check", "```")):
        assert extract_plan(f"Here:\n\n```markdown\n{plan}```\n\nBye.\n") == plan


def test_what_is_said_under_headings_before_the_title_is_no_part_of_the_plan() -> None:
    assert extract_plan(f"# My answer\n\n## Summary of changes\n\n- all of it\n\n{EXAMPLE}") == EXAMPLE
    appendix = EXAMPLE + "\n# Appendix\n\nFigures.\n"
    assert extract_plan(f"Well.\n\n{appendix}") == appendix


def test_a_plan_that_quotes_a_plan_is_taken_whole() -> None:
    plan = EXAMPLE.replace("## Risks", f"````markdown\n{EXAMPLE}````\n\n## Risks")
    assert extract_plan(plan) == plan


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "# Critique\n\nP1: PASS\nP2: FAIL, the order is wrong\n",
        "## P3 Order: FAIL\n\nPhase 2 comes too early.",
        "**Goal** is what I would ask first.",
        "```text\nsome log\n```\n" + PROMISE,
        "#" * 200 + " Goal",
        "- " * 150 + "deep",
    ],
)
def test_what_holds_no_section_is_no_plan(answer: str) -> None:
    assert extract_plan(answer) == ""


@pytest.mark.parametrize(
    "heading", ["**Goal:** reach it", "Goal\n----", "## 1. Goal", "## 목표", "### Goal:", "1. Goal", "<h2>Goal</h2>"]
)
def test_a_heading_of_any_style_makes_it_a_plan(heading: str) -> None:
    assert extract_plan(f"Well then.\n\n{heading}\n\nText.\n") == f"{heading}\n\nText.\n"


def test_an_agent_cannot_approve_or_finish_its_plan_in_front_matter() -> None:
    front = "---\nid: mine\napproved: true\nApproval: me\nstatus: complete\ntodos:\n  - x\ntags: [a, b]\n---\n\n"
    assert extract_plan(f"Here is it:\n\n{front}{EXAMPLE}") == f"---\ntags: [a, b]\n---\n\n{EXAMPLE}"
    assert extract_plan(f"```markdown\n---\napproved: true\n---\n{EXAMPLE}```") == EXAMPLE
    other_end = '---\ntitle: "a\u2028 b"\ntags: [x]\nstatus: complete\n---\n\n'
    assert extract_plan(other_end + EXAMPLE) == f"---\ntags: [x]\n---\n\n{EXAMPLE}"
    hidden = "---\ntags: x\u2028status: complete\nowner: me\n---\n\n"
    assert "complete" not in extract_plan(hidden + EXAMPLE)


@pytest.mark.full
@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("#*`~-\n\r |<>ab:[]x1.\ufeff")), st.text(st.sampled_from("#`~-\n ab<>")))
def test_any_answer_gives_a_plan_or_nothing_and_never_an_error(before: str, after: str) -> None:
    found = extract_plan(f"{before}\n\n{EXAMPLE}\n{after}")
    assert found == "" or found.endswith(("\n", "\r\n"))
    assert extract_plan(found) == found


# ---- promises ----


def test_promises_are_taken_out_but_for_those_in_code() -> None:
    text = f"a {PROMISE} b\n{PROMISE}\n`{PROMISE}`\n\n```\n{PROMISE}\n```\n- x {PROMISE}\n"
    assert strip_promises(text) == f"a  b\n`{PROMISE}`\n\n```\n{PROMISE}\n```\n- x \n"


# ---- front matter ----


@pytest.mark.full
@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("-\n\r:#ab \"'.\\$(<!>x\t\u2028\x85"), max_size=60), st.text(max_size=20))
@example("---\n---\nbody", "t")
@example("---\nprose\n---\nbody", "t")
@example("---\n- a\n---\nbody", "t")
@example("---\na: [\n---\nbody", "t")
def test_the_body_keeps_its_bytes_under_front_matter(body: str, title: str) -> None:
    if split_front_matter(body).has_front_matter:
        return
    text = with_front_matter(body, {"id": "x", "title": title})
    assert split_front_matter(text).body == body
    assert with_front_matter(text, {"id": "y"}).endswith(body)


@pytest.mark.full
@settings(max_examples=300, deadline=None)
@given(st.text(), st.text())
@example('a "b": #c\n---\nid: z', "yes")
@example("1e3", "0x10")
@example("\ud800😀\u2028\ufeff\x00\x7f\x85", "~")
def test_any_title_comes_back_from_yaml(title: str, author: str) -> None:
    text = with_front_matter(HARD, {"title": title, "author": author})
    front = yaml.safe_load(text.split("\n---\n", 1)[0].removeprefix("---\n"))
    assert [str(front["title"]), str(front["author"])] == [title, author]


def test_planrails_keys_win_and_foreign_ones_are_kept() -> None:
    plan = f"---\nid: forged\ntags:\n  - a\napproved: true\n'Approved-by': me\n# note\nrounds: 9\n---\n{EXAMPLE}"
    text = with_front_matter(plan, {"rounds": "2", "id": "real", "created": "2026-01-02"})
    assert text == f'---\nid: real\ncreated: "2026-01-02"\nrounds: 2\ntags:\n  - a\n---\n{EXAMPLE}'


def test_front_matter_is_written_once() -> None:
    once = with_front_matter(EXAMPLE, {"id": "a", "title": "T: x"})
    assert with_front_matter(once, {"id": "a", "title": "T: x"}) == once
    assert with_front_matter("\ufeff" + EXAMPLE, {"id": "a"}).startswith("\ufeff---\nid: a\n---\n\n# ")
    assert with_front_matter("# T\r\n", {"id": "a"}) == "---\r\nid: a\r\n---\r\n\r\n# T\r\n"


# ---- merging ----


@settings(deadline=None)
@given(st.sets(st.sampled_from(SECTIONS), min_size=1, max_size=6))
def test_what_a_revision_does_not_hold_keeps_its_bytes(names: set[str]) -> None:
    parts = re.split(r"^(?=## )", EXAMPLE, flags=re.MULTILINE)
    revised = [f"## {name}\n\nRevised.\n\n" for name in SECTIONS if name in names]
    expected = [
        f"{part.partition(chr(10))[0]}\n\nRevised.\n\n" if part[3:].partition("\n")[0] in names else part
        for part in parts
    ]
    assert merge_sections(EXAMPLE, "".join(revised)) == "".join(expected).rstrip() + "\n"


def test_sections_that_the_plan_lacks_go_to_their_place() -> None:
    without = EXAMPLE.replace("## Non-Scope\n\nNames of white space only; other commands.\n\n", "")
    assert merge_sections(without, "## Non-Scope\n\nNames of white space only; other commands.\n") == EXAMPLE


def test_a_whole_plan_replaces_all_but_the_title_where_it_has_none_and_nothing_replaces_nothing() -> None:
    other = EXAMPLE.replace("Refuse empty names", "Refuse them").replace("None.", "One.")
    assert merge_sections(EXAMPLE, other) == other
    body = EXAMPLE.partition("\n\n")[2].replace("None.", "One.")
    assert merge_sections(EXAMPLE, body) == EXAMPLE.replace("None.", "One.")
    for nothing in ("I have nothing to add.", ""):
        assert merge_sections(EXAMPLE, nothing) == EXAMPLE


def test_a_section_in_another_style_or_language_is_the_same_section() -> None:
    merged = merge_sections(EXAMPLE, "## 6. 위험\n\n없음\n")
    assert "## Risks" not in merged
    assert merged.index("## Verification") < merged.index("## 6. 위험") < merged.index("## Open Questions")


def test_a_section_that_is_headed_with_another_is_not_lost_to_a_revision_of_one() -> None:
    plan = EXAMPLE.replace("## Risks", "## Risks & Open Questions").replace("## Open Questions\n\nNone.\n", "")
    merged = merge_sections(plan, "## Risks\n\nOther ones.\n")
    assert "## Risks & Open Questions\n\nA script" in merged
    assert "## Risks\n\nOther ones." in merged


# ---- length ----


def test_a_length_has_one_spelling() -> None:
    assert [read_length(text) for text in ("", "free", "Under  40 lines", "under 5,000 chars", "30")] == [
        *("free", "free", "under 40 lines", "under 5000 characters", "under 30 lines"),
    ]
    for wrong in ("short", "under 0 lines", "under x lines", "under 40 pages"):
        with pytest.raises(UsageError):
            read_length(wrong)


def test_a_plan_longer_than_its_target_has_a_problem() -> None:
    lines = count_lines(EXAMPLE)
    assert length_problem(EXAMPLE, "free") is None
    assert length_problem(EXAMPLE, f"under {lines + 1} lines") is None
    problem = length_problem(EXAMPLE, f"under {lines} lines")
    assert problem is not None
    assert str(lines) in problem.message
    assert length_problem(EXAMPLE, "under 100 characters") is not None
    assert count_lines(with_front_matter(EXAMPLE, {"id": "a", "title": "b"})) == lines
    assert describe_length("free") == ""
    assert "under 40 lines" in describe_length("under 40 lines")


@pytest.mark.parametrize(
    "revision", ["## Testing\n\nOther tests.\n", "## Verification\n\nOther.\n\n## Testing\n\nMore.\n"]
)
def test_of_two_sections_that_mean_the_same_none_is_lost(revision: str) -> None:
    plan = EXAMPLE.replace("## Risks", "## Testing\n\nBy hand.\n\n## Risks")
    merged = merge_sections(plan, revision)
    assert [merged.count(f"## {name}\n") for name in ("Verification", "Testing")] == [1, 1]
    assert all(part.strip() in merged for part in revision.split("\n\n"))
    assert "By hand." not in merged


def test_a_section_that_a_revision_gives_twice_is_there_twice() -> None:
    merged = merge_sections(EXAMPLE, "## Notes\n\nOne.\n\n## Notes\n\nTwo.\n\n## Risks\n\nNone.\n")
    assert merged.index("One.") < merged.index("Two.")
