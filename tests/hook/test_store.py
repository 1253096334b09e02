"""Session files, tickets and sessions that have ended."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.records import replace
from planrail.hook.sessions.endings import (
    change_ended,
    claim_ticket,
    is_alive,
    leave_ticket,
    list_tickets,
    retire,
    revive,
    spend_ticket,
)
from planrail.hook.sessions.state import ANSWERED_NO, DRAFT, PLAN_PENDING, Session, Summary, from_json, to_json
from planrail.hook.sessions.store import (
    DAY,
    UnreadableState,
    file_name,
    forget_old,
    list_sessions,
    load,
    remove,
    session_path,
    update,
)
from planrail.hook.sessions.world import Ticket

_PLAN = "/project/plan.md"
_HOSTILE = ["../../../etc/passwd", "/etc/passwd", ".", "..", ".hidden", "a\x00b", "語", "x" * 5_000]
_HOSTILE += ["a b", "a\nb", "\ud800", "%2e%2e", "*", "con.json", "-rf"]


def _session(identity: str = "s") -> Session:
    return Session("claude", identity, project="/project", plan=_PLAN, stage=DRAFT)


def _keep(folder: Path, session: Session) -> Path:
    update(str(folder), session.agent, session.id, lambda _: session)
    return Path(session_path(str(folder), session.agent, session.id))


@pytest.mark.parametrize("identity", _HOSTILE)
def test_an_id_never_leaves_the_folder_and_its_session_is_kept_like_any_other(tmp_path: Path, identity: str) -> None:
    name = file_name(identity)
    assert "/" not in name
    assert "\x00" not in name
    assert not name.startswith(".")
    assert 0 < len(f".{name}.json.lock.1234567".encode()) <= 255
    assert _keep(tmp_path, _session(identity)).parent == tmp_path / "sessions" / "claude"
    assert load(str(tmp_path), "claude", identity) == _session(identity)


@pytest.mark.full
@given(st.lists(st.text() | st.sampled_from(_HOSTILE), min_size=2, max_size=2, unique=True))
def test_two_ids_never_share_a_file(identities: list[str]) -> None:
    first, second = identities
    assert file_name(first) != file_name(second)
    usual = "00000001-0000-4000-8000-000000000000"
    assert file_name(usual) == usual


_sessions = st.builds(
    Session,
    agent=st.sampled_from(["claude", "codex"]),
    id=st.text(min_size=1),
    planning=st.booleans(),
    turns=st.integers(0, 99),
    plan=st.text(),
    blocking=st.booleans(),
    intent=st.sampled_from(["", PLAN_PENDING]),
    loop=st.dictionaries(st.text(), st.text() | st.integers(), max_size=3),
    summary=st.none() | st.builds(Summary, title=st.text(), done=st.integers(), open_items=st.lists(st.text())),
)


@given(_sessions)
def test_a_session_survives_being_written_with_fields_of_a_later_version(session: Session) -> None:
    written = {**to_json(session), "colour": "red", "nested": {"a": [1, None]}}
    read = from_json(json.loads(json.dumps(written)))
    assert replace(read, unknown=session.unknown) == session
    assert to_json(replace(read, planning=True)) == {**written, "planning": True}


_DAMAGED = ["", "{", "[]", "null", '{"agent":"claude"}', '{"agent":"claude","id":""}', '{"agent":1,"id":"s"}', "\xff"]
_DAMAGED += ['{"agent":"claude","id":"s","planning":"no"}', '{"agent":"claude","id":"s","turns":true}']


@pytest.mark.parametrize("text", _DAMAGED)
def test_a_damaged_file_is_never_taken_for_a_session(tmp_path: Path, text: str) -> None:
    _keep(tmp_path, _session()).write_bytes(text.encode("latin-1"))
    with pytest.raises(UnreadableState):
        load(str(tmp_path), "claude", "s")


def test_a_session_with_nothing_to_keep_has_no_file(tmp_path: Path) -> None:
    path = _keep(tmp_path, _session())
    _keep(tmp_path, Session("claude", "s", project="/project", mode="default"))
    assert not path.exists()
    assert load(str(tmp_path), "claude", "s") is None


def test_a_change_that_fails_leaves_the_session_as_it_was(tmp_path: Path) -> None:
    path = _keep(tmp_path, _session())

    def fail(_: Session | None) -> Session | None:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        update(str(tmp_path), "claude", "s", fail)
    assert load(str(tmp_path), "claude", "s") == _session()
    assert [entry for entry in os.listdir(path.parent) if not entry.startswith(".")] == ["s.json"]


@pytest.mark.parametrize("is_folder", [True, False])
def test_a_damaged_file_can_be_forgotten(tmp_path: Path, is_folder: bool) -> None:
    path = _keep(tmp_path, _session())
    path.unlink()
    path.mkdir() if is_folder else path.write_text("{", "utf-8")
    remove(str(tmp_path), "claude", "s")
    assert load(str(tmp_path), "claude", "s") is None


def _age(path: Path, seconds: float) -> None:
    os.utime(path, (time.time() - seconds,) * 2)


def test_a_session_that_was_silent_for_a_day_is_forgotten_unless_its_agent_still_runs(tmp_path: Path) -> None:
    """What lies around does not stop the sweeping, and is not swept away."""
    old = _keep(tmp_path, _session("old"))
    folder = old.with_name("a.json")
    folder.mkdir()
    (folder / "somebody's.txt").write_text("x", "utf-8")
    running = _keep(tmp_path, replace(_session("running"), process="7:100"))
    for path in (folder, old, running):
        _age(path, DAY + 60)
    _age(_keep(tmp_path, _session("young")), DAY - 60)
    forget_old(str(tmp_path), time.time(), lambda process: process == "7:100")
    left = sorted(Path(path).name for _, path in list_sessions(str(tmp_path)))
    assert left == ["a.json", "running.json", "young.json"]
    assert (folder / "somebody's.txt").exists()


@pytest.mark.parametrize("is_folder_gone", [True, False])
def test_a_session_that_ended_hears_what_is_said_and_is_resumed_where_it_was(
    tmp_path: Path, is_folder_gone: bool
) -> None:
    path, folder = _keep(tmp_path, _session()), str(tmp_path)
    change_ended(folder, "claude", "s", _hear)  # it is active: it is not among them
    assert not list(list_sessions(folder, "ended"))
    retire(folder, "claude", "s")
    assert list(list_sessions(folder)) == []
    assert [agent for agent, _ in list_sessions(folder, "ended")] == ["claude"]
    change_ended(folder, "claude", "s", _hear)
    if is_folder_gone:
        for left in path.parent.iterdir():
            left.unlink()
        path.parent.rmdir()
    revive(folder, "claude", "s")
    assert load(folder, "claude", "s") == _hear(_session())
    assert list((tmp_path / "ended" / "claude").iterdir()) == []


def _hear(session: Session) -> Session:
    return replace(session, answered=ANSWERED_NO, feedback="why?")


def test_resuming_never_replaces_a_session_that_is_active(tmp_path: Path) -> None:
    retire(str(tmp_path), "claude", "s")
    revive(str(tmp_path), "claude", "s")
    assert list(tmp_path.iterdir()) == []  # there was none
    _keep(tmp_path, _session())
    retire(str(tmp_path), "claude", "s")
    active = replace(_session(), planning=True)
    _keep(tmp_path, active)
    revive(str(tmp_path), "claude", "s")
    assert load(str(tmp_path), "claude", "s") == active


def test_an_ended_session_is_forgotten_after_a_day(tmp_path: Path) -> None:
    _keep(tmp_path, _session())
    retire(str(tmp_path), "claude", "s")
    _age(tmp_path / "ended" / "claude" / "s.json", DAY + 60)
    forget_old(str(tmp_path), time.time(), is_alive)
    revive(str(tmp_path), "claude", "s")
    assert load(str(tmp_path), "claude", "s") is None


def test_a_process_is_alive_only_as_itself() -> None:
    with open("/proc/self/stat", encoding="utf-8") as file:
        start = file.read().rpartition(")")[2].split()[19]
    assert is_alive(f"{os.getpid()}:{start}")
    assert not is_alive(f"{os.getpid()}:1")
    assert not is_alive("4194304999:1")
    assert not is_alive("nonsense:1")


def _ticket(session: str = "s", at: int = 1_000) -> Ticket:
    return Ticket("claude", session, "/project", at=at, plan=_PLAN, intent=PLAN_PENDING, loop={"kind": "loop"})


def test_a_ticket_is_claimed_once(tmp_path: Path) -> None:
    leave_ticket(str(tmp_path), _ticket())
    [ticket] = list_tickets(str(tmp_path), "claude", now=1_010, lifetime=3_600)
    assert replace(ticket, path="") == _ticket()
    assert claim_ticket(ticket)
    assert not claim_ticket(ticket)
    assert list_tickets(str(tmp_path), "claude", now=1_010, lifetime=3_600) == []
    spend_ticket(ticket)
    assert list_tickets(str(tmp_path), "claude", now=1_010, lifetime=3_600) == []


def test_a_ticket_expires_after_an_hour_and_by_no_clock_that_jumps_back(tmp_path: Path) -> None:
    leave_ticket(str(tmp_path), _ticket())
    for now, is_there in ((10, True), (4_600, True), (4_601, False)):
        assert bool(list_tickets(str(tmp_path), "claude", now=now, lifetime=3_600)) == is_there
    assert not any((tmp_path / "sessions" / "claude").glob("*.ticket"))


def test_tickets_of_other_agents_damaged_and_half_written_ones_are_not_seen(tmp_path: Path) -> None:
    """The last is what a hook leaves that is killed between writing and renaming; its number is nobody's any more."""
    leave_ticket(str(tmp_path), replace(_ticket(), agent="codex"))
    leave_ticket(str(tmp_path), _ticket("good"))
    [path] = (tmp_path / "sessions" / "claude").glob("*.ticket")
    (path.parent / f".{path.name}.4194304999").write_bytes(path.read_bytes())
    (path.parent / "bad.ticket").write_text("{", "utf-8")
    found = list_tickets(str(tmp_path), "claude", now=1_000, lifetime=3_600)
    assert [ticket.session for ticket in found] == ["good"]


def test_a_ticket_is_free_again_when_its_claimer_died(tmp_path: Path) -> None:
    leave_ticket(str(tmp_path), _ticket())
    [ticket] = list_tickets(str(tmp_path), "claude", now=1_000, lifetime=3_600)
    claim = "import sys; from planrail.hook.sessions.endings import *; claim_ticket(list_tickets(*sys.argv[1:], now=1, lifetime=9)[0])"
    subprocess.run([sys.executable, "-c", claim, str(tmp_path), "claude"], check=True)
    assert not Path(ticket.path).exists()
    [again] = list_tickets(str(tmp_path), "claude", now=1_000, lifetime=3_600)
    assert replace(again, path="") == _ticket()
    assert claim_ticket(again)


def test_a_ticket_that_nobody_claimed_is_swept_away_after_a_day(tmp_path: Path) -> None:
    leave_ticket(str(tmp_path), Ticket("claude", "gone", "/project", at=1))
    ticket = tmp_path / "sessions/claude/gone.ticket"
    os.utime(ticket, (1_000, 1_000))
    forget_old(str(tmp_path), 1_000 + DAY, lambda _: False)
    assert ticket.exists()
    forget_old(str(tmp_path), 1_000 + DAY + 1, lambda _: False)
    assert not ticket.exists()
