"""What a run shows: a board in place on a terminal, plain lines in a pipe."""

import io
import json
import os
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from planrail.agents.model import Began, Denied, Said, UsageEvent, Used
from planrail.base.records import replace
from planrail.base.run_model import Ending, Order, PhaseEnd
from planrail.base.values import pack
from planrail.cli.live_screen import LiveScreen
from planrail.cli.screens import open_screen
from planrail.planning.headless.board import Screen
from planrail.runs.request.display import Display
from planrail.runs.request.preflight import find_syntax_error
from planrail.store.runs.run_folders import new_folder
from tests.cli.live_screens import Clock, drawn, open_live
from tests.cli.test_run_command import Project
from tests.runs.run_records import make_order, make_phase


def begin_live(order: Order) -> tuple[Display, LiveScreen, io.StringIO, Clock]:
    screen, stream, clock = open_live()
    display = Display(screen)
    display.begin(order)
    return display, screen, stream, clock


@pytest.fixture
def order(tmp_path: Path) -> Order:
    return make_order(make_phase("1", "Greet"), make_phase("4b", "漢字の題" * 10), root=str(tmp_path))


def test_a_pipe_gets_one_plain_line_for_each_event(order: Order) -> None:
    stream, clock = io.StringIO(), Clock()
    display = Display(Screen(stream, clock))
    display.begin(order)
    display.step("turn/1/choose", "begun")
    display.step("phase/1/1/start", "begun")
    display.step("phase/1/1/implement.1", "begun")
    display.event("1", Began("c"))
    display.event("1", Used("Bash", "npm test"))
    display.event("1", UsageEvent(1, 2))
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
        "planrail: [1/2] phase 1 has ended (1:05); so far 3 tokens, cost unknown",
        "planrail: look here",
    ]


def test_a_row_shows_step_time_tokens_cost_and_the_last_words(order: Order) -> None:
    display, screen, _, clock = begin_live(order)
    clock.now = 10
    display.step("phase/1/1/implement.1", "begun")
    display.event("1", UsageEvent(1500, 500, 0.25))
    for number in range(5):
        display.event("1", Said(f"word {number}"))
    display.event("1", Denied("Bash", "no network"))
    clock.now = 75
    lines = drawn(screen)
    assert lines[0].split() == ["PLAN.md", "░" * 20, "0/2", "phases", "1:15", "2.0k", "tokens", "$0.25"]
    assert "Greet" in lines[1]
    assert "1:05  the agent works · 2.0k tokens · $0.25" in lines[1]
    assert [line.strip() for line in lines[2:5]] == ["│ word 3", "│ word 4", "│ Bash denied: no network"]
    display.step("phase/1/1/end", "ended")
    assert drawn(screen)[1].startswith(" ✔ 1")
    display.close()


@pytest.mark.parametrize(
    ("state", "sign", "word"),
    [("landed", "✔", "has landed"), ("failed", "✖", "has failed"), ("waiting", "◌", "is waiting")],
)
def test_a_phase_that_has_ended_is_shown_as_it_ended(state: str, sign: str, word: str, order: Order) -> None:
    screen, _, _ = open_live()
    plain = io.StringIO()
    shown = Display(screen), Display(Screen(plain, Clock()))
    for display in shown:
        display.begin(order)
        display.step("phase/1/1/implement.1", "begun")
        display.step("phase/1/1/end", "ended", PhaseEnd("1", state))
        display.close()
    assert drawn(screen)[1].startswith(f" {sign} 1 ")
    assert f"phase 1 {word}" in plain.getvalue()


def test_what_a_run_had_done_before_it_was_interrupted_is_shown_as_done(order: Order) -> None:
    line = {"at": 1, "key": "phase/1/1/end", "state": "ended", "value": pack(PhaseEnd("1", "landed"))}
    Path(new_folder(order.root, order, ""), "journal.jsonl").write_text(json.dumps(line) + "\n")
    display, screen, _, _ = begin_live(order)
    display.close()
    assert [row[1] for row in drawn(screen)[1:]] == ["✔", "○"]


def test_no_line_is_wider_and_nothing_is_higher_than_the_terminal_and_nothing_steers_it(tmp_path: Path) -> None:
    phases = [make_phase(str(number), "漢字の題" * number) for number in range(39)]
    phases.append(make_phase("1\033[2J", "Greet\r\033]0;x\007\u202e\nforged"))
    order = replace(make_order(*phases, root=str(tmp_path)), path="PLAN\x9b2K.md")
    display, screen, _, _ = begin_live(order)
    display.step("phase/30/1/implement.1", "begun")
    display.event("30", Said("\033[31mred\u202e" + "漢" * 300))
    display.step("phase/1\033[2J/1/implement.1", "begun")
    display.close()
    for width, height in ((12, 2), (40, 5), (80, 24), (200, 24), (120, 60)):
        lines = drawn(screen, width, height)
        assert all(cell_len(line) < width for line in lines)
        assert not any(re.search("[\x00-\x1f\x7f-\x9f\u202e]", line) for line in lines)
        assert len(lines) < height
        assert height < 5 or any("⠋" <= line[1:2] <= "⠿" for line in lines)


def test_a_program_that_reads_json_gets_notes_only_and_a_display_that_never_began_can_be_closed(order: Order) -> None:
    stream = io.StringIO()
    display = Display(Screen(stream, is_quiet=True))
    display.step("phase/1/1/start", "begun")
    display.event("1", Said("x"))
    display.close()
    display.begin(order)
    display.step("phase/1/1/implement.1", "begun")
    display.event("1", Said("x"))
    assert display.ask("go on?") is None
    display.end(Ending("complete", "", ""))
    display.close()
    assert stream.getvalue() == ""
    assert (type(open_screen()), open_screen(is_quiet=True).is_quiet) == (Screen, True)


def test_a_live_display_draws_over_itself_and_leaves_the_last_rows(order: Order) -> None:
    display, _, stream, _ = begin_live(order)
    display.step("phase/1/1/implement.1", "begun")
    display.note("a note")
    display.end(Ending("complete", "all done", "", "1"))
    display.close()
    told = stream.getvalue()
    assert "\033[1A\033[2K" * 2 in told  # back up over three lines
    assert "planrail: a note\n" in told
    assert told.rpartition("\033[2K")[2].count("\n") == 3
    assert "✔" in told.rpartition("\033[2K")[2]


def test_a_reader_who_has_left_does_not_end_the_run(order: Order) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w", buffering=1, closefd=True) as stream:
        display = Display(Screen(stream))
        display.begin(order)
        display.step("phase/1/1/implement.1", "begun")
        os.dup2(os.open(os.devnull, os.O_WRONLY), writer)  # so that closing does not complain


def test_uncommitted_work_is_told_once_before_the_agent_starts(tmp_path: Path) -> None:
    project = Project(tmp_path / "my project")
    project.write("mine.txt", "a\n")
    project.plan(
        "\n## Phase 1 — One\n\n- [ ] write one.txt\n\n```sh run\necho 1 > 1.txt\n```\n\n```sh check\ntest -f 1.txt\n```\n"
    )
    for name in ("mine.txt", "one.txt", "unnamed.txt"):
        project.write(name, "b\n")
    told = project.type("run", "PLAN.md", "auto", "--agent", "runbook").stderr
    assert told.count("uncommitted in your checkout: mine.txt, one.txt; ") == 1, told
    assert told.index("uncommitted in your checkout") < told.index("the agent works"), told


def test_a_check_that_no_shell_can_read_is_refused_before_anything_starts(tmp_path: Path) -> None:
    project = Project(tmp_path / "my project")
    blocks = "```sh run\necho 1 > 1.txt\n```\n\n```sh check\nif test -f 1.txt; then\n```\n"
    project.plan(f"\n## Phase 1 — One\n\n- [ ] write 1.txt\n\n{blocks}")
    refused = project.ask("run", "PLAN.md", "auto", "--agent", "runbook")
    assert "of PLAN.md: the shell cannot read the check `if test -f 1.txt; then`: " in refused.stderr
    assert (refused.returncode, "nothing was started" in refused.stderr) == (1, True), refused.stderr


def test_a_check_runs_what_only_the_phase_makes() -> None:
    assert [find_syntax_error(one) for one in ("./bin/not-yet && not-yet --version", "[[ -f x ]] || exit 1")] == [
        "",
        "",
    ]


def test_a_run_that_fails_in_many_ways_ends_with_the_first_and_the_way_to_the_rest(tmp_path: Path) -> None:
    project = Project(tmp_path / "my project")
    checks = "".join(f"```sh check\necho 'error: {'x' * 100} {number}'; false\n```\n" for number in range(6))
    project.plan(f"\n## Phase 1 — One\n\n- [ ] write 1.txt\n\n```sh run\necho 1 > 1.txt\n```\n{checks}")
    failed = project.type("run", "PLAN.md", "auto", "--agent", "runbook")
    line, rest = failed.stdout.splitlines()[:2]
    assert (failed.returncode, line[-3:], rest) == (1, "; …", "all of it: planrail report PLAN.md --full"), (
        failed.stdout
    )
    assert f"{'x' * 100} 5" in project.ask("report", "PLAN.md", "--full").stdout
