"""What happened is sent once to each channel, whatever a channel does meanwhile."""

import os
import random
import sys
from pathlib import Path

import pytest

from planrail.base.settings.tables import NotifySettings
from planrail.notify import watching
from planrail.notify.channels import NotSent, send
from planrail.notify.notices import Notice
from planrail.notify.outbox import GIVEN_UP, SENT, Outbox
from planrail.notify.watching import send_due, take_in
from planrail.store.ledger import open_ledger
from tests.cli.run_projects import make_project
from tests.notify.receivers import open_receiver

_FIELDS = {"run": "r", "path": "a.md", "title": "Ship it", "text": "why"}


class Clock:
    """Time that passes when a test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1_000_000.0
        monkeypatch.setattr(watching, "time", self)

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def root(tmp_path: Path) -> str:
    return str(make_project(tmp_path / "project"))


def _happen(root: str, count: int, at: float, event: str = "failed", first: int = 0) -> None:
    with open_ledger(root) as ledger, ledger.exclusive():
        for number in range(first, first + count):
            value = {**_FIELDS, "event": event, "title": f"plan {number}"}
            ledger.add("run", "p", value, id=f"run:{number}", at=int(at))


def test_a_thousand_events_reach_a_server_that_fails_half_of_the_time_once_each(
    root: str, tmp_path: Path, clock: Clock
) -> None:
    chance = random.Random(7)
    with (
        open_receiver(lambda number: 200 if chance.random() < 0.5 else 503) as receiver,
        Outbox({"PLANRAIL_STATE_DIR": str(tmp_path)}) as outbox,
    ):
        settings = NotifySettings(webhook=f"{receiver.url}/in", per_hour=1000)
        for part in range(10):
            _happen(root, 100, clock.now, first=part * 100)
            for _ in range(2):
                take_in(root, outbox, settings, clock.now)
            send_due(root, outbox, settings, clock.now)
            clock.now += 1000
        while outbox.list_waiting(root):
            clock.now += 1000
            send_due(root, outbox, settings, clock.now)
    told = [body["id"] for body in receiver.taken]
    assert sorted(told) == sorted(f"run:{number}" for number in range(1000))
    assert receiver.tries > 1500
    assert {body["key"] for body in receiver.taken} == {told_id.replace(":", "%3A") for told_id in told}


def test_a_channel_that_refuses_for_a_day_is_given_up_and_keeps_no_other_waiting(
    root: str, tmp_path: Path, clock: Clock
) -> None:
    with (
        open_receiver(lambda number: 500) as broken,
        open_receiver() as well,
        Outbox({"PLANRAIL_STATE_DIR": str(tmp_path)}) as outbox,
    ):
        settings = NotifySettings(webhook=f"{broken.url}/secret-path", slack=well.url)
        _happen(root, 1, clock.now)
        take_in(root, outbox, settings, clock.now)
        while outbox.list_waiting(root):
            send_due(root, outbox, settings, clock.now)
            clock.now += 600
        states = {delivery.channel: (delivery.state, delivery.error) for delivery in outbox.list_newest(9)}
    assert states == {"webhook": (GIVEN_UP, "it answered with 500"), "slack": (SENT, "")}
    assert 20 < broken.tries < 60
    assert [body["text"] for body in well.taken] == ["plan 0 failed\nwhy\nplanrail status a.md"]


def test_beyond_so_many_in_an_hour_the_rest_goes_as_one(root: str, tmp_path: Path, clock: Clock) -> None:
    with open_receiver() as receiver, Outbox({"PLANRAIL_STATE_DIR": str(tmp_path)}) as outbox:
        settings = NotifySettings(ntfy=f"{receiver.url}/topic", per_hour=5)
        _happen(root, 30, clock.now)
        take_in(root, outbox, settings, clock.now)
        for _ in range(3):
            send_due(root, outbox, settings, clock.now)
        assert [body["title"] for body in receiver.taken[:4]] == [f"plan {number} failed" for number in range(4)]
        assert len(receiver.taken) == 5
        assert receiver.taken[4]["title"].startswith("26 things happened, the last: plan 29")
        assert outbox.list_waiting(root) == []
        assert {body["topic"] for body in receiver.taken} == {"topic"}
        _happen(root, 1, clock.now, first=30)
        take_in(root, outbox, settings, clock.now)
        send_due(root, outbox, settings, clock.now)
        assert len(receiver.taken) == 5
        clock.now += 3601
        send_due(root, outbox, settings, clock.now)
        assert len(receiver.taken) == 6


def test_only_what_is_wanted_is_told_and_nothing_of_long_ago(root: str, tmp_path: Path, clock: Clock) -> None:
    with open_receiver() as receiver, Outbox({"PLANRAIL_STATE_DIR": str(tmp_path)}) as outbox:
        settings = NotifySettings(webhook=receiver.url, on=["complete"])
        _happen(root, 1, clock.now - 3600, "complete")
        _happen(root, 1, clock.now - 5, "complete", first=1)
        _happen(root, 1, clock.now, "failed", first=2)
        take_in(root, outbox, settings, clock.now)
        send_due(root, outbox, settings, clock.now)
    assert [body["id"] for body in receiver.taken] == ["run:1"]


@pytest.mark.parametrize(
    ("status", "error"), [(404, "it answered with 404"), (302, "it answered with 302"), (0, "it could not be reached")]
)
def test_an_error_names_no_address_and_nothing_is_sent_elsewhere(status: int, error: str) -> None:
    with open_receiver(lambda number: status) as receiver:
        url = receiver.url if status else "http://127.0.0.1:1"
        notice = Notice("x", "failed", "p", "t", "c", 1)
        with pytest.raises(NotSent) as refused:
            send("webhook", notice, NotifySettings(webhook=f"{url}/secret-path"))
    assert str(refused.value).startswith(error)
    assert "secret" not in str(refused.value)
    assert receiver.tries == bool(status)


def test_the_desktop_is_given_texts_as_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "notify-send"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/said\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(sys, "platform", "linux")
    send("desktop", Notice("x", "failed", "--hint=$(id)", "text", "planrail status", 1), NotifySettings(desktop=True))
    said = (tmp_path / "said").read_text().splitlines()
    assert said[-4:] == ["--", "--hint=$(id) failed", "text", "planrail status"]
