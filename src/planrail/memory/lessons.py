"""Lessons: what a critique found to fail, or a run proved wrong, in a form that another planning can use. Learning and
fading: what a planning does to the lessons that were there.

A lesson that fails again is strengthened. One that was shown and did not fail, nor anything else under its principle,
has done its work or never mattered: each such planning counts against it, and after some of them it is dropped.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Sequence
from itertools import islice

from planrail.base.records import record, replace
from planrail.memory.quoting import quote_line
from planrail.memory.terms import terms_of


@record
class LessonVerdict:
    """What a critique says about one principle. `evidence` is its words beyond the number and the verdict."""

    principle: str
    passed: bool
    evidence: str


LONGEST_TEXT = 400
LONGEST_TITLE = 120
MOST_PATHS = 8
MOST_LESSONS = 24  # of one critique: twice the twelve principles
_MOST_TEXTS = 300  # that are looked at: an answer may repeat itself for half a megabyte
_LONGEST_PATH = 160
_SIMILAR = 0.8

_FENCE = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)", re.M | re.S)
_ITEM = re.compile(r"^\s{0,3}(?:[-*+•]|\(?(?:\d{1,3}|[a-zA-Z])[.)]|[①-⑳])\s+(?P<text>\S.*)$", re.M)
_FAULT = re.compile(
    r"\bfail|\bweak|\bissue|\bproblem|\bmissing|\bwrong|\brisk|\bgap\b|\bunclear|\bbroken|\bno |\bnot\b|\bnever\b|"
    r"약점|문제|결함|누락|실패|부족|없|위험|불명확|问题|缺|错误|失败|問題|不足|欠|失敗|проблем|ошибк|нет|fehl|problem|manque",
    re.I,
)
_PRAISE = re.compile(r"\bpass(?:es|ed)?\b|\blgtm\b|통과|合格|通过", re.I)
# A file with an ending in some folder, something two folders deep, or a file with an ending that code has.
_PATH = re.compile(
    r"(?<![\w/.:@-])(?:\./)?(?:(?:[\w.@+-]+/)+[\w.@+-]*\w\.[A-Za-z]\w{0,7}|(?:[\w.@+-]+/){2,}[\w@+-]+)(?![\w/])|"
    r"(?<![\w/.:@-])[\w-]+\.(?:py|jsx?|tsx?|go|rs|java|kt|rb|php|c|h|cc|cpp|cs|swift|sql|sh|toml|ya?ml|json|md)\b"
)
_URL = re.compile(r"\b[a-z][a-z+.-]{0,20}://\S+", re.I)


@record
class Lesson:
    """One thing that went wrong. Its numbers count plannings of the project: there is no clock here.

    `planned` and `last` are the plannings in which it failed first and last, `times` in how many it did; `shown` in how
    many it was shown since then and did not fail; `seen` the one that it was shown to and that is not judged yet.
    """

    id: str
    text: str
    principle: str = ""
    title: str = ""  # of the task that was planned
    paths: tuple[str, ...] = ()
    source: str = "critique"  # or "run"
    planned: int = 0
    last: int = 0
    times: int = 0
    shown: int = 0
    seen: int = 0


def make_lesson(text: str, *, principle: str = "", title: str = "", source: str = "critique") -> Lesson | None:
    """A lesson of this text, safe to keep; None where nothing is left of it."""
    kept = quote_line(text, LONGEST_TEXT)
    if not kept:
        return None
    places = [quote_line(path, _LONGEST_PATH) for path in find_paths(kept)]
    short = tuple(dict.fromkeys(path for path in places if path))[:MOST_PATHS]
    name = principle.strip().upper()[:8]
    words = f"{name}\n{' '.join(sorted(terms_of(kept))) or kept}"
    identity = hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return Lesson(identity, kept, name, quote_line(title, LONGEST_TITLE), short, source)


def lessons_of(
    critique: str, verdicts: Sequence[LessonVerdict], *, title: str, source: str = "critique"
) -> list[Lesson]:
    """The lessons of a critique: its FAIL items; where it gives no verdicts at all, the faults that it lists."""
    if verdicts:
        failed = dict.fromkeys((verdict.principle, verdict.evidence) for verdict in verdicts if not verdict.passed)
        texts = [(name, evidence or _mention(critique, name)) for name, evidence in islice(failed, _MOST_TEXTS)]
    else:
        texts = [("", text) for text in islice(dict.fromkeys(_faults(critique)), _MOST_TEXTS)]
    made = (make_lesson(text, principle=name, title=title, source=source) for name, text in texts)
    return merge_similar(lesson for lesson in made if lesson is not None)[:MOST_LESSONS]


def find_paths(text: str) -> list[str]:
    """The paths that a text names; an address on the network is none."""
    return list(dict.fromkeys(match[0].removeprefix("./") for match in _PATH.finditer(_URL.sub(" ", text))))


def merge_similar(lessons: Iterable[Lesson]) -> list[Lesson]:
    """The lessons without repetitions: what says nearly the same about one principle is said once."""
    kept: list[Lesson] = []
    for lesson in lessons:
        if find_similar(lesson, kept) is None:
            kept.append(lesson)
    return kept


def find_similar(lesson: Lesson, others: Iterable[Lesson]) -> Lesson | None:
    """The one among others that says the same: the most alike, by id where several are."""
    terms = terms_of(lesson.text)
    close = []
    for other in others:
        if lesson.principle and other.principle and lesson.principle != other.principle:
            continue
        together = terms | terms_of(other.text)
        shared = len(terms & terms_of(other.text)) / len(together) if together else float(lesson.text == other.text)
        likeness = 2.0 if lesson.id == other.id else shared
        close += [(-likeness, other.id, other)] if likeness >= _SIMILAR else []
    return min(close, key=lambda one: one[:2])[2] if close else None


def _mention(critique: str, principle: str) -> str:
    """The line of a critique that names a principle, for a verdict that gives no evidence."""
    named = re.compile(rf"(?<!\w){re.escape(principle)}(?!\w).*", re.I)
    match = named.search(_FENCE.sub("", critique)) if principle else None
    return match[0].strip(" |*_") if match else ""


def _faults(critique: str) -> list[str]:
    """The items of an open critique that find a fault; all of them where the words do not tell."""
    items = [match["text"] for match in _ITEM.finditer(_FENCE.sub("", critique))]
    items = [item for item in items if not _PRAISE.search(item) and len(item) > 3]
    return [item for item in items if _FAULT.search(item)] or items


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
