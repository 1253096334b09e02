"""How is the worker? Asked of itself, by its socket: one that hangs does not answer."""

import json

from planrail.team.waking import HEALTH, Address, find_workers, say


def ask_workers() -> list[dict[str, object]]:
    """What each worker of this state folder says of itself; one that does not answer is `"ok": false`."""
    return [_ask(address) for address in find_workers()]


def _ask(address: Address) -> dict[str, object]:
    answer = say(address, HEALTH)
    silent = {"ok": False, "pid": address.pid, "text": "it does not answer"}
    try:
        told = json.loads(answer) if answer else silent
    except ValueError:
        return silent
    return told if isinstance(told, dict) else silent
