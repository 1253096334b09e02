"""The life of a plan: draft, proposed, approved, running, complete, archived. What planrail remembers of plans, on
disk: one small JSON file for each, in the state folder.

A stage holds for the text that it was reached with: a plan whose text has changed since is a draft again. What counts
as its text, and where its record is kept, is decided elsewhere.

`STATE/plans/KEY.json`, with the key from the plan's path, links followed. Written to a temporary name and renamed, by
one process at a time, so that no reader sees half of it and no change is lost.
"""

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Iterator

from planrail.base.errors import refused_as
from planrail.base.json_reading import read_object
from planrail.base.records import record, replace
from planrail.base.whole_files import list_names, read_whole, write_whole
from planrail.plans.files.plan_files import FileRefusal
from planrail.plans.model import Plan

DRAFT = "draft"
PROPOSED = "proposed"
APPROVED = "approved"
RUNNING = "running"
COMPLETE = "complete"
ARCHIVED = "archived"
IN_PROGRESS = "in_progress"  # phases have landed; it is read from proofs, and never remembered
STAGES = (DRAFT, PROPOSED, APPROVED, RUNNING, COMPLETE, ARCHIVED)

# From each stage, those that may follow. Whatever is not here is refused.
MOVES = {
    DRAFT: (PROPOSED, ARCHIVED),
    PROPOSED: (DRAFT, APPROVED, ARCHIVED),
    APPROVED: (DRAFT, RUNNING, ARCHIVED),
    RUNNING: (DRAFT, APPROVED, COMPLETE),
    COMPLETE: (DRAFT, ARCHIVED),
    ARCHIVED: (DRAFT, APPROVED, COMPLETE),  # what it was before, see `decide_restored`
}
# Why a plan cannot come to a stage, and what to do.
_WHY = {
    APPROVED: ("only a plan that was proposed can be approved", "have the agent propose it first"),
    RUNNING: ("only an approved plan can be run", "approve it first"),
    COMPLETE: ("only a running plan can be completed", "run it first"),
    PROPOSED: ("only a draft can be proposed", "change its text first, which makes it a draft again"),
    ARCHIVED: ("a session is at work on it", "end the session, then archive it"),
}


@record
class PlanRecord:
    """What planrail remembers of a plan. `hash` is that of the text which the stage was reached with."""

    path: str
    project: str
    stage: str = DRAFT
    hash: str = ""
    session: str = ""
    agent: str = ""
    at: int = 0  # when the stage was reached, in seconds
    history: list[dict[str, object]] = []  # noqa: RUF012 - a record is never changed
    unknown: dict[str, object] = {}  # noqa: RUF012 - fields of a later version


@record
class ReachedStage:
    """A stage that is reached: by which text, in whose session, when."""

    stage: str
    hash: str
    at: int
    session: str = ""
    agent: str = ""


@record
class Situation:
    """What stands around a plan at this moment."""

    hash: str
    session_stage: str = ""  # as a session says that has the plan in its hands
    is_planning: bool = False  # that session is in plan mode
    is_complete: bool = False  # the document says so itself
    is_archived: bool = False  # it lies in the archive


def decide_stage(known: PlanRecord | None, now: Situation) -> str:
    """The stage of a plan. Where it lies and what it says come first, then the session, then what is remembered."""
    if now.is_archived:
        return ARCHIVED
    if now.is_complete:
        return COMPLETE
    if now.session_stage == APPROVED and not now.is_planning:
        return RUNNING
    if now.session_stage in (DRAFT, PROPOSED, APPROVED):
        return now.session_stage
    if known is None or known.hash != now.hash:
        return DRAFT
    if known.stage == ARCHIVED:  # moved out of the archive by hand
        return decide_restored(known, now.hash)
    return APPROVED if known.stage == RUNNING else known.stage  # no session is at work on it any more


def decide_proven(stage: str, *, is_complete: bool) -> str:
    """The stage of a plan that has proven phases: no draft any more. One that a session is at work on stays so."""
    if stage in (RUNNING, ARCHIVED):
        return stage
    return COMPLETE if is_complete else IN_PROGRESS


def has_changed(known: PlanRecord | None, text_hash: str) -> bool:
    """Whether the text is another than the one that was proposed or approved."""
    return known is not None and known.stage != DRAFT and known.hash != text_hash


def decide_move(stage: str, to: str) -> str | FileRefusal:
    """The stage that follows, or why it cannot."""
    if to not in STAGES:
        return FileRefusal(f"{to!r} is no stage of a plan", f"use one of: {', '.join(STAGES)}")
    if stage == to:
        return FileRefusal(f"the plan is {to} already")
    if to in MOVES[stage]:
        return to
    reason, remedy = ("it is archived", "planrail plans restore NAME") if stage == ARCHIVED else _WHY[to]
    return FileRefusal(f"a plan that is {stage} cannot become {to}: {reason}", remedy)


def decide_step(known: PlanRecord, step: ReachedStage) -> PlanRecord | FileRefusal:
    """The record after a step, or why it cannot be taken: a text may be approved only if it is the one proposed."""
    if known.stage == ARCHIVED and step.stage != ARCHIVED:
        restored = decide_restored(known, step.hash)
        if step.stage != restored:
            return FileRefusal(
                f"the plan is archived; out of the archive it is {restored}", "planrail plans restore NAME"
            )
        return advance(known, step)
    is_same = known.hash == step.hash or known.stage == ARCHIVED
    outcome = decide_move(known.stage if is_same else DRAFT, step.stage)
    return outcome if isinstance(outcome, FileRefusal) else advance(known, step)


def decide_restored(known: PlanRecord | None, text_hash: str) -> str:
    """The stage of a plan that comes back from the archive: the one before, if it was reached with this text."""
    steps = [step for step in known.history if step.get("stage") != ARCHIVED] if known else []
    if not steps or steps[-1].get("hash") != text_hash:
        return DRAFT
    # A proposal does not outlive the archive: nobody is there who made it.
    return {APPROVED: APPROVED, RUNNING: APPROVED, COMPLETE: COMPLETE}.get(str(steps[-1].get("stage")), DRAFT)


def advance(known: PlanRecord, step: ReachedStage) -> PlanRecord:
    written: dict[str, object] = {"stage": step.stage, "hash": step.hash, "at": step.at}
    written |= {key: value for key, value in (("session", step.session), ("agent", step.agent)) if value}
    taken = {name: getattr(step, name) for name in ("stage", "hash", "session", "agent", "at")}
    return replace(known, **taken, history=[*known.history, written])


def to_json(known: PlanRecord) -> dict[str, object]:
    return known.unknown | {name: getattr(known, name) for name in _FIELDS if name != "unknown"}


def from_json(value: object) -> PlanRecord:
    """The record that was written, or a ValueError where this is none."""
    if not isinstance(value, dict):
        raise ValueError("the record of a plan is a JSON object")
    blank = PlanRecord("", "")
    fields: dict[str, object] = {name: value.get(name, getattr(blank, name)) for name in _FIELDS}
    fields["unknown"] = {name: value[name] for name in value if name not in _FIELDS}
    wrong = [name for name in _FIELDS if type(fields[name]) is not type(getattr(blank, name))]
    if wrong or not fields["path"] or fields["stage"] not in STAGES:
        raise ValueError(f"the record of a plan has a wrong {', '.join(wrong) or 'path or stage'}")
    fields["history"] = [step for step in value.get("history", []) if isinstance(step, dict)]
    return PlanRecord(**fields)  # type: ignore[arg-type] # the types were compared above


_REMEDY = "make room there, or set PLANRAIL_STATE_DIR"
_FIELDS: tuple[str, ...] = PlanRecord.__slots__  # type: ignore[attr-defined] # a record has them


def load(state_folder: str, path: str) -> PlanRecord | None:
    """What is remembered of the plan at a path; None where that is nothing, or nothing that can be understood.

    A damaged record makes a plan a draft, which is the stage that allows least.
    """
    return _read(_place(state_folder, path))


def save(state_folder: str, path: str, change: Callable[[PlanRecord | None], PlanRecord]) -> PlanRecord:
    """Change the record of a plan as one step: `change` gets what is there now and returns what shall be."""
    with _locked(state_folder):
        changed = change(load(state_folder, path))
        _write(_place(state_folder, path), changed)
    return changed


def take_step(state_folder: str, path: str, project: str, step: ReachedStage) -> PlanRecord | FileRefusal:
    """Let a plan reach a stage, if it may from the one that it is at; of several tries at once, one is the first."""
    with _locked(state_folder):
        known = load(state_folder, path) or PlanRecord(os.path.realpath(path), project)
        outcome = decide_step(known, step)
        if not isinstance(outcome, FileRefusal):
            _write(_place(state_folder, path), outcome)
    return outcome


def move(state_folder: str, path: str, new_path: str) -> None:
    """Let the record follow a plan that has been moved; `path` is where it was."""
    with _locked(state_folder):
        known = load(state_folder, path)
        if known is not None:
            _write(_place(state_folder, new_path), replace(known, path=os.path.realpath(new_path)))
            os.unlink(_place(state_folder, path))


def list_records(state_folder: str) -> list[PlanRecord]:
    """Every record that can be understood."""
    folder = os.path.join(state_folder, "plans")
    found = [_read(os.path.join(folder, name)) for name in list_names(folder) if name.endswith(".json")]
    return [known for known in found if known is not None]


def hash_of(plan: Plan, text: str) -> str:
    """The hash of what a plan says, without the marks of its progress: ticking a box does not change a plan."""
    from planrail.plans.canonical.canonical import canonicalise

    return canonicalise(plan, text).hash


def _place(state_folder: str, path: str) -> str:
    name = hashlib.sha256(os.path.realpath(path).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return os.path.join(state_folder, "plans", f"{name}.json")


def _read(place: str) -> PlanRecord | None:
    try:
        return from_json(read_object(read_whole(place) or b""))
    except ValueError:
        return None


def _write(place: str, known: PlanRecord) -> None:
    with refused_as(f"{place} cannot be written", _REMEDY):
        write_whole(place, json.dumps(to_json(known)))


@contextlib.contextmanager
def _locked(state_folder: str) -> Iterator[None]:
    folder = os.path.join(state_folder, "plans")
    with refused_as(f"{folder} cannot be written", _REMEDY):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor = os.open(os.path.join(folder, ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
