"""What an agent's answers do to a planning in its session: the file, the message, and what comes after the proposal."""

from pathlib import Path

import pytest

from planrail.hook.deciding.plan_mode import mark_of as session_mark
from planrail.planning.in_session import session as authoring_session
from planrail.planning.machine import Progress
from planrail.planning.plan_format import SMALL_EXAMPLE
from planrail.planning.plannings import load
from tests.planning.answers import ALTERNATIVES, CRITIQUE, EXPLORE, PLAN, PROMISE, UNDERSTAND

BETTER = PLAN.replace("Refuse an empty name", "In `README.md`, refuse an empty name")
CHANGED = BETTER.replace("White space.", "White space, and names of one letter.")


class Planning:
    """One planning in a session, asked as the hook asks."""

    def __init__(self, base: Path, text: str = "greet --rounds 1", agent: str = "claude") -> None:
        root = base / "project"
        (root / "src").mkdir(parents=True)
        (root / "tests").mkdir()
        for name in ("src/greeter.py", "tests/test_greeter.py", "README.md"):
            (root / name).write_text("x\n")
        self.file = base / "plan.md"
        self._about = {"folder": str(base / "state"), "root": str(root), "plan": str(self.file), "agent": agent}
        begun = authoring_session.begin({**self._about, "text": text, "session": "s", "now": "1767225600"})
        self.id, self.told = str(begun["authoring"]), str(begun["complaint"])

    def answer(self, text: str, known: str | None = None, stamp: str = "") -> dict[str, object]:
        """What follows from an answer. `known`: what the session knows to be proposed; most often the file as it is."""
        heard = session_mark(self.file.read_text() if self.file.exists() else "") if known is None else known
        about = {**self._about, "authoring": self.id, "text": text, "known": heard, "stamp": stamp}
        return authoring_session.answer(about)

    def write(self, text: str) -> None:
        """The agent, or a person, writes the plan file."""
        self.file.write_text(text)

    @property
    def progress(self) -> Progress:
        """Where it is."""
        return load(self._about["folder"], self.id).planning.progress

    @property
    def phase(self) -> str:
        """The phase that is asked for."""
        return self.progress.phase


@pytest.fixture
def planning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Planning:
    monkeypatch.setenv("PLANRAIL_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return Planning(tmp_path)


@pytest.fixture
def revising(planning: Planning) -> Planning:
    for text in (UNDERSTAND, EXPLORE, ALTERNATIVES, PLAN, CRITIQUE):
        planning.answer(text)
    assert planning.phase == "revise"
    return planning


@pytest.fixture
def proposed(revising: Planning) -> Planning:
    revising.write(BETTER)
    assert revising.answer(PROMISE)["is_proposed"]
    return revising


def test_a_promise_that_was_forgotten_can_be_made_without_writing_the_plan_again(revising: Planning) -> None:
    revising.write(revising.file.read_text())
    assert "Nothing was written" in str(revising.answer(f"Revised.\n\n{PROMISE}")["reason"])
    revising.write(BETTER)
    reason = str(revising.answer("Revised.")["reason"])
    assert ("Nothing was written" in reason, "not declared finished" in reason) == (False, True)
    assert revising.answer(PROMISE)["is_proposed"]
    assert BETTER in revising.file.read_text()


def test_a_proposed_plan_keeps_its_id_and_is_proposed_again_only_where_it_says_something_else(
    proposed: Planning,
) -> None:
    text = proposed.file.read_text()
    for same in (text, text.replace("space.", "space. "), text.split("---\n\n")[1]):
        proposed.write(same)
        said = proposed.answer("Here it is again.")
        assert (said["is_proposed"], said["reason"]) == (False, "")
        assert f"id: plan-{proposed.id}\n" in proposed.file.read_text()
    assert proposed.answer("what now?", known="")["is_proposed"], "the session never heard of it"
    assert not proposed.answer("and now?")["is_proposed"]
    proposed.write(CHANGED)
    assert proposed.answer("Changed.")["is_proposed"]
    text = proposed.file.read_text()
    assert (f"id: plan-{proposed.id}\n" in text, text.endswith(CHANGED)) == (True, True)


def test_a_plan_in_a_later_message_beats_a_file_that_was_not_good_enough(revising: Planning) -> None:
    revising.write("## Goal\n\nGreet.\n")
    assert "Missing sections" in str(revising.answer(PROMISE)["reason"])
    assert revising.answer(f"{BETTER}\n{PROMISE}")["is_proposed"]
    assert BETTER in revising.file.read_text()


def test_a_proposed_plan_that_was_broken_is_sent_back_and_at_last_let_go(proposed: Planning) -> None:
    proposed.write(CHANGED.replace("## Risks", "## Luck"))
    for _ in range(3):
        assert "Missing sections: Risks" in str(proposed.answer("Changed.")["reason"])
    last = proposed.answer("Changed.")
    assert "no complete plan" in str(last["message"])
    assert (last["is_proposed"], last["reason"]) == (False, "")


def test_a_stop_that_is_heard_twice_is_one_answer(planning: Planning) -> None:
    first = planning.answer(UNDERSTAND)
    again = planning.answer(UNDERSTAND)
    assert {**again, "is_repeated": False} == {**first, "is_repeated": False}
    assert again["is_repeated"]
    assert planning.progress.index == 1
    assert planning.progress.attempt == 1


@pytest.mark.parametrize(("agent", "leaving"), [("claude", "/planrail:plan-off"), ("codex", '"leave plan mode"')])
def test_a_small_wish_is_proposed_after_one_answer_and_each_message_says_how_to_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str, leaving: str
) -> None:
    monkeypatch.setenv("PLANRAIL_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    planning = Planning(tmp_path, "refuse empty names", agent)
    assert "a small planning (the request is short" in planning.told
    planning.write(SMALL_EXAMPLE)
    said = planning.answer("I wrote it.")
    assert said["is_proposed"]
    assert (leaving in planning.told, leaving in str(said["message"])) == (True, True)


def test_a_planning_that_gives_up_says_how_to_leave(planning: Planning) -> None:
    said = [planning.answer(f"no idea, for the {number}th time") for number in range(4)]
    assert said[-1]["is_over"]
    assert "/planrail:plan-off" in str(said[-1]["message"])


def test_the_same_words_in_a_transcript_that_has_grown_use_up_an_attempt(planning: Planning) -> None:
    for stamp in ("100", "100", "240", "380"):
        planning.answer("no idea", stamp=stamp)
    assert planning.progress.attempt == 4


def test_an_agent_that_repeats_itself_comes_to_an_end_which_is_said_each_time(planning: Planning) -> None:
    for _ in range(100):
        if not planning.progress.ended:
            planning.answer("no idea")
    assert planning.progress.ended == "exhausted"
    assert planning.answer("anything")["is_over"]
    assert planning.answer("anything else")["is_over"]


@pytest.mark.parametrize("text", ["It is about greeting.", "", "TBD", "# A\n\n## Goal\n\nbananas\n"])
def test_an_answer_with_problems_is_refused_in_four_lines_that_name_them(planning: Planning, text: str) -> None:
    reply = planning.answer(text)
    lines = str(reply["reason"]).split("\n")
    assert len(lines) <= 4, lines
    assert "[planrail]" in lines[0]
    assert "not good enough yet (3 attempts are left)" in lines[0]
    assert lines[1].startswith("- ")
