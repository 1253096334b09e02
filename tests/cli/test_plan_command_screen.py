"""What a person sees while agents plan, and how they are asked."""

import io
import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

import pytest
from rich.cells import cell_len

from planrail.agents.model import Denied, Question, Said, UsageEvent, Used
from planrail.cli.live_screen import LiveScreen
from planrail.cli.plans.display import PlanDisplay
from planrail.planning.headless.board import Screen, render_tokens
from planrail.planning.headless.interview import ask_all, choose
from planrail.planning.news import AgentFailed, AnswerRefused, ExplorersSent, PhaseBegan, PhaseDone
from tests.cli.live_screens import Clock, drawn, open_live
from tests.cli.planning_runs import Desk, reply
from tests.planning.conducting_fakes import ASKING, CRITIQUE, PLAN, PROMISED
from tests.support.patience import PATIENCE

PHASES = ("understand", "explore", "draft", "critique", "revise", "critique", "revise")


@pytest.fixture
def live() -> tuple[PlanDisplay, LiveScreen, Clock]:
    screen, _, clock = open_live()
    display = PlanDisplay(PHASES, 0, screen)
    display.close(is_finished=True)
    return display, screen, clock


# ---- the rows ----


Live = tuple[PlanDisplay, LiveScreen, Clock]


def test_each_phase_has_a_line_with_its_state_time_and_what_its_agent_does(live: Live) -> None:
    display, screen, clock = live
    display.show(PhaseBegan(0, 1))
    clock.now = 12.0
    display.show(PhaseDone(0))
    clock.now = 60.0
    display.show(PhaseBegan(1, 2))
    display.see("author", Used("Read", "src/greeter.py"))
    display.see("author", UsageEvent(1_000, 234))
    clock.now = 65.0
    first, second, third, *rest = drawn(screen)
    assert first.split() == ["✔", "understand", "12s"]
    assert "explore" in second
    assert "5s  Read src/greeter.py · attempt 2 · 1.2k tokens" in second
    assert third.split() == ["○", "draft"]
    assert [line.split()[1:] for line in rest][:2] == [["critique", "1/2"], ["revise", "1/2"]]


def test_explorers_have_lines_below_their_phase(live: Live) -> None:
    display, screen, _ = live
    display.show(PhaseBegan(1, 1))
    display.show(ExplorersSent((("explorer 1", "the code"), ("explorer 2", "the tests"))))
    display.see("explorer 2", Said("I see"))
    lines = drawn(screen)
    assert lines[2].split()[1:] == ["explorer", "1", "the", "code"]
    assert lines[3].endswith("I see")
    display.show(PhaseDone(1))
    assert len(drawn(screen)) == len(PHASES)


def test_no_line_is_wider_than_the_terminal_and_none_are_more_than_it_has(live: Live) -> None:
    display, screen, _ = live
    display.show(PhaseBegan(4, 1))
    display.see("author", Said("한국어 " * 100))
    for width in (10, 40, 81):
        assert all(cell_len(line) < width for line in drawn(screen, width))
    few = drawn(screen, height=4)
    assert len(few) == 3
    assert any("revise 1/2" in line for line in few)


def test_what_an_agent_says_cannot_steer_the_terminal(live: Live) -> None:
    display, screen, _ = live
    display.show(PhaseBegan(0, 1))
    display.see("author", Said("\033[2J\033]0;title\a\r\nmore\u202e"))
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202e]", "".join(drawn(screen)))


def test_a_planning_that_is_gone_on_with_shows_what_is_done() -> None:
    screen, _, _ = open_live()
    PlanDisplay(PHASES, 2, screen).close(is_finished=False)
    assert [line.split()[0] for line in drawn(screen)][:3] == ["✔", "✔", "✖"]


@pytest.mark.parametrize(
    ("count", "shown"), [(0, ""), (999, "999 tokens"), (1_500, "1.5k tokens"), (2_500_000, "2.5M tokens")]
)
def test_tokens_are_short(count: int, shown: str) -> None:
    assert render_tokens(count) == shown


# ---- plain lines ----


def test_in_a_pipe_each_change_is_one_plain_line() -> None:
    out = io.StringIO()
    ticks = iter([0.0, 61.0])
    display = PlanDisplay(PHASES, 0, Screen(out, lambda: next(ticks, 61.0)))
    display.show(PhaseBegan(0, 1))
    display.see("author", Said("nothing to tell"))
    display.see("author", Denied("Write", "no\033[2J"))
    display.show(AnswerRefused(0, ("too short",), 1))
    display.show(AgentFailed("critic", "gone", is_asked_again=True))
    display.note("the report of explorer 2 is left out: empty")
    display.show(PhaseDone(0))
    assert out.getvalue().splitlines() == [
        "planrail: [1/7] understand",
        "planrail:   author: Write denied: no\\x1b[2J",
        "planrail: understand: the answer is not good enough (1 attempt left)",
        "planrail:   - too short",
        "planrail: the critic did not answer: gone; it is asked once more",
        "planrail: the report of explorer 2 is left out: empty",
        "planrail: [1/7] understand is done (1:01)",
    ]


# ---- questions ----


def test_a_pipe_that_nobody_reads_any_more_stops_nothing() -> None:
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError(32, "Broken pipe")

    display = PlanDisplay(PHASES, 0, Screen(Closed()))
    display.show(PhaseBegan(0, 1))
    display.note("something")


def test_a_number_chooses_words_are_words_and_nothing_lets_the_author_decide() -> None:
    question = Question("Which?", ("sqlite", "postgres", "files"))
    assert choose(question, "2\n") == "postgres"
    assert choose(question, "4") == "4"
    assert choose(question, "a folder, please ") == "a folder, please"
    assert choose(question, " \n") == ""
    assert choose(Question("Which?", ("a", "b", "c"), many=True), "1, 3") == "a, c"


def test_all_questions_are_shown_before_the_first_is_answered() -> None:
    said: list[str] = []
    answers = iter(["1", ""])

    def read(prompt: str) -> str:
        assert any("Who?" in line for line in said)
        return next(answers)

    asked = {"Which? (a / b)": Question("Which?", ("a", "b")), "Who?": Question("Who?")}
    given = ask_all(asked, read, said.append)
    assert given == {"Which? (a / b)": "a", "Who?": ""}
    assert any("1) a" in line for line in said)


def test_a_number_that_is_not_offered_is_asked_for_once_more() -> None:
    typed, said = iter(["9", "2", "7", "7", "5 seconds", "1,9", "2,1"]), [""]
    offered = ("sqlite", "postgres")
    questions = {
        "a": Question("Which?", offered),
        "b": Question("Which, then?", offered),
        "c": Question("How long?", offered),
        "d": Question("Which of them?", offered, many=True),
    }
    answers = ask_all(questions, lambda prompt: next(typed), said.append)
    assert answers == {"a": "postgres", "b": "7", "c": "5 seconds", "d": "postgres, sqlite"}
    assert sum("is not offered: 1 to 2" in line for line in said) == 3
    assert ask_all({"e": Question("How many?")}, lambda prompt: "9", said.append) == {"e": "9"}


def test_the_end_of_the_input_ends_the_asking() -> None:
    def read(prompt: str) -> str:
        raise EOFError

    assert ask_all({"k": Question("Who?")}, read, lambda text: None) == {}


# ---- at a real terminal ----


def _at_terminal(desk: Desk, arguments: list[str], typed: dict[str, str], seconds: float = 60) -> tuple[int, str, str]:
    """Run planrail at a pseudo-terminal; type a text when another appears. The exit code, the screen, standard output."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        desk.command(*arguments),
        cwd=desk.repo,
        env={**desk.environment(), "TERM": "xterm"},
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    screen, waiting, end = "", dict(typed), time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([ours], [], [], 0.2)[0]:
            try:
                chunk = os.read(ours, 65_536)
            except OSError:
                break
            screen += chunk.decode(errors="replace")
            for seen in [seen for seen in waiting if seen in screen]:
                os.write(ours, waiting.pop(seen).encode())
        elif process.poll() is not None:
            break
    printed, _ = process.communicate(timeout=PATIENCE)
    os.close(ours)
    return process.returncode, screen, printed.decode()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def _interview() -> list[dict[str, object]]:
    return [
        reply("The person answered", PLAN),
        reply("Phase: INTERVIEW", ASKING),
        reply("Phase: CRITIQUE", CRITIQUE, "critic"),
        reply("This is the last round", PROMISED, "author"),
    ]


@pytest.mark.full
def test_an_interview_asks_at_the_terminal_and_the_answers_reach_the_author(desk: Desk) -> None:
    desk.follow(_interview())
    arguments = [
        "plan",
        "--agent",
        "scripted",
        "--interview",
        "--rounds",
        "1",
        "--output",
        "P.md",
        "Refuse empty names",
    ]
    code, screen, printed = _at_terminal(desk, arguments, {"1> ": "2\n", "2> ": "\n"})
    assert code == 0, screen
    assert "2 questions" in screen
    assert "1) 1" in screen
    told = desk.prompts("author")[1]
    assert "Which exit status? (1 / 2)\n  Answer: 2" in told
    assert "decide" in told
    assert "next: planrail approve P.md" in printed


@pytest.mark.full
def test_without_a_terminal_nothing_is_asked_and_the_answer_says_what_is_open(desk: Desk) -> None:
    script = _interview()
    script[3]["text"] = f"{ASKING}\n<promise>PLAN_OK</promise>\n"
    desk.follow(script)
    done = desk.run(
        "plan", "--agent", "scripted", "--interview", "--rounds", "1", "--output", "P.md", "Refuse empty names"
    )
    assert done.returncode == 0, done.stderr
    assert "leaves 2 questions open" in done.stdout
    assert "Who is told?" in (desk.repo / "P.md").read_text()


@pytest.mark.full
def test_an_agents_own_questions_are_asked_at_the_same_terminal(desk: Desk) -> None:
    script = _interview()
    asked = {"ask": [{"text": "Tabs or spaces?", "options": ["tabs", "spaces"]}], "echo": "answers", "times": 1}
    desk.follow(
        [{"role": "author", "match": "Phase: INTERVIEW", **asked}, reply("Phase: INTERVIEW", PLAN), *script[2:]]
    )
    arguments = ["plan", "--agent", "scripted", "--interview", "--rounds", "1", "--output", "P.md", "x"]
    code, screen, _ = _at_terminal(desk, arguments, {"1> ": "1\n"})
    assert code == 0, screen
    assert "Tabs or spaces?" in screen
    assert (desk.kept() / "answers" / "01-interview-001.md").read_text() == '{"Tabs or spaces?": "tabs"}'


@pytest.mark.full
def test_on_a_terminal_the_board_is_redrawn_in_place_and_standard_output_is_clean(desk: Desk) -> None:
    code, screen, printed = _at_terminal(desk, ["plan", "--agent", "scripted", "--rounds", "1", "--json", "x"], {})
    assert code == 0
    assert "\033[1A\033[2K" * 5 in screen  # back up over the six lines
    assert "\033[3" not in screen  # NO_COLOR is heard
    last = screen.replace("\r", "").rpartition("\033[2K")[2]
    assert last.count("✔") == 6
    assert "\033" not in printed
