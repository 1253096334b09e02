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
from planrail.cli.plans.display import PlanDisplay
from planrail.planning.headless.board import Screen, render_tokens
from planrail.planning.headless.interview import ask_all
from planrail.planning.news import AgentFailed, AnswerRefused, ExplorersSent, PhaseBegan, PhaseDone, PhasesAdded
from tests.cli.live_screens import drawn, open_live
from tests.cli.planning_runs import Desk, reply
from tests.planning.conducting_fakes import ASKING, CRITIQUE, PLAN, PROMISED
from tests.support.patience import PATIENCE

PHASES = ("understand", "explore", "draft", "critique", "revise", "critique", "revise")


def test_each_phase_has_a_line_with_its_state_time_and_what_its_agent_does() -> None:
    screen, _, clock = open_live()
    display = PlanDisplay(PHASES, 0, screen)
    display.close(is_finished=True)
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
    display.show(ExplorersSent((("explorer 1", "the code"), ("explorer 2", "the tests"))))
    display.see("explorer 2", Said("I see"))
    lines = drawn(screen)
    assert lines[2].split()[1:] == ["explorer", "1", "the", "code"]
    assert lines[3].endswith("I see")
    display.show(PhaseDone(1))
    assert len(drawn(screen)) == len(PHASES)
    display.show(PhaseBegan(4, 1))
    display.see("author", Said("\033[2J\033]0;title\a\r\nmore\u202e" + "한국어 " * 100))
    for width in (10, 40, 81):
        assert all(cell_len(line) < width for line in drawn(screen, width))
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202e]", "".join(drawn(screen)))
    few = drawn(screen, height=4)
    assert (len(few), any("revise 1/2" in line for line in few)) == (3, True)
    screen, _, _ = open_live()
    PlanDisplay(PHASES, 2, screen).close(is_finished=False)
    assert [line.split()[0] for line in drawn(screen)][:3] == ["✔", "✔", "✖"], "one that is gone on with"


@pytest.mark.parametrize(
    ("count", "shown"), [(0, ""), (999, "999 tokens"), (1_500, "1.5k tokens"), (2_500_000, "2.5M tokens")]
)
def test_tokens_are_short(count: int, shown: str) -> None:
    assert render_tokens(count) == shown


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


def test_a_planning_that_grows_gets_more_rows() -> None:
    out = io.StringIO()
    display = PlanDisplay(("draft",), 0, Screen(out, lambda: 0.0))
    for news in (PhaseBegan(0, 1), PhaseDone(0), PhasesAdded(("draft", "critique", "revise"), "a deep planning")):
        display.show(news)
    display.show(PhaseBegan(2, 1))
    assert out.getvalue().splitlines()[2:] == ["planrail: this became a deep planning", "planrail: [3/3] revise"]


def test_all_questions_are_shown_before_the_first_is_answered_and_a_number_chooses() -> None:
    offered = ("sqlite", "postgres", "files")
    asked = {
        "a": (Question("Which?", offered), ["9", "2\n"], "postgres"),
        "b": (Question("Which, then?", offered), ["7", "7"], "7"),
        "c": (Question("How long?", offered), ["a folder, please "], "a folder, please"),
        "d": (Question("Which of them?", offered, many=True), ["1,9", "3, 1"], "files, sqlite"),
        "e": (Question("Whichever?", offered), [" \n"], ""),
        "f": (Question("How many?"), ["9"], "9"),
    }
    said: list[str] = []
    typed = iter([line for _, lines, _ in asked.values() for line in lines])

    def read(prompt: str) -> str:
        assert any("How many?" in line for line in said)
        return next(typed)

    given = ask_all({key: question for key, (question, _, _) in asked.items()}, read, said.append)
    assert given == {key: answer for key, (_, _, answer) in asked.items()}
    assert any("1) sqlite" in line for line in said)
    assert sum("is not offered: 1 to 3" in line for line in said) == 3

    def end(prompt: str) -> str:
        raise EOFError

    assert ask_all({"k": Question("Who?")}, end, said.append) == {}


def _at_terminal(
    desk: Desk, arguments: list[str], typed: dict[str, str], seconds: float = PATIENCE
) -> tuple[int, str, str]:
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
def test_an_interview_asks_at_the_terminal_where_the_board_is_redrawn_and_standard_output_is_clean(desk: Desk) -> None:
    desk.follow(_interview())
    arguments = ["plan", "--agent", "scripted", "--interview", "--rounds", "1", "--output", "P.md", "Refuse it"]
    code, screen, printed = _at_terminal(desk, arguments, {"1> ": "2\n", "2> ": "\n"})
    assert code == 0, screen
    assert "2 questions" in screen
    assert "1) 1" in screen
    told = desk.prompts("author")[1]
    assert "Which exit status? (1 / 2)\n  Answer: 2" in told
    assert "decide" in told
    assert ("next: planrail approve P.md" in printed, "\033" in printed) == (True, False)
    assert "\033[1A\033[2K" * 2 in screen  # back up over its lines
    assert "\033[3" not in screen  # NO_COLOR is heard
    assert screen.replace("\r", "").rpartition("\033[2K")[2].count("✔") == 3
