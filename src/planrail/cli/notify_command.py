"""Where you are told that a run needs you, may be stuck, has failed, rests or is complete.

    planrail config notify.desktop true --user
    planrail config notify.ntfy https://ntfy.example.org/my-topic --user
    planrail notify test         send a notice to each channel, now
    planrail notify              which channels there are, and what was told

Channels: desktop, ntfy, slack, webhook (JSON), apprise (a list; `pip install 'planrail[apprise]'`). They are heard in
your own settings alone. What a channel does not take is tried again for a day; no run waits for it.

With --json: {"channels": [], "on": [], "notices": [{"id", "kind", "title", "text", "command", "at", "channel",
"project", "state": waiting, sent or given up, "tries", "error"}]}; for `test` {"channels": [{"channel", "error"}]}.
"""

import os
import time
from argparse import ArgumentParser, Namespace

from planrail.approval.book import project_root
from planrail.base.errors import UsageError
from planrail.base.settings import load_notify
from planrail.base.settings.tables import NotifySettings
from planrail.base.wording import Answer, pick
from planrail.notify.channels import NotSent, send
from planrail.notify.notices import NEEDS_YOU, Notice
from planrail.notify.outbox import WAITING, Outbox, QueuedNotice
from planrail.notify.watching import watch_project
from planrail.store.facts import new_id

_MOST = 20
_FIRST = "planrail config notify.desktop true --user"


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=("test", "watch"), help="what to do (show how it stands)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer | int:
    settings = load_notify()
    if arguments.action == "watch":
        watch_project(project_root(os.getcwd()), settings, os.environ)
        return 0
    if arguments.action == "test":
        return _test(settings)
    with Outbox(os.environ) as outbox:
        deliveries = outbox.list_newest(_MOST)
    notices = [
        {**_tell(delivery.notice), **pick(delivery, "channel project state tries error")} for delivery in deliveries
    ]
    document = {"channels": settings.channels, "on": settings.on, "notices": notices}
    told = f"told of {', '.join(settings.on)}: {', '.join(settings.channels)}"
    lines = [told if settings.channels else "no channel: nobody is told of anything", *map(_render, deliveries)]
    return Answer(document, lines, command="planrail notify test" if settings.channels else _FIRST)


def _test(settings: NotifySettings) -> Answer:
    if not settings.channels:
        raise UsageError("[notify] of your settings names no channel", remedy=_FIRST)
    text = "this is a test of planrail notify"
    notice = Notice(f"test:{new_id()}", NEEDS_YOU, "planrail", text, "planrail list", int(time.time()))
    results = {channel: _try(channel, notice, settings) for channel in settings.channels}
    document = {"channels": [{"channel": channel, "error": error or None} for channel, error in results.items()]}
    lines = [f"{channel:<8} {f'not sent: {error}' if error else 'sent'}" for channel, error in results.items()]
    failed = [channel for channel, error in results.items() if error]
    command = f"planrail config notify.{failed[0]}" if failed else "planrail notify"
    return Answer(document, lines, command=command, code=int(bool(failed)))


def _try(channel: str, notice: Notice, settings: NotifySettings) -> str:
    try:
        send(channel, notice, settings)
    except NotSent as error:
        return str(error)
    return ""


def _tell(notice: Notice) -> dict[str, object]:
    return pick(notice, "id kind title text command at")


def _render(delivery: QueuedNotice) -> str:
    state = "waits" if delivery.state == WAITING else delivery.state
    why = f" ({delivery.error}; {delivery.tries} tries)" if delivery.error else ""
    return f"  {state:<8} {delivery.channel:<8} {delivery.notice.title}{why}"
