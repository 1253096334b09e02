"""What is known around a task when a stage begins: its documents, what it waits for, the roadmap, what is remembered.

Remembered are planrail's own lessons, and a predecessor's notes where the project has some.
"""

import json
import os
from collections.abc import Mapping

from planrail.base.errors import PlanrailError
from planrail.base.json_reading import objects_in, read_object
from planrail.base.settings import SECTIONS
from planrail.memory import store
from planrail.memory.lessons import find_paths, make_lesson, note_shown
from planrail.memory.ranking import Rankable, rank_notes
from planrail.memory.ranking import RankedTask as Ranked
from planrail.memory.store import count_tokens, strength
from planrail.planning.plannings import memory_file
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.context.context import Context
from planrail.tasks.context.files import find_roadmap, read_bytes, read_page
from planrail.tasks.documents.formats import FORMATS
from planrail.tasks.documents.roadmap import open_items
from planrail.tasks.model import PLAN, REPORT, Brief, Task, latest
from planrail.tasks.questions.answers import memories_of, tidy_line, tidy_text
from planrail.tasks.questions.model import RESEARCH, REVISE, Answers
from planrail.tasks.questions.prompts import LONGEST_DOCUMENT, Material, describe
from planrail.tasks.stages.requests import StageRequest

_MOST_REPORTS = 3  # the newest; older ones the agent can read
BUDGET_TOKENS, MOST = 2_000, 5
INDEX = ".memory/memory-index.json"
_LONGEST, _LARGEST = 8_000, 4_000_000  # characters of one note; bytes of an index
_TRUSTED = 0.3  # the confidence from which on a candidate is kept
Entry = Mapping[str, object]


def gather(context: Context, task: Task, request: StageRequest, round_: int) -> tuple[dict[str, object], int]:
    """All that the agents of a stage are given, and the number under which memory was shown, 0 for none.

    What is asked for with `clean` has nothing that is remembered among it.
    """
    root, is_research = context.root, request.stage == RESEARCH
    memory, shown = ([], 0) if request.clean else _recall(root, task, request.focus)
    plan = latest(task, PLAN) if request.stage == REVISE else None
    text = read_page(root, plan.path) if plan is not None else None
    roadmap = "" if is_research else find_roadmap(root, context.folder)
    with open_book(root) as book:
        needed = [one for one in map(book.find, task.dependencies) if one is not None]
    sections = FORMATS[REPORT].sections if is_research else SECTIONS
    material = Material(
        reports=_read_reports(root, task),
        plan=(plan.path, text) if plan is not None and text is not None else None,
        dependencies=[Brief(one.number, one.title, one.status) for one in needed],
        roadmap=open_items(read_page(root, roadmap) or "") if roadmap else [],
        memory=memory,
        form={"type": REPORT if is_research else PLAN, "sections": list(sections)},
    )
    return describe(task, request.stage, round_, context.session, request.focus, material), shown


def _read_reports(root: str, task: Task) -> list[tuple[str, str]]:
    """The newest reports, the newest first; together they are no longer than one document may be twice."""
    linked = [artifact for artifact in task.artifacts if artifact.type == REPORT]
    left, kept = 2 * LONGEST_DOCUMENT, []
    for artifact in sorted(linked, key=lambda artifact: artifact.round, reverse=True)[:_MOST_REPORTS]:
        text = read_page(root, artifact.path)
        if text is not None and left > 0:
            kept.append((artifact.path, text[:left]))
            left -= len(text)
    return kept


def _recall(root: str, task: Task, focus: str) -> tuple[list[Entry], int]:
    """What matters for a task, best first, within the budget; and the number under which it is noted as shown."""
    path = memory_file(root)
    try:
        number = store.begin_planning(path)
        lessons = {f"lesson:{lesson.id}": lesson for lesson in store.load(path)}
    except PlanrailError:
        return [], 0  # what is wrong with it is said when something is to be kept
    known = dict(_read_index(root))
    for id_, lesson in lessons.items():
        entry = {"title": lesson.title, "text": lesson.text, "from": lesson.source}
        note = Rankable(id_, "", lesson.text, lesson.paths, "", _cost(entry), strength(lesson, number))
        known[id_] = note, entry
    wanted = f"{task.title}\n{task.description}\n{focus}"
    asked = Ranked(wanted, find_paths(wanted), task.task_type)
    ranked = rank_notes([note for note, _ in known.values()], asked, budget=BUDGET_TOKENS, most=MOST)
    shown = {note.id.removeprefix("lesson:") for note in ranked if note.id in lessons}
    if shown:
        store.change(path, lambda kept: note_shown(kept, shown, now=number))
    return [known[note.id][1] for note in ranked], number


def _read_index(root: str) -> dict[str, tuple[Rankable, Entry]]:
    """The notes of a predecessor's index that are in use, each to be ranked and as an agent is given it."""
    entries = objects_in(read_object(read_bytes(root, INDEX, _LARGEST) or b""), "entries")
    found: dict[str, tuple[Rankable, Entry]] = {}
    for entry in (one for one in entries if one.get("status", "active") == "active" and one.get("id")):
        id_, title, keywords = f"note:{entry['id']}", str(entry.get("title", "")), entry.get("keywords")
        shown = {"title": tidy_line(title), "text": _text_of(root, entry), "from": entry.get("path")}
        words = " ".join(map(str, keywords)) if isinstance(keywords, list) else ""
        topic = str(entry.get("topic") or entry.get("category") or "")
        found[id_] = Rankable(id_, title, words, (), topic, _cost(shown)), shown
    return found


def _text_of(root: str, entry: Entry) -> str:
    """The note itself, without its front matter, where it lies in the folder of notes; else its summary."""
    data = read_bytes(os.path.join(root, ".memory"), os.path.join(root, str(entry.get("path", ""))))
    if data is None:
        return tidy_text(str(entry.get("summary", "")))
    text = data.decode("utf-8", "replace")[:_LONGEST].replace("\r\n", "\n")
    _, end, body = text[4:].partition("\n---\n")
    return tidy_text(body if end and text.startswith("---\n") else text)


def _cost(entry: Entry) -> int:
    return count_tokens(json.dumps(entry, ensure_ascii=False)) + 4


def remember(root: str, task: Task, answers: Answers, number: int) -> str:
    """Keep what the agents found worth it. Returns what a person should know."""
    made = []
    for entry in memories_of(answers):
        sure = entry.get("confidence")
        if not isinstance(sure, int | float) or sure >= _TRUSTED:
            made.append(make_lesson(str(entry["content"]), title=task.title, source="task"))
    try:
        return store.remember(memory_file(root), [lesson for lesson in made if lesson], now=number).damage
    except PlanrailError as error:
        return f"what this stage taught could not be kept: {error.message}"
