"""What a stop was answered, so that the same stop, heard twice, is one answer; and telling texts apart."""

import hashlib
import json

from planrail.base.errors import PlanrailError
from planrail.base.whole_files import write_whole

Reply = dict[str, object]

REPEATS = 3  # how often one stop may be told the same: hooks can be registered twice, but an agent must not go round


def keep_reply(path: str, said: str, plans: tuple[str, str], stamp: str, reply: Reply) -> None:
    """Keep the reply to a stop; `plans` is the plan before it and after it."""
    known = {"said": mark_of(said), "plans": [mark_of(plan) for plan in plans], "stamp": stamp, "repeats": 0}
    write_whole(path, json.dumps({**known, "reply": reply}))


def recall_reply(path: str, said: str, plan: str, stamp: str) -> Reply | None:
    """The reply to this very stop, if it was given already: a hook may be registered twice, or be run again.

    The same words with the plan as it was before or after that reply are the same stop, a few times, while the
    transcript has not grown (`stamp`): an agent that says the same once more has used up an attempt.
    """
    try:
        last = json.loads(read_text(path) or "{}")
        is_same = last["said"] == mark_of(said) and mark_of(plan) in last["plans"] and last.get("stamp", "") == stamp
        if not is_same or last["repeats"] >= REPEATS:
            return None
        write_whole(path, json.dumps({**last, "repeats": last["repeats"] + 1}))
        return {**last["reply"], "is_repeated": True}
    except (KeyError, TypeError, ValueError):
        return None


def read_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise PlanrailError(f"{path} cannot be read: {error}", remedy="fix the file, or end planning") from error


def mark_of(text: str) -> str:
    """What tells one text from another; "" for an empty one."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() if text.strip() else ""
