"""A process beside the runs of a project: it reads what happened, tells of it, and ends when there is nothing to do.

It is started where a run begins and where a plan waits for approval, if the user's settings name a channel. One for
each project; a second one leaves.
"""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator, Mapping

from planrail.approval.book import REQUEST
from planrail.base.errors import PlanrailError
from planrail.base.settings.tables import NotifySettings
from planrail.notify.channels import NotSent, send
from planrail.notify.notices import Notice, join_notices, judge_fact, judge_step
from planrail.notify.outbox import Outbox, QueuedNotice
from planrail.store.ledger import has_ledger, open_ledger
from planrail.store.places import ledger_folder
from planrail.store.runs.run_facts import RUN
from planrail.store.runs.run_folders import RunState, list_runs
from planrail.team.looking import look_at_life

_PAUSE = 2.0  # seconds between two looks
_TRIES = 3
_STEPS = 30  # seconds between two looks at how steps stand, which cost more
_SOON = 300  # seconds
_FRESH = 600  # seconds: what is older was known before there was a channel


def watch_project(root: str, settings: NotifySettings, environment: Mapping[str, str]) -> None:
    """Tell of what happens in a project, as long as a run of it lives or something is due soon.

    What a channel has refused for longer is tried again by the next such process.
    """
    with _alone(root) as is_alone, Outbox(environment) as outbox:
        looked = 0.0
        while is_alone:
            runs = [run for run in list_runs(root) if run.is_live]
            now = time.time()
            if now - looked >= _STEPS:
                looked = now
                outbox.add(root, _wanted(filter(None, map(_judge_run, runs)), settings), settings.channels)
            take_in(root, outbox, settings, now)
            send_due(root, outbox, settings, now)
            if not runs and not any(delivery.due < now + _SOON for delivery in outbox.list_waiting(root)):
                outbox.drop_old(now)
                return
            time.sleep(_PAUSE)


def take_in(root: str, outbox: Outbox, settings: NotifySettings, now: float) -> None:
    """Put into the outbox what the ledger has learned since the last time."""
    place = outbox.place(root)
    if not has_ledger(root):
        return
    with open_ledger(root) as ledger:
        facts = [fact for kind in (RUN, REQUEST) for fact in ledger.facts(kind) if fact.seq > (place or 0)]
    if place is None:
        facts = [fact for fact in facts if fact.at > now - _FRESH]
    if facts or place is None:
        found = sorted(facts, key=lambda fact: fact.seq)
        notices = _wanted(filter(None, map(judge_fact, found)), settings)
        outbox.add(root, notices, settings.channels, max([place or 0, *(fact.seq for fact in found)]))


def send_due(root: str, outbox: Outbox, settings: NotifySettings, now: float) -> None:
    """Send what is due. Beyond so many in an hour the rest waits, and goes as one."""
    waiting = outbox.list_waiting(root)
    for channel in dict.fromkeys(delivery.channel for delivery in waiting):
        due = [delivery for delivery in waiting if delivery.channel == channel and delivery.due <= now]
        room = max(0, settings.per_hour - outbox.count_sent(channel, now))
        alone = len(due) if len(due) <= room else max(0, room - 1)
        for delivery in due[:alone]:
            _send(outbox, [delivery], settings)
        if room > alone and due[alone:]:
            _send(outbox, due[alone:], settings)


def _send(outbox: Outbox, deliveries: list[QueuedNotice], settings: NotifySettings) -> None:
    notices = [delivery.notice for delivery in deliveries]
    error = ""
    try:
        send(deliveries[0].channel, notices[0] if len(notices) == 1 else join_notices(notices), settings)
    except NotSent as refused:
        error = str(refused)
    outbox.settle(deliveries, time.time(), error)


def _wanted(notices: "Iterator[Notice]", settings: NotifySettings) -> list[Notice]:
    return [notice for notice in notices if notice.kind in settings.on]


def _judge_run(run: RunState) -> Notice | None:
    with contextlib.suppress(PlanrailError, OSError):
        if (found := look_at_life(run, time.time())) is not None:
            return judge_step(run.order.run, run.order.title, run.order.path, *found)
    return None


@contextlib.contextmanager
def _alone(root: str) -> Iterator[bool]:
    """Whether this is the only process that tells of a project. One that is about to leave is waited for."""
    descriptor = os.open(os.path.join(ledger_folder(root), "notify.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield any(_try_lock(descriptor) for _ in range(_TRIES))
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        time.sleep(_PAUSE)
        return False
    return True
