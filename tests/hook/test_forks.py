"""From which session a conversation was branched off, found in transcripts as Claude Code writes them."""

import json
from pathlib import Path
from typing import Any

import pytest

from planrail.base.records import replace
from planrail.hook.neighbours import find_parent, list_relatives
from planrail.hook.sessions import events
from planrail.hook.sessions.endings import retire
from planrail.hook.sessions.events import Event
from planrail.hook.sessions.state import APPROVED, DRAFT, Session
from planrail.hook.sessions.store import update
from tests.hook.crowds import Crowd, is_denied

_WRITE = {"tool_name": "Write", "tool_input": {"file_path": "a.py", "content": "x"}}
_READ = {"tool_name": "Read", "tool_input": {"file_path": "a.py"}}


class Talks(Crowd):
    """Sessions with transcripts, beside the hooks that hear of them."""

    def write(self, session: str, *lines: str, **fields: Any) -> Path:
        """A transcript of lines with these identities."""
        path = self.place / f"{session}.jsonl"
        entries = [{"type": "user", "uuid": line, "message": {"content": "hello"}, **fields} for line in lines]
        path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
        return path

    def keep(self, session: str, **fields: Any) -> Session:
        """A session as earlier events have left it."""
        kept = Session("claude", session, project=str(self.project), **fields)
        update(str(self.state), "claude", session, lambda _: kept)
        return kept

    def plan(self, session: str) -> Session:
        """A session that plans in planrail's own mode, with a file for its plan."""
        plan = self.project / f"{session}.md"
        plan.write_text("# Plan\n- [ ] one\n")
        return self.keep(session, planning=True, own_mode=True, plan=str(plan), stage=DRAFT)

    def relatives(self, session: str) -> list[str]:
        event = Event("claude", events.START, session)
        return sorted(other.id for other in list_relatives(str(self.state), event, str(self.project)))

    def kept(self, session: str) -> dict[str, Any]:
        kept: dict[str, Any] = json.loads(self.session_file(session).read_text())
        return kept

    def branch(self, session: str, *, source: str = "fork") -> str:
        """A branch begins; its transcript is not there yet. Returns where it will be."""
        transcript = str(self.place / f"{session}.jsonl")
        self.ask("SessionStart", session, source=source, transcript_path=transcript)
        return transcript


@pytest.fixture
def talks(tmp_path: Path) -> Talks:
    return Talks(tmp_path)


def test_a_branch_that_names_its_parent_comes_from_it(talks: Talks) -> None:
    mother, other = talks.plan("mother"), talks.plan("other")
    transcript = talks.write("branch", "new", forkedFrom={"sessionId": "mother", "messageUuid": "m"})
    assert find_parent([other, mother], str(transcript)) == mother


def test_a_branch_that_names_nobody_comes_from_the_session_that_has_its_first_line(talks: Talks) -> None:
    mother, other = talks.plan("mother"), talks.plan("other")
    talks.write("mother", "one", "two")
    talks.write("other", "three")
    assert find_parent([other, mother], str(talks.write("branch", "one", "two", "four"))) == mother


def test_a_name_wins_over_a_line_that_a_grandparent_has_as_well(talks: Talks) -> None:
    """The grandmother's plan is approved, and the mother still plans."""
    grandmother, mother = talks.keep("grandmother", plan="/p.md", stage=APPROVED), talks.plan("mother")
    talks.write("grandmother", "one")
    talks.write("mother", "one")
    transcript = talks.write("branch", "one", forkedFrom={"sessionId": "mother"})
    assert find_parent([grandmother, mother], str(transcript)) == mother
    assert find_parent([mother, grandmother], str(transcript)) == mother


def test_where_several_could_be_the_parent_one_that_is_held_is(talks: Talks) -> None:
    free, held = talks.keep("free", plan="/p.md", stage=APPROVED), talks.plan("held")
    talks.write("free", "one")
    talks.write("held", "one")
    transcript = str(talks.write("branch", "one"))
    assert find_parent([free, held], transcript) == find_parent([held, free], transcript) == held


def test_what_shares_no_line_is_no_parent(talks: Talks) -> None:
    neighbour = talks.plan("neighbour")
    talks.write("neighbour", "one")
    assert find_parent([neighbour], str(talks.write("branch", "two"))) is False


def test_a_neighbour_that_is_only_talked_about_is_no_parent(talks: Talks) -> None:
    """Somebody pastes a transcript into a conversation: it is text there, and in quotes."""
    neighbour = talks.plan("neighbour")
    pasted = json.dumps({"uuid": "one", "forkedFrom": {"sessionId": "neighbour"}})
    talks.write("neighbour", "one")
    transcript = talks.write("branch", "two")
    first = {"type": "user", "message": {"content": pasted}, "uuid": "two"}
    transcript.write_text(json.dumps(first) + "\n")
    assert find_parent([neighbour], str(transcript)) is False


@pytest.mark.parametrize("text", [None, "", "{}\n", "no JSON at all", '{"uuid":', '{"uuid":""}'])
def test_without_a_line_that_says_so_nobody_can_tell(talks: Talks, text: str | None) -> None:
    path = talks.place / "branch.jsonl"
    if text is not None:
        path.write_text(text)
    assert find_parent([talks.plan("mother")], str(path)) is True


def test_relatives_are_the_other_sessions_of_the_project_also_those_that_have_ended(talks: Talks) -> None:
    talks.plan("here")
    talks.plan("ended")
    retire(str(talks.state), "claude", "ended")
    talks.plan("branch")
    elsewhere = replace(Session("claude", "elsewhere", planning=True), project="/elsewhere")
    update(str(talks.state), "claude", "elsewhere", lambda _: elsewhere)
    talks.session_file("damaged").write_text("{")
    assert talks.relatives("branch") == ["ended", "here"]


def test_without_a_state_folder_there_are_no_relatives(talks: Talks) -> None:
    assert talks.relatives("branch") == []


def test_a_branch_goes_on_with_what_its_parent_had(talks: Talks) -> None:
    mother = talks.plan("mother")
    talks.write("branch", "new", forkedFrom={"sessionId": "mother"})
    talks.branch("branch", source="resume")
    kept = talks.kept("branch")
    assert (kept["id"], kept["planning"], kept["plan"], kept["stage"]) == ("branch", True, mother.plan, DRAFT)
    assert is_denied(talks.ask("PreToolUse", "branch", **_WRITE))
    assert talks.kept("mother")["planning"] is True


def test_a_fork_writes_nothing_until_its_parent_is_known_and_then_obeys_it(talks: Talks) -> None:
    mother = talks.plan("mother")
    talks.write("mother", "one")
    transcript = talks.branch("fork")
    assert is_denied(talks.ask("PreToolUse", "fork", transcript_path=transcript, **_WRITE))
    assert talks.ask("PreToolUse", "fork", transcript_path=transcript, **_READ) == {}
    talks.write("fork", "one", "two")
    assert is_denied(talks.ask("PreToolUse", "fork", transcript_path=transcript, **_WRITE))
    kept = talks.kept("fork")
    assert (kept["planning"], kept["plan"]) == (True, mother.plan)
    assert "is_fork" not in kept


def test_a_fork_of_a_neighbour_that_never_planned_is_free_as_soon_as_that_shows(talks: Talks) -> None:
    talks.plan("planner")
    talks.write("planner", "one")
    talks.write("neighbour", "two")
    transcript = talks.branch("fork")
    talks.write("fork", "two", "three")
    assert talks.ask("PreToolUse", "fork", transcript_path=transcript, **_WRITE) == {}
    assert not talks.session_file("fork").exists()


def test_a_fork_where_nobody_plans_is_free_at_once(talks: Talks) -> None:
    transcript = talks.branch("fork")
    assert not talks.session_file("fork").exists()
    assert talks.ask("PreToolUse", "fork", transcript_path=transcript, **_WRITE) == {}


def test_a_session_that_is_merely_resumed_beside_a_planner_is_free(talks: Talks) -> None:
    talks.plan("planner")
    transcript = talks.branch("resumed", source="resume")
    assert talks.ask("PreToolUse", "resumed", transcript_path=transcript, **_WRITE) == {}


def test_a_failure_denies_in_a_fork_whose_parent_is_not_known(talks: Talks) -> None:
    talks.plan("planner")
    transcript = talks.branch("fork")
    (talks.project / "planrail.toml").write_text("[")
    denied = talks.ask("PreToolUse", "fork", transcript_path=transcript, **_WRITE)
    assert is_denied(denied)
    assert "could not judge" in denied["hookSpecificOutput"]["permissionDecisionReason"]
