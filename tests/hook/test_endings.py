"""Sessions that were put aside hear what is said meanwhile, and tell it when they are resumed."""

from pathlib import Path

from planrail.base.records import replace
from planrail.hook.sessions.endings import change_ended, retire, revive
from planrail.hook.sessions.state import ANSWERED_NO, Session
from planrail.hook.sessions.store import list_sessions, load, update


def _hear(session: Session) -> Session:
    return replace(session, answered=ANSWERED_NO, feedback="why?")


def _keep(folder: str) -> None:
    update(folder, "codex", "s", lambda _: Session("codex", "s", plan="/p/plan.md"))


def test_a_session_that_was_put_aside_is_changed_where_it_lies(tmp_path: Path) -> None:
    folder = str(tmp_path)
    _keep(folder)
    retire(folder, "codex", "s")
    assert [agent for agent, _ in list_sessions(folder, "ended")] == ["codex"]
    change_ended(folder, "codex", "s", _hear)
    assert not list(list_sessions(folder))
    revive(folder, "codex", "s")
    revived = load(folder, "codex", "s")
    assert revived is not None
    assert revived.feedback == "why?"


def test_a_session_that_is_active_is_not_among_them(tmp_path: Path) -> None:
    folder = str(tmp_path)
    _keep(folder)
    change_ended(folder, "codex", "s", _hear)
    assert not list(list_sessions(folder, "ended"))
    active = load(folder, "codex", "s")
    assert active is not None
    assert active.feedback == ""
