"""Ranking by relevance: which of many short notes matter for a task, and how many of them fit.

A word counts the more, the fewer notes have it. Its weight depends on those notes alone and not on how many there are,
so that a note which has nothing to do with the task changes nothing about the others.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log

from planrail.base.records import record
from planrail.memory.terms import is_pair, terms_of

IN_TITLE = 2.0  # a word of the title says more than one of the text
SAME_FILE = 3.0
SAME_FOLDER = 1.0
SAME_TOPIC = 2.0


@record
class Rankable:
    """Something that can be ranked. `tokens` is what showing it costs, `weight` how much it is trusted.

    `floor` is what it scores for every task: 0 where it matters only to tasks that it shares something with.
    """

    id: str
    title: str = ""
    text: str = ""
    paths: Sequence[str] = ()
    topic: str = ""
    tokens: int = 0
    weight: float = 1.0
    floor: float = 0.0


@record
class RankedTask:
    """What is about to be done: its words, the paths it is about, and its topic where topics are used."""

    text: str
    paths: Sequence[str] = ()
    topic: str = ""


def rank_notes(notes: Sequence[Rankable], task: RankedTask, *, budget: int, most: int | None = None) -> list[Rankable]:
    """The notes that matter for a task, best first, as many as the budget holds; one that is too big is passed over.

    Equal ones stand in the order of their ids. A task that says nothing has no notes.
    """
    chosen: list[Rankable] = []
    left = budget
    for note in _by_score(notes, task):
        if len(chosen) == most:
            break
        if note.tokens <= left:
            chosen.append(note)
            left -= note.tokens
    return chosen


def _by_score(notes: Sequence[Rankable], task: RankedTask) -> list[Rankable]:
    """The notes that score anything, best first: what they share with the task counts the more, the fewer share it."""
    wanted = {term: 0.5 if is_pair(term) else 1.0 for term in terms_of(" ".join((task.text, *task.paths)))}
    wanted |= _places(task.paths)
    if not wanted:
        return []
    found = [(note, _shared(note, wanted)) for note in notes]
    counts = Counter(feature for _, shared in found for feature in shared)
    scores = []
    for note, shared in found:
        # Sorted: a sum of fractions depends on its order, and that of a set differs from one process to the next.
        score = sum(shared[feature] * (1 / (1 + log(counts[feature]))) for feature in sorted(shared))
        if task.topic and note.topic.casefold() == task.topic.casefold():
            score += SAME_TOPIC
        scores.append((max(score, note.floor) * note.weight, note))
    return [note for score, note in sorted(scores, key=lambda one: (-one[0], one[1].id)) if score > 0]


def _places(paths: Sequence[str]) -> dict[str, float]:
    """Files and the folders that they are in. A colon keeps them apart from words, which have none."""
    tidy = [path.strip().removeprefix("./").rstrip("/").casefold() for path in paths]
    files = {f"file:{path}": SAME_FILE for path in tidy if path}
    return files | {f"folder:{path.rpartition('/')[0]}": SAME_FOLDER for path in tidy if "/" in path}


def _shared(note: Rankable, wanted: Mapping[str, float]) -> dict[str, float]:
    """What a note has in common with the task, with what each is worth before its rarity is known."""
    shared = {term: wanted[term] for term in terms_of(" ".join((note.text, *note.paths))) if term in wanted}
    shared |= {term: wanted[term] * IN_TITLE for term in terms_of(note.title) if term in wanted}
    return shared | {place: worth for place, worth in _places(note.paths).items() if place in wanted}
