"""The life of a plan: a closed table of moves, and a stage that holds only for the text that it was reached with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from planrail.base.records import replace
from planrail.plans.files.lifecycle import (
    APPROVED,
    ARCHIVED,
    COMPLETE,
    DRAFT,
    MOVES,
    PROPOSED,
    RUNNING,
    STAGES,
    PlanRecord,
    ReachedStage,
    Situation,
    advance,
    decide_move,
    decide_restored,
    decide_stage,
    decide_step,
    from_json,
    has_changed,
    to_json,
)
from planrail.plans.files.plan_files import FileRefusal

stages = st.sampled_from(STAGES)


def _at(stage: str, text_hash: str = "h") -> PlanRecord:
    return advance(PlanRecord("/p/a.md", "/p"), ReachedStage(stage, text_hash, 1))


# ------------------------------------------------------------------------------------------------ the stage


@pytest.mark.parametrize(
    ("known", "now", "stage"),
    [
        (None, Situation("h"), DRAFT),
        (_at(APPROVED), Situation("h"), APPROVED),
        (_at(RUNNING), Situation("h"), APPROVED),
        (_at(APPROVED), Situation("h", session_stage=APPROVED), RUNNING),
        (None, Situation("h", session_stage=PROPOSED, is_planning=True), PROPOSED),
        (None, Situation("h", session_stage=APPROVED, is_planning=True), APPROVED),
        (_at(APPROVED), Situation("h", session_stage=DRAFT, is_planning=True), DRAFT),
        (_at(RUNNING), Situation("other", session_stage=APPROVED, is_complete=True), COMPLETE),
        (_at(APPROVED), Situation("h", is_complete=True, is_archived=True), ARCHIVED),
        (_at(ARCHIVED), Situation("h"), DRAFT),
        (advance(_at(APPROVED), ReachedStage(ARCHIVED, "h", 2)), Situation("h"), APPROVED),
    ],
)
def test_the_stage_follows_from_place_document_session_and_record(
    known: PlanRecord | None, now: Situation, stage: str
) -> None:
    assert decide_stage(known, now) == stage


@given(stages)
def test_a_text_that_changed_is_a_draft_again(stage: str) -> None:
    assert decide_stage(_at(stage), Situation("another")) == DRAFT
    assert has_changed(_at(stage), "another") == (stage != DRAFT)
    assert not has_changed(_at(stage), "h")


# ------------------------------------------------------------------------------------------------ moves


@given(stages, st.one_of(stages, st.text(max_size=8)))
def test_a_move_is_in_the_table_or_refused_with_a_reason(stage: str, to: str) -> None:
    outcome = decide_move(stage, to)
    if to in MOVES[stage]:
        assert outcome == to
    else:
        assert isinstance(outcome, FileRefusal)
        assert outcome.reason
        assert outcome.remedy or to == stage


def test_a_refused_move_says_why() -> None:
    for stage, to, reason in (
        (DRAFT, RUNNING, "approved"),
        (RUNNING, ARCHIVED, "a session is at work on it"),
        (ARCHIVED, ARCHIVED, "already"),
    ):
        outcome = decide_move(stage, to)
        assert isinstance(outcome, FileRefusal)
        assert reason in outcome.reason


@pytest.mark.parametrize(
    ("before", "after"),
    [(DRAFT, DRAFT), (PROPOSED, DRAFT), (APPROVED, APPROVED), (RUNNING, APPROVED), (COMPLETE, COMPLETE)],
)
def test_what_comes_back_from_the_archive_is_what_it_was(before: str, after: str) -> None:
    archived = advance(_at(before), ReachedStage(ARCHIVED, "h", 2))
    assert decide_restored(archived, "h") == after
    assert decide_restored(archived, "another") == DRAFT
    assert decide_restored(None, "h") == DRAFT


# ------------------------------------------------------------------------------------------------ the record


def test_the_archive_is_no_way_around_approval() -> None:
    archived = decide_step(PlanRecord("/p/a.md", "/p"), ReachedStage(ARCHIVED, "h", 1))
    assert isinstance(archived, PlanRecord)
    assert isinstance(decide_step(archived, ReachedStage(APPROVED, "h", 2)), FileRefusal)
    changed = decide_step(_at(APPROVED, "old"), ReachedStage(ARCHIVED, "new", 2))
    assert isinstance(changed, PlanRecord)
    assert isinstance(decide_step(changed, ReachedStage(APPROVED, "new", 3)), FileRefusal)
    assert isinstance(decide_step(changed, ReachedStage(DRAFT, "new", 3)), PlanRecord)


@given(st.dictionaries(st.text(max_size=5).map("x".__add__), st.integers()), stages)
def test_a_record_is_read_as_it_was_written_with_fields_of_a_later_version(
    unknown: dict[str, object], stage: str
) -> None:
    known = advance(PlanRecord("/p/a.md", "/p", unknown=unknown), ReachedStage(stage, "h", 3, "s", "claude"))
    assert from_json(to_json(known)) == known
    assert from_json(to_json(replace(known, path="/p/b.md"))).unknown == unknown


@pytest.mark.parametrize(
    "value",
    [None, [], {}, {"path": ""}, {"path": 1}, {"path": "/a", "stage": "finished"}, {"path": "/a", "at": "now"}],
)
def test_what_is_no_record_is_not_read_as_one(value: object) -> None:
    with pytest.raises(ValueError, match="record of a plan"):
        from_json(value)


class AnyLife(RuleBasedStateMachine):
    """Anybody asks for any step with any text; a plain model says what must hold."""

    def __init__(self) -> None:
        super().__init__()
        self.known = PlanRecord("/p/a.md", "/p")
        self.proposed: str | None = None
        self.approved: set[str] = set()  # texts that were approved as they had been proposed

    @rule(to=stages, text=st.sampled_from(["one", "two"]))
    def ask_for(self, to: str, text: str) -> None:
        before, outcome = self.known, decide_step(self.known, ReachedStage(to, text, 0))
        if isinstance(outcome, FileRefusal):
            assert self.known == before
            return
        self.known = outcome
        if to == PROPOSED:
            self.proposed = text
        if to == APPROVED:
            assert text in ({self.proposed} | self.approved if before.stage in (ARCHIVED, RUNNING) else {self.proposed})
            self.approved.add(text)
        if to == RUNNING:
            assert before.stage == APPROVED
            assert before.hash == text
        if to == COMPLETE:
            assert before.stage in (RUNNING, ARCHIVED)
            assert text in self.approved

    @invariant()
    def history_tells_it_all(self) -> None:
        if self.known.history:
            last = self.known.history[-1]
            assert (last["stage"], last["hash"]) == (self.known.stage, self.known.hash)
        for earlier, later in zip(self.known.history, self.known.history[1:], strict=False):
            is_same = earlier["hash"] == later["hash"] or earlier["stage"] == ARCHIVED
            start = str(earlier["stage"]) if is_same else DRAFT
            assert later["stage"] in MOVES[start]

    @invariant()
    def only_a_proposed_text_counts_as_approved(self) -> None:
        for text in ("one", "two"):
            if decide_stage(self.known, Situation(text)) in (APPROVED, RUNNING, COMPLETE):
                assert text in self.approved


TestAnyLife = AnyLife.TestCase
