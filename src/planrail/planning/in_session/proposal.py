"""The end of a planning in a session: the plan is finished and put before a person, and again after a change."""

import contextlib
import hashlib
import json
import os

from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.settings import Settings
from planrail.base.whole_files import write_whole
from planrail.hook.deciding.plan_mode import mark_of as session_mark
from planrail.hook.sessions.triggers import APPROVE, spell
from planrail.planning import machine
from planrail.planning.answers.front_matter import with_front_matter
from planrail.planning.in_session.facts import describe_plan, open_ground, says_the_same
from planrail.planning.lessons import remember
from planrail.planning.machine import EXPLORE
from planrail.planning.planning import Ground, Planning, repropose
from planrail.planning.plannings import Kept, place_of, save
from planrail.plans.files.plan_writing import write_text

Reply = dict[str, object]


REPEATS = 3  # how often one stop may be told the same: hooks can be registered twice, but an agent must not go round


def write_plan(kept: Kept, plan: str) -> None:
    path = kept.about["plan_file"]
    if plan and read_text(path) != plan:
        write_text(path, plan)


def tell(folder: str, kept: Kept, text: str) -> str:
    """Remember what the agent is told: after a clear, or a pause, it is told again."""
    write_whole(told_path(folder, kept.planning.id), text)
    return text


def told_path(folder: str, id_: str) -> str:
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


_AT_THE_END = (
    "The plan is finished, at {path}. If the user asks for changes or rejects it, change that file, whole; it is looked"
    " at and proposed again when you stop. Otherwise wait: only the user approves."
)


def finish(folder: str, kept: Kept, planning: Planning) -> Reply:
    path = kept.about["plan_file"]
    text = with_front_matter(planning.plan, describe_plan(kept, planning))
    write_text(path, text)
    complaint = remember(kept.about["root"], planning, int(kept.about["number"]))
    after = replace(kept, planning=replace(planning, proposed=text)).note(mark=mark_of(text))
    save(folder, after)
    tell(folder, after, _AT_THE_END.format(path=path))
    message = f"planrail: the plan is ready: {path}\n{_next_steps(kept)}"
    if complaint:
        message = f"{message}\nplanrail: {complaint}"
    return make_reply(message=message, is_proposed=True)


def look_again(folder: str, kept: Kept, settings: Settings, known: str) -> Reply:
    """A stop after the planning has ended: a plan that was changed since is looked at, and proposed again.

    `known` is the mark of the text that the session knows to be proposed: a hook that was killed has not told it.
    """
    path, planning = kept.about["plan_file"], kept.planning
    if planning.progress.ended != machine.FINISHED:
        return make_reply(is_over=True)
    written = read_text(path)
    if not written.strip():
        return make_reply()
    if written == planning.proposed:
        is_news = known != session_mark(written)
        message = f"planrail: the plan is ready: {path}\n{_next_steps(kept)}" if is_news else ""
        return make_reply(message=message, is_proposed=is_news)
    # Who writes the file anew leaves out planrail's keys, and by its id the plan is known.
    text = with_front_matter(written, describe_plan(kept, planning))
    if text != written:
        write_text(path, text)
    if says_the_same(path, text, planning.proposed):
        return make_reply()
    problems = repropose(planning, text, ground_of(kept, settings))
    tries = int(kept.about.get("tries", "0")) + 1
    if problems and tries < planning.progress.attempts:
        save(folder, kept.note(tries=str(tries)))
        listed = "\n".join(f"- {problem.message}" for problem in problems[:12])
        return make_reply(reason=f"[planrail] The changed plan cannot be proposed yet:\n{listed}")
    if problems:
        return make_reply(message="planrail: the changed plan is no complete plan; look at it with planrail lint")
    save(folder, replace(kept, planning=replace(planning, proposed=text)).note(tries="0", mark=mark_of(text)))
    return make_reply(message=f"planrail: the changed plan is proposed again\n{_next_steps(kept)}", is_proposed=True)


def _next_steps(kept: Kept) -> str:
    path, word = kept.about["plan_file"], spell(kept.about["agent"], APPROVE)
    return (
        f"  look at it: planrail show {path}\n  approve it: {word}, or in a terminal: planrail approve {path}\n"
        "  or say what to change"
    )


def make_reply(*, reason: str = "", message: str = "", is_over: bool = False, is_proposed: bool = False) -> Reply:
    """What the hook is told: see `hook.sessions.world.Authored`."""
    return {"reason": reason, "message": message, "is_over": is_over, "is_proposed": is_proposed}


def ground_of(kept: Kept, settings: Settings) -> Ground:
    is_exploring = kept.planning.progress.phase == EXPLORE
    return open_ground(kept.about["root"], kept.about["plan_file"], settings, count=is_exploring)
