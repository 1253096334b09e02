"""Generated Markdown: well-formed documents, heaps of lines, and plans."""

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

_WORDS = ("alpha", "two words", "`code`", "*emphasis* and **more**", "a_b", "1 of 3", "x: y", "done", "#hash", "[a](b)")
_PROSE = st.sampled_from(_WORDS)
_INFO = st.sampled_from(("", "sh", "sh run", "python title=x", "text"))  # ```markdown may hold fences: a kindness


def _indented(lines: list[str], width: int, first: str) -> list[str]:
    """Lines as the content of a list item: its marker before the first, blanks before the others."""
    return [first + lines[0], *(" " * width + line if line else "" for line in lines[1:])]


@st.composite
def _paragraph(draw: DrawFn) -> list[str]:
    return draw(st.lists(_PROSE, min_size=1, max_size=3))


@st.composite
def _heading(draw: DrawFn) -> list[str]:
    closing = draw(st.sampled_from(("", " #", " ###")))
    return ["#" * draw(st.integers(1, 6)) + " " + draw(_PROSE) + closing]


@st.composite
def _underlined(draw: DrawFn) -> list[str]:
    return [*draw(_paragraph()), draw(st.sampled_from(("===", "---", "=", "--------", "=== ")))]


@st.composite
def _fence(draw: DrawFn) -> list[str]:
    char = draw(st.sampled_from("`~"))
    length = draw(st.integers(3, 5))
    inside = st.sampled_from(
        ("", "text", "# no heading", "- [ ] no box", "| a |", char * (length - 1), "    x", "> q", "<!--")
    )
    body = draw(st.lists(inside, max_size=4))
    return [char * length + draw(_INFO), *body, char * draw(st.integers(length, length + 2))]


@st.composite
def _table(draw: DrawFn) -> list[str]:
    width = draw(st.integers(2, 3))
    cell = st.sampled_from(("a", "`b`", "✅ Done", "", "x \\| y", "1"))
    lines = [draw(st.lists(cell, min_size=width, max_size=width)) for _ in range(draw(st.integers(1, 4)))]
    delimiter = [draw(st.sampled_from(("---", ":-:", "-", "--:"))) for _ in range(width)]
    rows = [lines[0], delimiter, *lines[1:]]
    return ["| " + " | ".join(row) + " |" for row in rows]


@st.composite
def _comment(draw: DrawFn) -> list[str]:
    inside = draw(st.lists(st.sampled_from(("hidden", "# hidden", "- [ ] hidden", "", "```")), max_size=3))
    return ["<!--", *inside, "-->"] if inside else ["<!-- hidden -->"]


_RULE = st.sampled_from(("***", "- - -", "___", "* * *", "-----")).map(lambda rule: ["", rule])
_CODE = st.lists(st.sampled_from(("    code", "    # no heading", "    - no item", "\tcode")), min_size=1, max_size=2)


@st.composite
def _quote(draw: DrawFn, inner: SearchStrategy[list[str]]) -> list[str]:
    return [("> " + line).rstrip() for line in draw(inner)]


@st.composite
def _lazy_quote(draw: DrawFn) -> list[str]:
    return ["> " + draw(_PROSE), draw(_PROSE)]


@st.composite
def _list(draw: DrawFn, inner: SearchStrategy[list[str]]) -> list[str]:
    is_counted = draw(st.booleans())
    bullet = draw(st.sampled_from("-*+"))
    gap = " " * draw(st.integers(1, 4))
    lines: list[str] = []
    for number in range(draw(st.integers(1, 4))):
        marker = (f"{number + 1}." if is_counted else bullet) + gap
        box = draw(st.sampled_from(("", "", "[ ] ", "[x] ", "[~] ")))
        content = [box + draw(_PROSE)]
        for block in draw(st.lists(inner, max_size=2)):
            content += ["", *block]
        lines += _indented(content, len(marker), marker)
        lines += [""] * draw(st.integers(0, 1))
    return lines


@st.composite
def _lazy_item(draw: DrawFn) -> list[str]:
    return ["- " + draw(_PROSE), draw(_PROSE), "  " + draw(_PROSE)]


_LEAVES = st.one_of(
    _paragraph(), _heading(), _underlined(), _fence(), _table(), _comment(), _RULE, _CODE, _lazy_quote(), _lazy_item()
)
_BLOCKS: SearchStrategy[list[str]] = st.recursive(
    _LEAVES, lambda inner: st.one_of(_list(inner), _quote(inner)), max_leaves=8
)


@st.composite
def well_formed(draw: DrawFn) -> str:
    """A document of whole blocks, nested and with blank lines between them."""
    lines: list[str] = ["Start", ""]  # so that a rule on the first line is no front matter
    for block in draw(st.lists(_BLOCKS, min_size=1, max_size=7)):
        lines += [*block, *[""] * draw(st.integers(1, 2))]
    return "\n".join(lines) + "\n"


_TAME_LINES = (
    *("", "", "", "text", "two words", "# Heading", "## Phase 2", "###### Six", "#none", "###"),
    *("```", "````", "~~~", "```sh run", "***", "___", "---", "- - -"),
    *("- item", "* star", "+ plus", "1. one", "- [ ] open", "- [x] done", "  - inner", "  - [ ] inner", "    - deeper"),
    *(
        "  text",
        "    text",
        "      text",
        "\ttext",
        "  # inner",
        "> quote",
        "<!-- comment -->",
        "\\# none",
        "----",
        "`a`",
    ),
)
_WILD_LINES = (
    *_TAME_LINES,
    *("===", "-", "1.", "2. two", "10) ten", "  2. two", "   1. one", "    1. one", "     - deep", "   - three"),
    *(
        ">",
        "> # quoted",
        "> ---",
        "> ```",
        "> - quoted",
        "- > quoted",
        "- ---",
        "- # heading",
        "-     code",
        "- - nested",
    ),
    *("<!-- open", "end -->", "- <!-- open", "  -->", "- ```", "1. ~~~", "  ```", "\t- tab", "-\ttab", "- \ttab"),
)


def _heap(lines: tuple[str, ...], longest: int) -> SearchStrategy[str]:
    return st.lists(st.sampled_from(lines), min_size=1, max_size=longest).map(
        lambda heap: "Start\n\n" + "\n".join(heap) + "\n"
    )


def tame_heap() -> SearchStrategy[str]:
    """Lines in any order, lazy continuations and unclosed fences included."""
    return _heap(_TAME_LINES, 14)


def wild_heap() -> SearchStrategy[str]:
    """The same with every oddity of CommonMark that plans hardly have: empty items, quotes that leave nothing open."""
    return _heap(_WILD_LINES, 8)
