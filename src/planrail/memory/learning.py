"""Learning and fading: what a planning does to the lessons that were there.

A lesson that fails again is strengthened. One that was shown and did not fail, nor anything else under its principle,
has done its work or never mattered: each such planning counts against it, and after some of them it is dropped.
"""

from collections.abc import Collection, Sequence

from planrail.base.records import replace
from planrail.memory.lessons import MOST_PATHS, Lesson, find_similar, merge_similar

PATIENCE = 3  # how often a lesson may be shown for nothing, for each planning in which it failed
MOST_PATIENCE = 9
MOST_KEPT = 500


def learn(lessons: Sequence[Lesson], new: Sequence[Lesson], *, now: int) -> list[Lesson]:
    """The lessons after planning number `now`, whose critiques found what is new. Saying it twice changes nothing.

    To be called at the end of every planning that was criticised, with nothing new as well: what was shown and did not
    fail is noted by it.
    """
    known = {lesson.id: lesson for lesson in lessons}
    failed: set[str] = set()
    for lesson in merge_similar(new):
        old = find_similar(lesson, known.values())
        first = replace(lesson, planned=now, last=now, times=1, shown=0, seen=0)
        after = _fail_again(old, lesson, now) if old else first
        known[after.id] = after
        failed.add(after.id)
    principles = {lesson.principle for lesson in new if lesson.principle}
    for one in [lesson for lesson in known.values() if lesson.id not in failed and lesson.seen == now]:
        # Shown to this planning, and it did not fail: where nothing failed under its principle, it fades.
        known[one.id] = replace(one, seen=0, shown=one.shown + (one.principle not in principles))
    judged = [lesson for lesson in known.values() if lesson.shown < patience(lesson)]
    newest = sorted(judged, key=lambda lesson: (-lesson.last, -lesson.times, lesson.id))[:MOST_KEPT]
    kept = {lesson.id for lesson in newest}
    return [lesson for lesson in judged if lesson.id in kept]


def note_shown(lessons: Sequence[Lesson], ids: Collection[str], *, now: int) -> list[Lesson]:
    """The lessons, with those that planning number `now` was shown noted as such."""
    return [replace(lesson, seen=now) if lesson.id in ids else lesson for lesson in lessons]


def patience(lesson: Lesson) -> int:
    """How many plannings a lesson may be shown to for nothing before it is dropped."""
    return min(PATIENCE * max(lesson.times, 1), MOST_PATIENCE)


def _fail_again(old: Lesson, new: Lesson, now: int) -> Lesson:
    """The old words and id, and where it happened last. A planning counts once, however often it fails in it."""
    if old.last == now:
        return replace(old, seen=0)
    paths = tuple(dict.fromkeys((*new.paths, *old.paths)))[:MOST_PATHS]
    title = new.title or old.title
    return replace(old, title=title, paths=paths, last=now, times=old.times + 1, shown=0, seen=0)
