"""What is remembered around a task: planrail's own lessons, and a predecessor's notes where the project has some."""

import json
import os
from collections.abc import Mapping

from planrail.base.errors import PlanrailError
from planrail.memory import store
from planrail.memory.learning import note_shown
from planrail.memory.lessons import find_paths, make_lesson
from planrail.memory.ranking import Note, Task, rank_notes
from planrail.memory.recalling import count_tokens, strength
from planrail.planning.lessons import memory_file
from planrail.tasks.model import Task as PlanTask
from planrail.tasks.questions.answers import tidy_line, tidy_text
from planrail.tasks.questions.assembling import memories_of
from planrail.tasks.questions.model import Answers

BUDGET_TOKENS, MOST = 2_000, 5
INDEX = ".memory/memory-index.json"
_LONGEST, _LARGEST = 8_000, 4_000_000  # characters of one note; bytes of an index
_TRUSTED = 0.3  # the confidence from which on a candidate is kept


def recall(root: str, task: PlanTask, focus: str) -> tuple[list[Mapping[str, object]], int]:
    """What matters for a task, best first, within the budget; and the number under which it is noted as shown."""
    path = memory_file(root)
    try:
        number = store.begin_planning(path)
        lessons = {f"lesson:{lesson.id}": lesson for lesson in store.load(path)}
    except PlanrailError:
        return [], 0  # what is wrong with it is said when something is to be kept
    entries: dict[str, Mapping[str, object]] = {
        id_: {"title": lesson.title, "text": lesson.text, "from": lesson.source} for id_, lesson in lessons.items()
    }
    notes = [
        Note(id_, "", lesson.text, lesson.paths, "", _cost(entries[id_]), strength(lesson, number))
        for id_, lesson in lessons.items()
    ]
    older, texts = _read_index(root)
    wanted = f"{task.title}\n{task.description}\n{focus}"
    asked = Task(wanted, find_paths(wanted), task.task_type)
    chosen = [note.id for note in rank_notes([*notes, *older], asked, budget=BUDGET_TOKENS, most=MOST)]
    shown = {id_.removeprefix("lesson:") for id_ in chosen if id_ in lessons}
    if shown:
        store.change(path, lambda known: note_shown(known, shown, now=number))
    return [{**entries, **texts}[id_] for id_ in chosen], number


def remember(root: str, task: PlanTask, answers: Answers, number: int) -> str:
    """Keep what the agents found worth it. Returns what a person should know."""
    worth = [str(entry["content"]) for entry in memories_of(answers) if _confidence(entry) >= _TRUSTED]
    made = [make_lesson(text, title=task.title, source="task") for text in worth]
    try:
        return store.remember(memory_file(root), [lesson for lesson in made if lesson], now=number).damage
    except PlanrailError as error:
        return f"what this stage taught could not be kept: {error.message}"


def _read_index(root: str) -> tuple[list[Note], dict[str, Mapping[str, object]]]:
    """The notes of a predecessor's index that are in use, and each as an agent is given it."""
    entries = _load_entries(os.path.join(root, INDEX))
    notes: list[Note] = []
    texts: dict[str, Mapping[str, object]] = {}
    for entry in entries:
        id_ = f"note:{entry.get('id', '')}"
        text = _text_of(root, entry)
        texts[id_] = {"title": tidy_line(str(entry.get("title", ""))), "text": text, "from": entry.get("path")}
        keywords = entry.get("keywords")
        words = " ".join(map(str, keywords)) if isinstance(keywords, list) else ""
        topic = str(entry.get("topic") or entry.get("category") or "")
        notes.append(Note(id_, str(entry.get("title", "")), words, (), topic, _cost(texts[id_])))
    return notes, texts


def _load_entries(path: str) -> list[dict[str, object]]:
    try:
        if os.path.getsize(path) > _LARGEST:
            return []
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
    except (OSError, ValueError, RecursionError):
        return []
    found = value.get("entries") if isinstance(value, dict) else None
    entries = [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []
    return [entry for entry in entries if entry.get("status", "active") == "active" and entry.get("id")]


def _text_of(root: str, entry: Mapping[str, object]) -> str:
    """The note itself where it lies in the folder of notes, else its summary."""
    base = os.path.realpath(os.path.join(root, ".memory"))
    place = os.path.realpath(os.path.join(root, str(entry.get("path", ""))))
    if place.startswith(base + os.sep):
        try:
            with open(place, encoding="utf-8", errors="replace") as file:
                return tidy_text(_body(file.read(_LONGEST)))
        except OSError:
            pass
    return tidy_text(str(entry.get("summary", "")))


def _body(text: str) -> str:
    if not text.startswith("---\n"):
        return text
    _, end, body = text[4:].partition("\n---\n")
    return body if end else text


def _cost(entry: Mapping[str, object]) -> int:
    return count_tokens(json.dumps(entry, ensure_ascii=False)) + 4


def _confidence(entry: Mapping[str, object]) -> float:
    value = entry.get("confidence")
    return float(value) if isinstance(value, int | float) else 1.0
