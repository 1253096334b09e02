"""What a run shows: a board in place on a terminal, plain lines in a pipe."""

import io
import json
import os
import re
from pathlib import Path

import pytest

from planrail.agents.model import Began, Denied, Said, Spent, Used
from planrail.base.records import replace
from planrail.base.run_model import Ending, Order, PhaseEnd
from planrail.base.values import pack
from planrail.cli.runs.board import Board
from planrail.cli.runs.display import LiveDisplay, open_display
from planrail.planning.headless.board import cells
from planrail.runs.request.display import Display, PlainDisplay
from planrail.store.runs.run_folders import new_folder
from tests.runs.run_records import make_order, make_phase


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def order(tmp_path: Path) -> Order:
    return make_order(make_phase("1", "Greet"), make_phase("4b", "漢字の題" * 10), root=str(tmp_path))


def test_a_pipe_gets_one_plain_line_for_each_event(order: Order) -> None:
    stream, clock = io.StringIO(), Clock()
    display = PlainDisplay(stream, clock)
    display.begin(order)
    display.step("turn/1/choose", "begun")
    display.step("phase/1/1/start", "begun")
    display.step("phase/1/1/implement.1", "begun")
    display.event("1", Began("c"))
    display.event("1", Used("Bash", "npm test"))
    display.event("1", Spent(1, 2))
    display.event("1", Said("two\nlines \033[31mred"))
    clock.now += 65
    display.step("phase/1/1/end", "ended")
    display.note("look here")
    display.end(Ending("complete", "all done", ""))
    lines = stream.getvalue().splitlines()
    assert lines == [
        "planrail: run run-1 of PLAN.md",
        "planrail: [1/2] phase 1: Greet",
        "planrail: [1/2] phase 1: the agent works",
        "planrail:   1 | Bash npm test",
        "planrail:   1 | two lines \\x1b[31mred",
        "planrail: [1/2] phase 1 has ended (1:05)",
        "planrail: look here",
    ]


def test_whoever_reads_json_gets_notes_only(order: Order) -> None:
    stream = io.StringIO()
    display = Display(stream)
    display.begin(order)
    display.step("phase/1/1/implement.1", "begun")
    display.event("1", Said("x"))
    assert display.ask("go on?") is None
    display.end(Ending("complete", "", ""))
    display.close()
    assert stream.getvalue() == ""


def test_the_board_shows_step_time_tokens_cost_and_the_last_words(order: Order) -> None:
    board = Board(order, 0)
    board.step("phase/1/1/implement.1", "begun", 10)
    board.see("1", Spent(1500, 500, 0.25))
    for number in range(5):
        board.see("1", Said(f"word {number}"))
    board.see("1", Denied("Bash", "no network"))
    lines = board.render(75, 100, 24, colour=False)
    assert lines[0].split() == ["PLAN.md", "░" * 20, "0/2", "phases", "1:15", "2.0k", "tokens", "$0.25"]
    assert "Greet" in lines[1]
    assert "1:05  the agent works · 2.0k tokens · $0.25" in lines[1]
    assert [line.strip() for line in lines[2:5]] == ["│ word 3", "│ word 4", "│ Bash denied: no network"]
    board.step("phase/1/1/end", "ended", 80)
    assert board.render(99, 100, 24, colour=False)[1].startswith(" ✔ 1")
    assert board.done == 1


def test_no_title_or_path_of_a_plan_steers_the_board(tmp_path: Path) -> None:
    phase = make_phase("1\033[2J", "Greet\r\033]0;x\007\u202e\nforged")
    board = Board(replace(make_order(phase, root=str(tmp_path)), path="PLAN\x9b2K.md"), 0.0)
    board.step("phase/1\033[2J/1/implement.1", "begun", 1.0)
    for line in board.render(2.0, 120, 30, colour=False):
        assert not re.search("[\x00-\x1f\x7f-\x9f\u202e]", line)


def test_a_phase_that_failed_is_marked_when_the_run_ends(order: Order) -> None:
    board = Board(order, 0)
    board.step("phase/1/1/implement.1", "begun", 1)
    board.step("phase/1/1/end", "ended", 2)
    board.end(Ending("failed", "it broke", "", "1"), 3)
    assert board.render(4, 80, 24, colour=False)[1].startswith(" ✖ 1")


@pytest.mark.parametrize(
    ("state", "sign", "word"),
    [("landed", "✔", "has landed"), ("failed", "✖", "has failed"), ("waiting", "◌", "is waiting")],
)
def test_a_phase_that_has_ended_is_shown_as_it_ended(state: str, sign: str, word: str, order: Order) -> None:
    journal = Path(new_folder(order.root, order, ""), "journal.jsonl")
    live, plain = io.StringIO(), io.StringIO()
    shown = LiveDisplay(live, Clock()), PlainDisplay(plain, Clock())
    for display in shown:
        display.begin(order)
        display.step("phase/1/1/implement.1", "begun")
    line = {"at": 1, "key": "phase/1/1/end", "state": "ended", "value": pack(PhaseEnd("1", state))}
    journal.write_text("x" * 70_000 + "\n" + json.dumps(line) + "\n")
    for display in shown:
        display.step("phase/1/1/end", "ended")
        display.close()
    assert f"{sign}\033[0m 1 " in live.getvalue() or f" {sign} 1 " in live.getvalue()
    assert f"phase 1 {word}" in plain.getvalue()


@pytest.mark.parametrize("width", [12, 40, 80, 200])
@pytest.mark.parametrize("height", [2, 5, 24])
def test_no_line_is_wider_and_no_board_is_higher_than_the_terminal(width: int, height: int, tmp_path: Path) -> None:
    phases = [make_phase(str(number), "漢字の題" * number) for number in range(40)]
    board = Board(make_order(*phases, root=str(tmp_path)), 0)
    board.step("phase/30/1/implement.1", "begun", 1)
    board.see("30", Said("漢" * 300))
    lines = board.render(2, width, height, colour=False)
    assert all(cells(line) < width for line in lines)
    assert len(lines) < height
    assert height < 5 or any("⠋" <= line[1:2] <= "⠿" for line in lines)


def test_a_live_display_draws_over_itself_and_leaves_the_last_board(order: Order) -> None:
    stream, clock = io.StringIO(), Clock()
    display = LiveDisplay(stream, clock)
    display.begin(order)
    display.step("phase/1/1/implement.1", "begun")
    drawn = len(stream.getvalue())
    display.step("phase/1/1/implement.1", "ended")  # nothing that is shown has changed
    assert len(stream.getvalue()) == drawn
    display.note("a note")
    display.end(Ending("complete", "all done", "", "1"))
    display.close()
    told = stream.getvalue()
    assert "\033[3F" in told
    assert "planrail: a note\n" in told
    assert told.rstrip().endswith("\033[J")
    assert "✔" in told


def test_a_display_that_never_began_can_be_closed() -> None:
    display = LiveDisplay(io.StringIO(), Clock())
    display.step("phase/1/1/start", "begun")
    display.event("1", Said("x"))
    display.close()
    display.close()


def test_a_reader_who_has_left_does_not_end_the_run(order: Order) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w", buffering=1, closefd=True) as stream:
        display = PlainDisplay(stream)
        display.begin(order)
        display.step("phase/1/1/implement.1", "begun")
        os.dup2(os.open(os.devnull, os.O_WRONLY), writer)  # so that closing does not complain


def test_the_display_suits_where_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert type(open_display()) is PlainDisplay
    assert type(open_display(is_quiet=True)) is Display
    monkeypatch.setenv("TERM", "dumb")
    assert type(open_display()) is PlainDisplay
