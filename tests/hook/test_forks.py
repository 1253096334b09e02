"""From which session a conversation was branched off, found in transcripts as Claude Code writes them."""

import json
from pathlib import Path
from typing import Any

import pytest

from planrail.hook.neighbours import find_parent, list_relatives
from planrail.hook.sessions import events
from planrail.hook.sessions.endings import retire
from planrail.hook.sessions.events import DENY, Event
from planrail.hook.sessions.state import APPROVED, DRAFT, Session
from tests.hook.driving import Host


class Talks:
    """Sessions with transcripts, and the hook that hears of them."""

    def __init__(self, host: Host, project: Path) -> None:
        self.place, self.project, self.host = project.parent, project, host

    def write(self, session: str, *lines: str, **fields: Any) -> Path:
        """A transcript of lines with these identities."""
        path = self.place / f"{session}.jsonl"
        entries = [{"type": "user", "uuid": line, "message": {"content": "hello"}, **fields} for line in lines]
        path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
        return path

    def keep(self, session: str, **fields: Any) -> Session:
        """A session as earlier events have left it."""
        kept = Session("claude", session, project=str(self.project), **fields)
        self.host.change(session, lambda _: kept)
        return kept

    def plan(self, session: str) -> Session:
        """A session that plans in planrail's own mode, with a file for its plan."""
        plan = self.project / f"{session}.md"
        plan.write_text("# Plan\n- [ ] one\n")
        return self.keep(session, planning=True, own_mode=True, plan=str(plan), stage=DRAFT)

    def relatives(self, session: str) -> list[str]:
        event = Event("claude", events.START, session)
        return sorted(other.id for other in list_relatives(self.host.folder, event, str(self.project)))

    def begin(self, session: str, *, source: str = "fork") -> None:
        """A session begins; its transcript need not be there yet."""
        transcript = str(self.place / f"{session}.jsonl")
        self.host.send("SessionStart", session, self.project, source=source, transcript_path=transcript)

    def use(self, session: str, tool: str) -> str:
        call: dict[str, Any] = {"tool_name": tool, "tool_input": {"file_path": "a.py", "content": "x"}}
        transcript = str(self.place / f"{session}.jsonl")
        return self.host.send("PreToolUse", session, self.project, transcript_path=transcript, **call).decision


@pytest.fixture
def talks(host: Host, project: Path) -> Talks:
    return Talks(host, project)


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
    assert talks.relatives("branch") == []
    talks.plan("here")
    talks.plan("ended")
    retire(talks.host.folder, "claude", "ended")
    talks.plan("branch")
    elsewhere = Session("claude", "elsewhere", planning=True, project="/elsewhere")
    talks.host.change("elsewhere", lambda _: elsewhere)
    talks.host.file("damaged").write_text("{")
    assert talks.relatives("branch") == ["ended", "here"]


def test_a_branch_goes_on_with_what_its_parent_had(talks: Talks) -> None:
    mother = talks.plan("mother")
    talks.write("branch", "new", forkedFrom={"sessionId": "mother"})
    talks.begin("branch", source="resume")
    kept = talks.host.session("branch")
    assert kept is not None
    assert (kept.planning, kept.plan, kept.stage) == (True, mother.plan, DRAFT)
    assert talks.use("branch", "Write") == DENY
    assert talks.host.session("mother") == mother


def test_a_fork_writes_nothing_until_its_parent_is_known_and_then_obeys_it(talks: Talks) -> None:
    mother = talks.plan("mother")
    talks.write("mother", "one")
    talks.begin("fork")
    assert talks.use("fork", "Write") == DENY
    assert talks.use("fork", "Read") == ""
    (talks.project / "planrail.toml").write_text("[")  # a failure denies as well
    assert talks.use("fork", "Write") == DENY
    (talks.project / "planrail.toml").unlink()
    talks.write("fork", "one", "two")
    assert talks.use("fork", "Write") == DENY
    kept = talks.host.session("fork")
    assert kept is not None
    assert (kept.planning, kept.plan, kept.is_fork) == (True, mother.plan, False)


def test_a_session_that_descends_from_nobody_who_plans_is_free(talks: Talks) -> None:
    """A fork where nobody plans, one of a neighbour that never planned, and a session that is merely resumed."""
    talks.begin("first")
    assert talks.use("first", "Write") == ""
    talks.plan("planner")
    talks.write("planner", "one")
    talks.begin("fork")
    talks.write("fork", "two", "three")
    talks.begin("resumed", source="resume")
    for session in ("fork", "resumed"):
        assert talks.use(session, "Write") == ""
        assert not talks.host.file(session).exists()
