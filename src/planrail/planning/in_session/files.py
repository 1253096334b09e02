"""The files of a planning in a session: the plan file, what the agent was told last, and what was answered."""

import contextlib
import hashlib
import json
import os

from planrail.base.errors import PlanrailError
from planrail.base.whole_files import write_whole
from planrail.planning.plannings import Kept, place_of
from planrail.plans.files.plan_writing import write_text

Reply = dict[str, object]


REPEATS = 3  # how often one stop may be told the same: hooks can be registered twice, but an agent must not go round


def write_plan(kept: Kept, plan: str) -> None:
    """Put a plan that came in an answer into the file, for the next phase to read."""
    path = kept.about["plan_file"]
    if plan and read_text(path) != plan:
        write_text(path, plan)


def tell(folder: str, kept: Kept, text: str) -> str:
    """Remember what the agent is told: after a clear, or a pause, it is told again."""
    write_whole(told_path(folder, kept.planning.id), text)
    return text


def told_path(folder: str, id_: str) -> str:
    """Where it is kept what the agent was told last."""
    return f"{place_of(folder, id_)}/said.md"


def read_text(path: str) -> str:
    """The text of a file, "" where there is none."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise PlanrailError(f"{path} cannot be read: {error}", remedy="mend the file, or end planning") from error


def mark_of(text: str) -> str:
    """What tells one text from another; "" for an empty one."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() if text.strip() else ""


# ---- one stop, heard twice ----


def recall_reply(folder: str, id_: str, said: str, plan: str) -> Reply | None:
    """The reply to this very stop, if it was given already: a hook may be registered twice, or be run again.

    The same words with the plan as it was before or after that reply are the same stop, a few times.
    """
    try:
        last = json.loads(read_text(_reply_path(folder, id_)) or "{}")
        if last["said"] != mark_of(said) or mark_of(plan) not in last["plans"] or last["repeats"] >= REPEATS:
            return None
        write_whole(_reply_path(folder, id_), json.dumps({**last, "repeats": last["repeats"] + 1}))
        return {**last["reply"], "is_repeated": True}
    except (KeyError, TypeError, ValueError):
        return None


def keep_reply(folder: str, id_: str, said: str, plans: tuple[str, str], reply: Reply) -> Reply:
    """Remember a reply, with the plan as it was before and after it."""
    marks = [mark_of(plan) for plan in plans]
    write_whole(
        _reply_path(folder, id_), json.dumps({"said": mark_of(said), "plans": marks, "repeats": 0, "reply": reply})
    )
    return reply


def forget_reply(folder: str, id_: str) -> None:
    """What is said from now on belongs to another stop."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(_reply_path(folder, id_))


def _reply_path(folder: str, id_: str) -> str:
    return f"{place_of(folder, id_)}/last-reply.json"
