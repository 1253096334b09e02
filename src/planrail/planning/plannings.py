"""Plannings on disk: one folder each, so that any of them can be looked at, gone on with and understood afterwards.
What earlier plannings of a project taught: recalled when a planning begins, learned when one has finished.

`STATE/plannings/ID/`: `planning.json` is the machine's state; the request, the plan and every answer are texts in files
of their own. No text of a person or an agent shares a file with the state.
"""

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, TypeVar

from planrail.base.errors import PlanrailError, ToolFailed
from planrail.base.records import record, replace
from planrail.base.whole_files import write_whole
from planrail.memory import store
from planrail.memory.lessons import lessons_of
from planrail.memory.store import FILE_NAME, render_lessons
from planrail.planning.answers.verdicts import read_verdicts
from planrail.planning.machine import Progress
from planrail.planning.options import PlanningOptions
from planrail.planning.planning import AgentAnswer, Planning, PlanningState, name_step
from planrail.planning.prompts import wants_lessons
from planrail.store.places import ledger_folder

_T = TypeVar("_T")


VERSION = 1
_TEXTS = ("request", "plan", "last_answer", "proposed", "original", "feedback")
# What a person answered and what was wrong with an answer, with the place they belong to; at another they mean nothing.
_ASIDES = "asides.json"


@record
class KeptPlanning:
    """A planning and what belongs to it: where its plan goes, which agents take part, and so on (plain strings)."""

    planning: Planning
    about: Mapping[str, str]

    def note(self, **about: str) -> "KeptPlanning":
        return replace(self, about={**self.about, **about})


def place_of(state_folder: str, id_: str) -> str:
    """The folder of a planning. An id is one name: it cannot lead elsewhere."""
    if not id_ or "/" in id_ or id_.startswith("."):
        raise PlanrailError(f"{id_!r} is no planning", remedy="planrail plan --resume")
    return os.path.join(state_folder, "plannings", id_)


def save(
    state_folder: str, kept: KeptPlanning, stand: PlanningState | None = None, *, can_go_on: bool = False
) -> KeptPlanning:
    """Keep a planning, and where it stands, if that is told; a reader sees the old state or the new one.

    `can_go_on`: it is headless, so that an error says how to go on. On a full disk the last answer is lost alone.
    """
    if stand is not None:
        kept = replace(kept, planning=stand.planning).note(conversation=stand.conversation, heard=str(stand.heard))
    planning, place = kept.planning, place_of(state_folder, kept.planning.id)
    try:
        for folder in (os.path.dirname(place), place, f"{place}/answers"):
            os.makedirs(folder, mode=0o700, exist_ok=True)  # of several, the mode would hold for the last one only
        if stand is not None:
            asides = {"at": _at(planning), "problems": stand.problems, "answers": stand.answers}
            write_whole(f"{place}/{_ASIDES}", json.dumps(asides))
        texts = {name: getattr(planning, name) for name in _TEXTS}
        texts |= {f"report-{number}-{phase}": text for number, (phase, text) in enumerate(planning.reports)}
        texts |= {f"critique-{number}": text for number, text in enumerate(planning.critiques, 1)}
        for name, text in texts.items():
            path = f"{place}/{name}.md"
            if text and _read_text(path) != text:
                write_whole(path, text)
            elif not text and os.path.exists(path):
                os.unlink(path)
        write_whole(f"{place}/planning.json", json.dumps(_state_of(kept), indent=1))
    except OSError as error:
        why, remedy = f"{place} cannot be written: {error.strerror}", "make room there, or set PLANRAIL_STATE_DIR"
        if can_go_on:
            why += "; what was saved before the last answer is kept there"
            remedy = f"make room there, then: planrail plan --resume {planning.id}"
        raise ToolFailed(why, remedy=remedy) from error
    return kept


def save_stand(folder: str, kept: KeptPlanning, stand: PlanningState) -> KeptPlanning:
    return save(folder, kept, stand, can_go_on=True)


def load_stand(folder: str, kept: KeptPlanning) -> PlanningState:
    try:
        with open(f"{place_of(folder, kept.planning.id)}/{_ASIDES}", encoding="utf-8") as file:
            asides = json.load(file)
    except (OSError, ValueError):
        asides = {}
    known = asides if isinstance(asides, dict) and asides.get("at") == _at(kept.planning) else {}
    problems, answers = known.get("problems"), known.get("answers")
    return PlanningState(
        kept.planning,
        kept.about.get("conversation", ""),
        int(kept.about.get("heard") or 0),
        tuple(str(one) for one in problems) if isinstance(problems, list) else (),
        tuple((str(asked), str(said)) for asked, said in answers) if isinstance(answers, list) else None,
    )


def _at(planning: Planning) -> list[object]:
    progress = planning.progress
    return [progress.index, progress.asked, progress.attempt, progress.ended]


def keep_answer(state_folder: str, planning: Planning, answer: AgentAnswer) -> str:
    """Save an answer as it came, good or not; the path of the file. One from before at the same place stays beside it:
    attempts may begin anew."""
    place = f"{place_of(state_folder, planning.id)}/answers"
    name = f"{place}/{name_step(planning)}"
    with contextlib.suppress(OSError):  # the planning itself is saved loudly; this is the record of how it came about
        os.makedirs(place, mode=0o700, exist_ok=True)
        if os.path.exists(f"{name}.md"):
            numbers = (number for number in count(1) if not os.path.exists(f"{name}.before-{number}.md"))
            os.rename(f"{name}.md", f"{name}.before-{next(numbers)}.md")
        write_whole(f"{name}.md", answer.text)
        if answer.file:
            write_whole(f"{name}.plan.md", answer.file)
    return f"{name}.md"


def load(state_folder: str, id_: str) -> KeptPlanning:
    """The planning with an id, or a `PlanrailError` where it is not there or damaged."""
    place = place_of(state_folder, id_)
    try:
        with open(f"{place}/planning.json", encoding="utf-8") as file:
            state = json.load(file)
        return _kept_from(state, place, id_)
    except FileNotFoundError:
        raise PlanrailError(f"there is no planning {id_}", remedy="planrail plan --resume lists them") from None
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise PlanrailError(
            f"the planning {id_} cannot be read: {error}", remedy=f"its texts are kept in {place}; start it again"
        ) from error


def list_plannings(state_folder: str) -> list[str]:
    folder = os.path.join(state_folder, "plannings")
    try:
        names = [name for name in os.listdir(folder) if os.path.isfile(f"{folder}/{name}/planning.json")]
    except OSError:
        return []
    return sorted(names, key=lambda name: (os.path.getmtime(f"{folder}/{name}/planning.json"), name), reverse=True)


@contextlib.contextmanager
def locked(state_folder: str, id_: str, *, wait: bool = True) -> Iterator[bool]:
    """Hold a planning, so that one process at a time goes on with it. Without waiting: whether it could be held."""
    place = place_of(state_folder, id_)
    for folder in (os.path.dirname(place), place):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    descriptor = os.open(f"{place}/.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def _read_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogatepass", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def _state_of(kept: KeptPlanning) -> dict[str, object]:
    planning = kept.planning
    return {
        "version": VERSION,
        "options": _fields_of(planning.options),
        "progress": _fields_of(planning.progress),
        "reports": [phase for phase, _ in planning.reports],
        "critiques": list(range(1, len(planning.critiques) + 1)),
        "accepted": _digest(planning.last_answer),
        "about": dict(kept.about),
    }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() if text else ""


def _kept_from(state: dict[str, Any], place: str, id_: str) -> KeptPlanning:
    if state["version"] != VERSION:
        raise ValueError(f"it was written by another version ({state['version']})")
    texts = {name: _read_text(f"{place}/{name}.md") for name in _TEXTS}
    if _digest(texts["last_answer"]) != state["accepted"]:
        texts["last_answer"] = ""  # killed while saving: the text is newer than the state, and will come again
    reports = enumerate(state["reports"])
    planning = Planning(
        id=id_,
        options=_record(PlanningOptions, state["options"]),
        progress=_record(Progress, state["progress"]),
        reports=tuple((phase, _read_text(f"{place}/report-{at}-{phase}.md")) for at, phase in reports),
        critiques=tuple(_read_text(f"{place}/critique-{number}.md") for number in state["critiques"]),
        **texts,
    )
    return KeptPlanning(planning, dict(state["about"]))


def _fields_of(value: object) -> dict[str, object]:
    return {name: getattr(value, name) for name in type(value).__slots__}  # type: ignore[attr-defined] # a record


def _record(kind: type[_T], fields: Mapping[str, Any]) -> _T:
    return kind(**{name: tuple(one) if isinstance(one, list) else one for name, one in fields.items()})


def memory_file(root: str) -> str:
    return os.path.join(ledger_folder(root), FILE_NAME)


def count_planning(root: str, options: PlanningOptions) -> int:
    """The number of a new planning among the project's; what was learned is forgotten first, where that is wanted."""
    try:
        if options.clear_memory:
            store.clear(memory_file(root))
        return store.begin_planning(memory_file(root)) if options.use_memory else 0
    except PlanrailError:
        return 0  # planning goes on without; what is wrong is said at the end, by `remember`


def recall(root: str, planning: Planning, number: int) -> str:
    """The lessons that matter for a planning, as a block of its prompt; "" where none are wanted now."""
    if not (planning.options.use_memory and wants_lessons(planning)):
        return ""
    try:
        return render_lessons(store.recall(memory_file(root), planning.request, now=number))
    except PlanrailError:
        return ""


def remember(root: str, planning: Planning, number: int) -> str:
    """Keep what the critics found in a planning that has finished. Returns what the person should know of it."""
    return remember_critiques(root, planning, number) if planning.options.use_memory else ""


def remember_critiques(root: str, planning: Planning, number: int) -> str:
    titles = (line[2:].strip() for line in planning.plan.splitlines()[:40] if line.startswith("# "))
    title = next(titles, " ".join(planning.request.split()[:12]))
    found = [lesson for text in planning.critiques for lesson in lessons_of(text, read_verdicts(text), title=title)]
    try:
        return store.remember(memory_file(root), found, now=number).damage
    except PlanrailError as error:
        return f"what this planning taught could not be kept: {error.message}"
