"""The block structure, with markdown-it-py as the referee.

planrail differs from CommonMark on purpose in two ways, which the generated documents leave out: Markdown directly under
an HTML tag such as `<details>` is read, and a fence with the info string `markdown` may hold fences of its own.
"""

import re
from pathlib import Path

import pytest

from planrail.plans.text.blocks import Fence, Heading, Item, Table, Text, split_cells, split_lines
from planrail.plans.text.scanning import scan
from tests.plans.cases import documents
from tests.plans.documents import tame_heap, well_formed, wild_heap
from tests.plans.efforts import each_effort, search
from tests.plans.referee import as_planrail_sees_it, as_the_referee_sees_it


def _agree(text: str) -> None:
    assert as_planrail_sees_it(text) == as_the_referee_sees_it(text)


@pytest.mark.full
@each_effort
def test_well_formed_documents_have_the_structure_that_the_referee_sees(effort: str) -> None:
    search(effort, well_formed(), _agree)


@each_effort
def test_heaps_of_lines_have_the_structure_that_the_referee_sees(effort: str) -> None:
    search(effort, tame_heap(), _agree)


_QUOTED_DOCUMENT = re.compile(r"^(\s*(?:`{3,}|~{3,}))(?:markdown|mdx?)\b", re.MULTILINE)
_TAG = re.compile(r"^[ ]*</?[A-Za-z].*$", re.MULTILINE)


def _without_kindnesses(text: str) -> str:
    """A document without tags and front matter, which CommonMark reads otherwise, and with plain fences."""
    front_matter, _ = scan(text)
    lines = text.replace("\r\n", "\n").removeprefix("\ufeff").split("\n")
    if front_matter:
        lines[: front_matter.end_line] = [""] * front_matter.end_line
    return _QUOTED_DOCUMENT.sub(r"\1text", _TAG.sub("", "\n".join(lines)))


def test_the_documents_of_the_cases_have_the_structure_that_the_referee_sees() -> None:
    for path in documents():
        if path.suffix == ".md":
            text = _without_kindnesses(path.read_bytes().decode())
            assert as_planrail_sees_it(text) == as_the_referee_sees_it(text), path.name


@pytest.mark.full
def test_other_peoples_plans_have_the_structure_that_the_referee_sees(shared: Path) -> None:
    for path in sorted([*shared.glob("plans/*.md"), *shared.glob("wild_plans/*.md")]):
        text = _without_kindnesses(path.read_bytes().decode())
        assert as_planrail_sees_it(text) == as_the_referee_sees_it(text), path.name


@each_effort
def test_the_wildest_heaps_have_the_structure_that_the_referee_sees(effort: str) -> None:
    search(effort, wild_heap(), _agree)


@pytest.mark.parametrize(
    "text",
    [
        "> quoted\nlazy\n\ntext\n",
        "- ```\n  # inside\n  ```\n- b\n",
        "1) a\n2) b\n3. c\n",
        "- a\n\t- b\n\t\t- c\n",
        "-   a\n    - b\n",
        "- a\n- - -\n- b\n",
        "text\n2. no list\n1. list\n",
        "````\n```\n# no heading\n````\n# Heading\n",
        "``` `\n# Heading\n",
        "text\n    no code\n# Heading\n",
        "# a #\n## b ##  \n### c #d\n#\n",
        "| a |\n|---|\n| b |\n> quoted | row\n",
        "- [ ] a\n  ---\n  b\n",
        "<!-- a --> # no heading\n# Heading\n",
        "<!-- a\n\n# no heading\n--> b\n# Heading\n",
        pytest.param("*\t[ ] a\n\t*\t[x] b\n", id="a tab behind a bullet, and an item under it"),
        pytest.param("> # Note\n**Status:** done\n", id="text under a heading in a quote"),
        pytest.param("> note\n>\n**Status:** done\n", id="text under an empty line of a quote"),
        pytest.param("> ```\n> x\n> ```\nText\n----\n", id="a heading under a fence in a quote"),
        pytest.param("> ---\n2. two\n", id="a list under a rule in a quote"),
        pytest.param("| a | b |\n|---|---|\n| 1 | 2 |\n- [ ] run `x | y`\n", id="an item with a pipe under a table"),
        pytest.param("- <!-- hidden\n  - [ ] hidden\n  -->\n- b\n", id="a comment that opens behind a bullet"),
        pytest.param("* ---\ntext\n  - item\n", id="text under a rule in an item"),
        pytest.param("- a\n  2. b\n", id="a count that starts at two does not interrupt"),
        pytest.param("- a\n-\n- c\n", id="an empty item between others"),
        pytest.param("- a\n===\nb\n", id="an underline of nothing under an item"),
        pytest.param("-\n\n  text\n", id="an item that begins with two blank lines"),
        pytest.param("   - a\n    - b\n     - c\n", id="an item whose indentation makes it text"),
        pytest.param("> note\n2. two\n", id="a count that starts at two under a quote"),
        pytest.param("> -\ntext\n", id="text under an empty item in a quote"),
        pytest.param("> ```\n\n> note\nlazy\n", id="a fence in a quote ends with it"),
    ],
)
def test_an_oddity_of_commonmark_is_seen_as_the_referee_sees_it(text: str) -> None:
    _agree(text)


def test_markdown_directly_under_an_html_tag_is_read() -> None:
    _, blocks = scan("<details>\n<summary>More</summary>\n## Phase 1\n- [ ] a\n</details>\n")
    assert [(type(block), block.line) for block in blocks if isinstance(block, Heading | Item)] == [
        (Heading, 3),
        (Item, 4),
    ]


def test_a_quoted_markdown_document_may_hold_fences_where_they_pair_up() -> None:
    _, blocks = scan("```markdown\n# a\n```sh\nx\n```\n# b\n```\n# c\n")
    assert [(block.line, block.end_line) for block in blocks if isinstance(block, Fence)] == [(1, 7)]
    _, blocks = scan("```markdown\n# a\n```\n# b\n")
    assert [(block.line, block.end_line) for block in blocks if isinstance(block, Fence)] == [(1, 3)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_is_one_and_nothing_else_is(end: str) -> None:
    text = end.join(["a\x0cb", "c\u2028d", "e\x0bf", "g\x85h", ""])
    lines, starts = split_lines(text)
    assert lines == ["a\x0cb", "c\u2028d", "e\x0bf", "g\x85h", ""]
    assert [text[start : start + len(line)] for start, line in zip(starts, lines, strict=False)] == lines


def test_every_block_knows_the_offset_of_its_text() -> None:
    text = "\ufeff# One #\r\n\r\n- [x] two\r\n\t1. three\r\n\r\nfour\r\n\r\nfive | six\r\n-|-\r\n a | b\r\n"
    _, blocks = scan(text)
    for block in blocks:
        if isinstance(block, Heading | Item | Text):
            assert text[block.start : block.start + len(block.text)] == block.text
        if isinstance(block, Item) and block.box is not None:
            assert text[block.box_start - 1 : block.box_start + len(block.box) + 1] == f"[{block.box}]"
        if isinstance(block, Table):
            cells = [*block.header, *(cell for _, start, row in block.rows for cell in split_cells(row, start))]
            assert [cell.text for cell in cells] == ["five", "six", "a", "b"]
            assert all(text[cell.start : cell.start + len(cell.text)] == cell.text for cell in cells)


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("| a | b |", ["a", "b"]),
        ("| a | |", ["a", ""]),
        ("|a|b", ["a", "b"]),
        ("| a \\| b | c |", ["a \\| b", "c"]),
        ("| a \\\\| b |", ["a \\\\", "b"]),
        ("|\ta\t|\tb\t|", ["a", "b"]),
    ],
)
def test_a_row_is_split_at_the_pipes_that_are_not_escaped(row: str, cells: list[str]) -> None:
    assert [cell.text for cell in split_cells(row, 0)] == cells


@pytest.mark.parametrize(
    ("line", "box", "text"),
    [
        ("- [ ] a", " ", "a"),
        ("* [X] a", "X", "a"),
        ("+ [] a", "", "a"),
        ("1. [~] a", "~", "a"),
        ("- [ ]* a", " ", "a"),
        ("- [ ] **a**", " ", "**a**"),
        ("- [✅] a", "✅", "a"),
        ("- [ ]", " ", ""),
        ("- [ ]a", " ", "a"),
        ("- [x]`a` b", "x", "`a` b"),
        ("- [a](b)", None, "[a](b)"),
        ("- [x](b)", None, "[x](b)"),
        ("- [x][b]", None, "[x][b]"),
        ("- [x]: b", None, "[x]: b"),
        ("- [~]a", None, "[~]a"),
        ("- [note] a", None, "[note] a"),
        ("- [P] a", None, "[P] a"),
        ("- [[x]] a", None, "[[x]] a"),
    ],
)
def test_a_box_is_one_mark_in_brackets_in_front_of_the_text(line: str, box: str | None, text: str) -> None:
    _, blocks = scan(line + "\n")
    item = blocks[0]
    assert isinstance(item, Item)
    assert (item.box, item.text) == (box, text)
