"""A request to end, or a terminal that is closed, is taken like Ctrl-C: agents are ended, what was answered is kept."""

import contextlib
import signal
from collections.abc import Iterator

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def heeded() -> list[signal.Signals]:
    """The signals that end planrail, less those that its caller had ignored."""
    return [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Signals are an interruption while this is open. One is enough: a second must not keep agents from being ended.

    What was ignored before stays so: under `nohup` a terminal may be closed.
    """

    def interrupt(number: int, frame: object) -> None:
        for one in _SIGNALS:
            signal.signal(one, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in heeded()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
