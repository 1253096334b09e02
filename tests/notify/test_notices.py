"""What is worth telling: by kinds of facts, and by signs of life."""

import pytest

from planrail.base.settings.tables import NOTICES
from planrail.notify.notices import TITLES, judge_fact, judge_step
from planrail.store.facts import Fact
from planrail.store.journal_lines import Life, Step

_RUN = {"run": "r1", "path": "docs/my plan.md", "title": "Ship it", "text": "phase 2: tests\x1b[31m\nfail"}


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        *(("paused", "needs_you"), ("waiting", "needs_you"), ("failed", "failed"), ("parked", "parked")),
        *(("complete", "complete"), ("phase_done", "landed")),
        *((event, None) for event in ("began", "resumed", "stopped", "declined", "yielded", "takeover", "interrupted")),
    ],
)
def test_of_a_run_is_told_what_a_person_did_not_do(event: str, kind: str | None) -> None:
    told = judge_fact(Fact(7, "run:r1/x", "run", "p", 5, {**_RUN, "event": event}))
    assert (told.kind if told else None) == kind
    if told is not None:
        assert (told.id, told.at, told.title) == ("run:r1/x", 5, f"Ship it {TITLES[told.kind]}")
        assert told.text.isprintable()
        assert told.command == "planrail status 'docs/my plan.md'"


def test_what_answers_it_is_named() -> None:
    told = judge_fact(Fact(1, "x", "run", "p", 5, {**_RUN, "event": "paused", "command": "planrail sign-off a.md"}))
    assert told is not None
    assert told.command == "planrail sign-off a.md"


def test_a_plan_that_waits_for_approval_needs_a_person() -> None:
    value = dict.fromkeys(("id", "plan", "text", "canonical", "member"), "x") | {"path": "a b.md", "title": "", "at": 3}
    told = judge_fact(Fact(1, "request-1", "request", "p", 3, value))
    assert told is not None
    assert (told.kind, told.plan, told.command) == ("needs_you", "a b.md", "planrail approve 'a b.md'")


@pytest.mark.parametrize(
    ("kind", "value"), [("phase", {"state": "failed"}), ("run", {}), ("request", {}), ("spent", {})]
)
def test_other_facts_tell_nothing(kind: str, value: dict[str, object]) -> None:
    assert judge_fact(Fact(1, "x", kind, "p", 3, value)) is None


@pytest.mark.parametrize(
    ("step", "quiet", "inside", "kind"),
    [
        ("implement", 5, 100, None),
        ("implement", 601, 700, "stuck"),
        ("checks", 5, 1801, "stuck"),
        ("sign_off", 5, 59, None),
        ("sign_off", 5, 61, "needs_you"),
        ("confirm", 9999, 9999, "needs_you"),
    ],
)
def test_a_step_that_is_silent_is_told_and_a_question_that_stays(
    step: str, quiet: float, inside: float, kind: str | None
) -> None:
    told = judge_step("r", "Ship it", "a.md", Step("2", 1, step, 1000.0, None), Life(quiet, inside, 1, 1, ()))
    assert (told.kind if told else None) == kind


def test_a_step_is_told_of_once_however_long_it_takes() -> None:
    step = Step("2", 1, "implement", 1000.0, None)
    ids = {judge_step("r", "", "a.md", step, Life(quiet, quiet, 1, 1, ())).id for quiet in (700, 800, 9000)}  # type: ignore[union-attr]
    assert len(ids) == 1


def test_the_settings_know_all_kinds() -> None:
    assert set(NOTICES) == set(TITLES)
