"""The report as one page: it shows what is on record, needs nothing else, and runs nothing that others wrote."""

import html.parser
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.runs.reporting.graphs import GraphNode, arrange, render_graph
from planrail.runs.reporting.pages import render_page

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\u202egnp.exe\x1b[31m&amp;"
_ALONE = {"meta", "br", "img", "input", "link", "hr"}


def _told(word: str) -> dict[str, Any]:
    """A report in which everything that others can write is this word."""
    check = {
        "command": word,
        "origin": "block",
        "exit": 1,
        "seconds": 2.0,
        "tree": "",
        "base_exit": None,
        "confined": word,
    }
    item = {"item": word, "verdict": word, "place": word, "note": word}
    attempt = {
        "run": word,
        "phase": word,
        "attempt": 1,
        "title": word,
        "status": "failed",
        "reason": word,
        "text": word,
        "by": word,
        "commit": word,
        "began": 1_700_000_000,
        "seconds": 75.0,
        "tokens": 1200,
        "cost": 0.5,
        "evidence": {"hash": word, "tree": word, "checks": [check]},
        "agents": [{"step": word, "policy": "agent", "confined": word}],
        "verdict": {"passed": False, "by": word, "items": [item], "problems": [word]},
        "findings": [{"kind": word, "text": word, "place": word, "failure": True}],
        "signed_off_by": word,
    }
    return {
        "plan": word,
        "path": word,
        "title": word,
        "status": word,
        "text": word,
        "approved": True,
        "tests": word,
        "phases": [{"id": word, "title": word, "status": word, "done": False}],
        "adopted": [],
        "unpushed": [],
        "attempts": [attempt],
        "runs": [{"run": word, "began": 1_700_000_000, "state": word}],
    }


class _Tags(html.parser.HTMLParser):
    """Which tags and attributes a browser would see; a tag that is not closed is named."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open, self.seen, self.attributes = list[str](), set[str](), set[str]()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes.update(name for name, _ in attrs)
        if tag not in _ALONE:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def _page(word: str) -> str:
    return render_page(_told(word), {word: [word]}, "", 1_700_000_100)


def test_what_others_wrote_is_shown_and_never_run() -> None:
    page = _page(HOSTILE)
    tags = _Tags(page)
    assert tags.open == []
    assert not tags.seen & {"script", "img", "iframe", "link", "object", "form", "a"}
    assert not any(name.startswith("on") or name in ("src", "href") for name in tags.attributes)
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert "&lt;script&gt;" in page


@given(st.text(max_size=40))
def test_any_words_leave_the_page_whole(word: str) -> None:
    plain = _Tags(_page("word"))
    tags = _Tags(_page(word))
    assert tags.open == []
    assert tags.seen == plain.seen
    assert tags.attributes == plain.attributes


def test_the_page_needs_nothing_else() -> None:
    page = _page("word")
    assert "default-src 'none'" in page
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|@import|url\((?!#tip)", page)


def test_a_plan_that_was_never_run_has_a_page() -> None:
    told = json.loads(json.dumps(_told("x")))
    told |= {"status": None, "text": None, "approved": None, "tests": None, "attempts": [], "runs": []}
    page = render_page(told, {}, "", 0)
    assert "never run" in page
    assert "0 of 1 phase done" in page


def _nodes(*needs: tuple[str, ...]) -> list[GraphNode]:
    return [GraphNode(str(at), f"Title {at}", "todo", "", need) for at, need in enumerate(needs)]


@pytest.mark.parametrize(
    ("needs", "places"),
    [
        ([(), ("0",), ("1",)], [(0, 0), (1, 0), (2, 0)]),
        ([(), ("0",), ("0",), ("1", "2")], [(0, 0), (1, 0), (1, 1), (2, 0)]),
        ([(), (), ("nowhere",)], [(0, 0), (0, 1), (0, 2)]),
        ([("0",)], [(0, 0)]),
    ],
)
def test_a_phase_stands_behind_what_it_waits_for(needs: list[tuple[str, ...]], places: list[tuple[int, int]]) -> None:
    assert list(arrange(_nodes(*needs)).values()) == places


@given(st.lists(st.lists(st.integers(0, 11).map(str), max_size=4).map(tuple), min_size=1, max_size=12))
def test_any_graph_is_drawn_with_every_phase_at_a_place_of_its_own(needs: list[tuple[str, ...]]) -> None:
    nodes = _nodes(*needs)
    places = arrange(nodes)
    assert len(set(places.values())) == len(nodes)
    assert render_graph("a plan", nodes).count("<rect") == len(nodes)
    earlier = {node.id for node in nodes if all(int(need) < int(node.id) for need in node.needs)}
    if len(earlier) == len(nodes):  # no circle
        for node in nodes:
            assert all(places[need][0] < places[node.id][0] for need in node.needs)
