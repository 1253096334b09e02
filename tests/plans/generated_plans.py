"""Generated plans: of every format, with any marks, broken in any way."""

import json
from functools import lru_cache
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.plans.cases import documents

SHARED = Path(__file__).parents[3] / "shared"

_IDS = ("1", "2", "3", "3.10", "3.1", "4a", "3b-iii", "P1.A", "WP07", "10", "A1", "07")
_TITLES = (
    "Rooms",
    "Fix [foo] parsing",
    "Write a \\| b",
    "Ünïcode 🚀",
    "`code`: more",
    "Review",
    "Tab\there",
    "Form\x0cfeed",
    "Sep\u2028here",
)
_CELLS = (
    "✅",
    "✅ Done",
    "Done",
    "⬚",
    "⬜ Todo",
    "",
    " ",
    "-",
    "🟡 In progress",
    "partial",
    "⛔ Blocked",
    "⏭",
    "[x]",
    "[ ]",
    "sparkling",
    "50%",
    "Done (`abc`)",
    "**Done**",
)
_TAGS = (
    *(
        "",
        "",
        "",
        " [COMPLETED]",
        " [NOT STARTED]",
        " [IN PROGRESS]",
        " [MANUAL]",
        " [COMPLETED] [P]",
        " ✅",
        " 🚧",
        " ⏸",
        " ⬜",
    ),
    *(" — DONE", " — IN PROGRESS", " - not started", " (done)", " (in progress)", " (skipped)", " 【完了】"),
)
_LINES = (
    "",
    "",
    "**Status:** done",
    "**Status**: 🟡 In progress",
    "- **Status:** pending",
    "Status: sparkling",
    "状态：已完成",
    "**Depends on:** 1",
)
_BOXES = (
    "- [ ] open",
    "- [x] ticked",
    "- [~] begun",
    "- [-] struck",
    "  - [ ] inner",
    "* [X] star",
    "1. [ ] counted",
    "- [?] odd",
    "- plain",
    "\t- [ ] tabbed",
)
_HEADERS = (
    "",
    "",
    "---\nstatus: active\n---\n",
    "---\nstatus: complete\ntitle: T\n---\n\n",
    "**Status:** [COMPLETED]\n\n",
)

_ids = st.lists(st.sampled_from(_IDS), min_size=1, max_size=6, unique_by=lambda name: name.lstrip("0"))


@st.composite
def _tracker(draw: DrawFn, ids: list[str]) -> list[str]:
    is_counted = draw(st.booleans())
    columns = [
        *(["#"] if is_counted else []),
        "Phase",
        "Status",
        *draw(st.sampled_from(([], ["Notes"], ["Notes", "Commit"]))),
    ]
    rows = [columns, [draw(st.sampled_from(("---", "--", ":-:"))) for _ in columns]]
    for name in ids:
        title, note = draw(st.sampled_from(_TITLES)), draw(st.sampled_from(("", "x", "✅ in the notes", "a \\| b")))
        named = [name, title] if is_counted else [f"{name} — {title}"]
        row = [*named, draw(st.sampled_from(_CELLS)), note, ""][: len(columns)]
        rows.append(row[: draw(st.sampled_from((len(row), len(row), len(row), len(named))))])
    joined = [" | ".join(row) for row in rows]
    return [f"| {row} |" for row in joined] + [""] if draw(st.booleans()) else [*joined, ""]


@st.composite
def _sections(draw: DrawFn, ids: list[str]) -> list[str]:
    word = draw(st.sampled_from(("Phase", "Phase", "Step", "Фаза", "阶段", "Task")))
    level = "#" * draw(st.integers(2, 3))
    lines = []
    for name in ids:
        lines += [f"{level} {word} {name}: {draw(st.sampled_from(_TITLES))}{draw(st.sampled_from(_TAGS))}"]
        lines += [draw(st.sampled_from(_LINES)), "", *draw(st.lists(st.sampled_from(_BOXES), max_size=4)), ""]
    return lines


@st.composite
def _list_of_phases(draw: DrawFn, ids: list[str]) -> list[str]:
    boxes = st.sampled_from(("[ ]", "[x]", "[~]", "[-]", "[/]", "[!]"))
    lines = []
    for name in ids:
        lines += [f"- {draw(boxes)} Phase {name}: Rooms", *(["  - [x] a", "  - [ ] b"] if draw(st.booleans()) else [])]
    return [*lines, ""]


@st.composite
def _plain_list(draw: DrawFn, ids: list[str]) -> list[str]:
    mark = draw(st.sampled_from(("-", "*", "1.")))
    return [*(f"{mark} **Phase {name}: Rooms**{draw(st.sampled_from(_TAGS))}" for name in ids), ""]


@st.composite
def _bold_lines(draw: DrawFn, ids: list[str]) -> list[str]:
    lines = []
    for name in ids:
        lines += [f"**Phase {name}: Rooms**{draw(st.sampled_from(_TAGS))}", "", draw(st.sampled_from(_BOXES)), ""]
    return lines


_PARTS = (_tracker, _sections, _list_of_phases, _plain_list, _bold_lines)


@st.composite
def markdown_plans(draw: DrawFn) -> str:
    """A plan in Markdown: tracker, headings, list of phases, or several of them that contradict each other."""
    ids = draw(_ids)
    parts = draw(st.lists(st.sampled_from(_PARTS), min_size=1, max_size=3, unique=True))
    lines = ["# Plan", ""]
    for part in parts:
        lines += draw(part(ids))
    text = draw(st.sampled_from(_HEADERS)) + "\n".join(lines)
    return draw(st.sampled_from(("", "\ufeff"))) + text.replace("\n", draw(st.sampled_from(("\n", "\n", "\r\n"))))


@st.composite
def plans_of_one_kind(draw: DrawFn) -> str:
    """A plan in Markdown that states its phases in one way, and says nothing of itself as a whole."""
    part = draw(st.sampled_from((_tracker, _sections, _list_of_phases, _plain_list)))
    return "\n".join(["# Plan", "", *draw(part(draw(_ids)))])


@st.composite
def json_plans(draw: DrawFn) -> str:
    """A plan as task-master writes it."""
    words = st.sampled_from(
        ("pending", "done", "in-progress", "deferred", "blocked", "cancelled", "sparkling", "in_progress", "")
    )
    tasks = [
        {
            "id": number,
            "title": draw(st.sampled_from(_TITLES)),
            "status": draw(words),
            "dependencies": draw(st.lists(st.integers(1, 4), max_size=2)),
        }
        for number in range(1, draw(st.integers(1, 4)) + 1)
    ]
    layouts: list[object] = [{"tasks": tasks}, {"master": {"tasks": tasks}}, tasks]
    return json.dumps(
        draw(st.sampled_from(layouts)), indent=draw(st.sampled_from((None, 2))), ensure_ascii=draw(st.booleans())
    )


@lru_cache
def known_texts() -> list[tuple[str, str]]:
    """The names and texts of all cases, and of other people's plans where they are here."""
    paths = [*documents(), *sorted(SHARED.glob("plans/*.md")), *sorted(SHARED.glob("wild_plans/*_*.*"))]
    return [(path.name, path.read_bytes().decode()) for path in paths]


_ODD = (
    "\r",
    "\r\n",
    "\n",
    "\u2028",
    "\x0c",
    "\ufeff",
    "\u200f",
    "\u202e",
    "\x00",
    "\x1b",
    "\x85",
    "\t",
    "|",
    "`",
    "```\n",
    "~~~\n",
    "<!--",
    "-->",
    ">",
    "- ",
    "#",
    "[",
    "]",
    "✅",
    "\\",
    "*",
    "---\n",
    "'",
    '"',
    "{",
    ":",
    "\U0010ffff",
)


@st.composite
def broken_texts(draw: DrawFn) -> tuple[str, str]:
    """A known document with pieces missing, doubled or put in that do not belong there; and its name."""
    name, text = draw(st.sampled_from(known_texts()))
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from((0, 1, 3, 40, 400, 4000))))
        piece = draw(st.sampled_from(("", "", text[start:end] * 2, *_ODD)))
        text = text[:start] + piece + text[end:]
    return name, text


def any_texts() -> SearchStrategy[tuple[str, str]]:
    """Any text at all, under any name."""
    names = st.sampled_from(("plan.md", "plan.json", "plan.yaml", "plan"))
    pieces = st.one_of(
        st.sampled_from(
            (
                *_ODD,
                *_BOXES,
                *_CELLS,
                "# Phase 1",
                "| Phase | Status |\n|---|---|\n",
                "\n",
                "\n\n",
                "status: ",
                "todos:\n",
            )
        ),
        st.text(max_size=12),
    )
    return st.tuples(names, st.lists(pieces, max_size=30).map("".join))
