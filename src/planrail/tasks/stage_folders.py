"""The folder of a stage: what was ordered, each question's jobs, each answer. The next process goes on from it.

tasks/7/plan-1/stage.json                  what was ordered, in which session; written before anything else happens
tasks/7/plan-1/steps/01-draft-001/1/       the job of the first attempt at a question
tasks/7/plan-1/plannings/plan/             the planning, as `planrail plan` keeps one
tasks/7/research-1/answers/research.json   the answer of another stage, once there is one that can be used
tasks/7/plan-1/document.md                 what is to be written, once its path is chosen
tasks/7/plan-1-done-1/                     a stage that has ended
"""

import json
import os
import re
from collections.abc import Mapping

from planrail.ask.asking import list_attempts, put_aside
from planrail.base.errors import PlanrailError, refused_as
from planrail.base.json_reading import read_object
from planrail.base.records import record, replace
from planrail.base.whole_files import list_names, read_whole, write_whole
from planrail.planning.planning import Planning
from planrail.planning.plannings import load as load_planning
from planrail.store.places import ledger_folder, make_private
from planrail.tasks.questions.answers import Wrong, fit_answer
from planrail.tasks.questions.model import DIVIDE, Answer, StageOrder, is_question, schema_of

_FILE, _STEPS, _ANSWERS, _DOCUMENT = "stage.json", "steps", "answers", "document.md"
_VERSION = 1
_KEPT = {"answer": dict, "agent": str, "sequence": int}
_OPEN = re.compile(r"[a-z]+-\d+")
_ORDERED = ("stage", "number", "round", "title", "context", "effort", "team", "has_plan")


@record
class StageFolder:
    """A stage on the disk. `about` is all that belongs to it beside the order: texts and numbers, as JSON has them."""

    path: str
    order: StageOrder
    about: Mapping[str, object]

    def text(self, name: str) -> str:
        value = self.about.get(name, "")
        return value if isinstance(value, str) else ""

    def count(self, name: str) -> int:
        value = self.about.get(name, 0)
        return value if isinstance(value, int) else 0

    def note(self, **more: object) -> "StageFolder":
        """The stage with more known about it; it is on the disk when this returns."""
        after = replace(self, about={**self.about, **more})
        save(after)
        return after


@record
class Kept:
    """An answer that is kept, and the agent that gave it. `sequence` counts the answers of a stage."""

    answer: Answer
    agent: str = ""
    sequence: int = 0


def stages_folder(root: str, number: int) -> str:
    return os.path.join(ledger_folder(root), "tasks", str(number))


def create(root: str, order: StageOrder, about: Mapping[str, object]) -> StageFolder:
    place = os.path.join(stages_folder(root, order.number), f"{order.stage}-{order.round}")
    return StageFolder(place, order, {}).note(**about)


def save(folder: StageFolder) -> None:
    ordered = {name: getattr(folder.order, name) for name in _ORDERED}
    _write(os.path.join(folder.path, _FILE), {"version": _VERSION, "order": ordered, "about": dict(folder.about)})


def load(path: str) -> StageFolder | None:
    value = _read(os.path.join(path, _FILE))
    if value is None or value.get("version") != _VERSION:
        return None
    ordered, about = value.get("order"), value.get("about")
    if not isinstance(ordered, dict) or not isinstance(about, dict) or set(ordered) != set(_ORDERED):
        return None
    return StageFolder(path, StageOrder(**ordered), about)


def open_stages(root: str, number: int) -> list[StageFolder]:
    """The stages of a task that have not ended, the newest round last. What cannot be understood is put aside."""
    base = stages_folder(root, number)
    found = []
    for name in filter(_OPEN.fullmatch, list_names(base)):
        stage = load(os.path.join(base, name))
        if stage is None:
            put_aside(os.path.join(base, name), "aside")
        else:
            found.append((int(name.rpartition("-")[2]), name, stage))
    return [stage for _, _, stage in sorted(found, key=lambda one: one[:2])]


def newest_stage(root: str, number: int, task: str) -> StageFolder | None:
    """Of the stages of a task that have not ended, the one that was last worked on. `task` is its id.

    A division and a revision of the description are none: they leave the task where it is.
    """
    own = [stage for stage in open_stages(root, number) if stage.text("task") == task]
    found = [stage for stage in own if stage.order.stage != DIVIDE and not stage.order.is_about_description]
    return max(found, key=lambda stage: os.stat(os.path.join(stage.path, _FILE)).st_mtime_ns, default=None)


# ---- answers ----


def load_answers(folder: StageFolder) -> dict[str, Kept]:
    """The answers so far, in the order in which they were given.

    One that cannot be read, or is not in its schema, counts as not given.
    """
    place = os.path.join(folder.path, _ANSWERS)
    found: dict[str, Kept] = {}
    for name in [name.removesuffix(".json") for name in list_names(place) if name.endswith(".json")]:
        value = _read(os.path.join(place, f"{name}.json")) if is_question(name) else None
        parts = {part: value[part] for part in _KEPT if part in value} if value is not None else {}
        if "answer" in parts and all(isinstance(part, _KEPT[name]) for name, part in parts.items()):
            kept = Kept(**parts)  # type: ignore[arg-type]
            answer = fit_answer(kept.answer, schema_of(name))
            found |= {name: replace(kept, answer=answer)} if not isinstance(answer, Wrong) else {}
    return dict(sorted(found.items(), key=lambda one: (one[1].sequence, one[0])))


def save_answer(folder: StageFolder, name: str, kept: Kept) -> None:
    """Keep an answer; it is on the disk when this returns."""
    _write(os.path.join(folder.path, _ANSWERS, f"{name}.json"), {part: getattr(kept, part) for part in _KEPT})


# ---- the document ----


def save_document(folder: StageFolder, text: str) -> None:
    _keep(os.path.join(folder.path, _DOCUMENT), text)


def load_document(folder: StageFolder) -> str | None:
    return read_document(os.path.join(folder.path, _DOCUMENT))


def read_document(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="surrogatepass", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None


def planning_name(folder: StageFolder) -> str:
    """Of the planning that lies in the folder of a stage which writes a plan."""
    return folder.order.stage


def load_drafting(folder: StageFolder) -> Planning | None:
    """The planning of a stage; None before its first question."""
    try:
        return load_planning(folder.path, planning_name(folder)).planning
    except PlanrailError:
        return None


def has_answers(folder: StageFolder) -> bool:
    """Whether an agent has answered anything that can be gone on with."""
    drafting = load_drafting(folder) if folder.order.writes_plan else None
    return bool(load_answers(folder)) or (drafting is not None and bool(drafting.last_answer))


def steps_folder(folder: StageFolder) -> str:
    return os.path.join(folder.path, _STEPS)


def attempts_at_work(folder: StageFolder) -> list[str]:
    return list_attempts(steps_folder(folder))


def _read(path: str) -> dict[str, object] | None:
    return read_object(read_whole(path) or b"") or None


def _write(path: str, value: Mapping[str, object]) -> None:
    _keep(path, json.dumps(value, ensure_ascii=True, indent=1) + "\n")


def _keep(path: str, text: str) -> None:
    with refused_as(f"{path} could not be written", "make room on that disk, then try again"):
        make_private(os.path.dirname(path))
        write_whole(path, text)
