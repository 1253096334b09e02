"""What a planning does to the lessons that were there."""

from hypothesis import given
from hypothesis import strategies as st

from planrail.memory.lessons import (
    MOST_PATIENCE,
    PATIENCE,
    Lesson,
    LessonVerdict,
    find_paths,
    learn,
    lessons_of,
    make_lesson,
    note_shown,
)


def _lesson(text: str, principle: str = "P2", title: str = "Add login") -> Lesson:
    made = make_lesson(text, principle=principle, title=title)
    assert made is not None
    return made


def _plan_on(lessons: list[Lesson], now: int, *new: Lesson) -> list[Lesson]:
    """One planning that was shown everything, and found what is new."""
    return learn(note_shown(lessons, {lesson.id for lesson in lessons}, now=now), new, now=now)


def test_the_failed_items_of_a_critique_are_lessons() -> None:
    verdicts = [
        LessonVerdict("P2", passed=False, evidence="Step 3 names no file; see src/auth/login.py:12"),
        LessonVerdict("P6", passed=True, evidence="make test"),
    ]
    (lesson,) = lessons_of("whatever", verdicts, title="Add login", source="critique")
    assert (lesson.principle, lesson.title, lesson.source) == ("P2", "Add login", "critique")
    assert lesson.paths == ("src/auth/login.py",)


def test_a_critique_that_passes_everything_teaches_nothing() -> None:
    verdicts = [LessonVerdict("P2", passed=True, evidence="fine")]
    assert lessons_of("1. P2 PASS: fine\n2. missing tests", verdicts, title="t") == []


def test_a_verdict_without_evidence_takes_its_line_of_the_critique() -> None:
    text = "Some words.\n- **P4 error paths: FAIL** the timeout is not handled\n"
    (lesson,) = lessons_of(text, [LessonVerdict("P4", passed=False, evidence="")], title="t")
    assert "the timeout is not handled" in lesson.text


def test_an_open_critique_gives_the_faults_that_it_lists() -> None:
    text = "I looked.\n\n1. Weakness: no rollback\n2) The db lock is missing\n3. Naming passes\n```\n- broken\n```\n"
    assert [lesson.text for lesson in lessons_of(text, [], title="t")] == [
        "Weakness: no rollback",
        "The db lock is missing",
    ]


def test_a_secret_in_the_evidence_is_not_kept() -> None:
    token = "ghp_" + "a1B2" * 9
    (lesson,) = lessons_of(
        "", [LessonVerdict("P4", passed=False, evidence=f"the step prints {token}")], title=f"use {token}"
    )
    assert token not in lesson.text + lesson.title


def test_an_address_is_no_path() -> None:
    text = "see https://example.org/a/b.py, `lib/b.py`, x.md, ./a/b/c, lib/b.py:7, 1/2 and/or e.g. v1.2"
    assert find_paths(text) == ["lib/b.py", "x.md", "a/b/c"]


def test_a_lesson_that_fails_again_is_strengthened() -> None:
    lessons = learn([], [_lesson("Step 3 names no file")], now=1)
    (again,) = learn(lessons, [_lesson("step 3 names NO file!", title="Add logout")], now=2)
    assert (again.times, again.planned, again.last, again.shown) == (2, 1, 2, 0)
    assert again.id == lessons[0].id
    assert again.title == "Add logout"


def test_the_same_words_under_another_principle_are_another_lesson() -> None:
    assert len(learn([], [_lesson("it is vague", "P9"), _lesson("it is vague", "P10")], now=1)) == 2


def test_a_lesson_that_is_shown_for_nothing_is_dropped_and_failing_again_lengthens_the_patience() -> None:
    lessons = learn([], [_lesson("Step 3 names no file")], now=1)
    for now in range(2, 2 + PATIENCE - 1):
        lessons = _plan_on(lessons, now)
        assert len(lessons) == 1
    assert _plan_on(lessons, 9) == []
    lessons = _plan_on(lessons, 9, _lesson("Step 3 names no file"))
    for now in range(10, 10 + 2 * PATIENCE - 1):
        lessons = _plan_on(lessons, now)
    assert [lesson.shown for lesson in lessons] == [2 * PATIENCE - 1]
    assert _plan_on(lessons, 40) == []


def test_nothing_is_kept_for_ever_however_often_it_failed() -> None:
    lessons: list[Lesson] = []
    for now in range(1, 40):
        lessons = learn(lessons, [_lesson("Step 3 names no file")], now=now)
    for now in range(40, 40 + MOST_PATIENCE):
        lessons = _plan_on(lessons, now)
    assert lessons == []


def test_a_lesson_whose_principle_fails_in_other_words_does_not_fade() -> None:
    lessons = learn([], [_lesson("Step 3 names no file")], now=1)
    for now in range(2, 12):
        lessons = _plan_on(lessons, now, _lesson(f"a quite different matter number {now * 37}"))
    assert "Step 3 names no file" in [lesson.text for lesson in lessons]


def test_a_lesson_that_is_not_shown_or_not_judged_does_not_fade() -> None:
    lessons = learn([], [_lesson("Step 3 names no file")], now=1)
    for now in range(2, 30):
        lessons = learn(lessons, [], now=now)
    assert [lesson.shown for lesson in lessons] == [0]
    lessons = note_shown(lessons, {lessons[0].id}, now=31)
    assert [lesson.shown for lesson in learn(lessons, [], now=32)] == [0]


_WORDS = ["server", "config", "lock", "race", "db", "ci", "retry", "path", "login", "test", "migration", "cache"]
_texts = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=6).map(" ".join)
_news = st.lists(st.builds(_lesson, _texts, st.sampled_from(["P1", "P2", ""]), _texts), max_size=8)


@given(st.lists(_news, max_size=5), _news)
def test_learning_the_same_planning_twice_changes_nothing(before: list[list[Lesson]], new: list[Lesson]) -> None:
    lessons: list[Lesson] = []
    for now, found in enumerate(before, 1):
        lessons = _plan_on(lessons, now, *found)
        assert len({lesson.id for lesson in lessons}) == len(lessons)
        for lesson in lessons:
            assert 1 <= lesson.times <= now
            assert 1 <= lesson.planned <= lesson.last <= now
    now = len(before) + 1
    once = _plan_on(lessons, now, *new)
    assert learn(once, new, now=now) == once


@given(st.text(max_size=2_000), st.text(max_size=300))
def test_whatever_an_agent_writes_becomes_one_short_line(text: str, title: str) -> None:
    made = make_lesson(text, title=title)
    if made is not None:
        assert 0 < len(made.text) <= 400
        assert len(made.title) <= 120
        assert len(f"{made.text}\n{made.title}".splitlines()) <= 2
        assert f"{made.text}{made.title}".isprintable()
