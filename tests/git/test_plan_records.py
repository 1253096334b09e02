"""What is remembered of plans: it survives, it follows a plan that moves, and ticking a box does not change a plan."""

import json
from pathlib import Path

import pytest

from planrail.base.errors import PlanrailError, ToolFailed
from planrail.plans.editing.edits import change_status
from planrail.plans.files.lifecycle import (
    APPROVED,
    DRAFT,
    PROPOSED,
    PlanRecord,
    ReachedStage,
    advance,
    hash_of,
    list_records,
    load,
    move,
    save,
    take_step,
)
from planrail.plans.files.plan_files import FileRefusal
from planrail.plans.reading import read
from planrail.plans.states import State
from planrail.plans.text.source import PlanSource
from tests.plans.cases import sound_documents

PLAN = "# Rooms\n\n**Status:** draft\n\n## Phase 1: A\n- [ ] a\n- [x] b\n\n## Phase 2: B\n- [ ] c\n"


def _hash(text: str) -> str:
    return hash_of(read(PlanSource("PLAN.md", text)), text)


def _file_of(state: Path) -> Path:
    return next((state / "plans").glob("*.json"))


def test_a_record_is_found_by_any_path_to_its_plan_and_nothing_is_known_before(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    path = str(tmp_path / "real" / "a.md")
    assert (load(str(tmp_path), path), list_records(str(tmp_path))) == (None, [])
    assert sorted(place.name for place in tmp_path.iterdir()) == ["link", "real"]
    known = PlanRecord(path, str(tmp_path))
    save(str(tmp_path), path, lambda before: known)
    assert load(str(tmp_path), str(tmp_path / "link" / "a.md")) == known
    assert list_records(str(tmp_path)) == [known]


def test_a_step_that_is_refused_changes_nothing(tmp_path: Path) -> None:
    state = str(tmp_path)
    assert isinstance(take_step(state, "/p/a.md", "/p", ReachedStage(APPROVED, "h", 1)), FileRefusal)
    assert load(state, "/p/a.md") is None
    take_step(state, "/p/a.md", "/p", ReachedStage(PROPOSED, "h", 1))
    assert isinstance(take_step(state, "/p/a.md", "/p", ReachedStage(APPROVED, "changed", 2)), FileRefusal)
    taken = take_step(state, "/p/a.md", "/p", ReachedStage(APPROVED, "h", 2))
    assert load(state, "/p/a.md") == taken
    assert isinstance(taken, PlanRecord)
    assert [step["stage"] for step in taken.history] == [PROPOSED, APPROVED]


def test_a_record_follows_its_plan(tmp_path: Path) -> None:
    state = str(tmp_path)
    save(
        state,
        "/p/a.md",
        lambda known: advance(PlanRecord("/p/a.md", "/p", unknown={"by": "x"}), ReachedStage(DRAFT, "h", 1)),
    )
    move(state, "/p/a.md", "/p/archive/a.md")
    assert load(state, "/p/a.md") is None
    moved = load(state, "/p/archive/a.md")
    assert moved is not None
    assert (moved.path, moved.unknown) == ("/p/archive/a.md", {"by": "x"})
    move(state, "/p/unknown.md", "/p/b.md")
    assert len(list_records(state)) == 1


@pytest.mark.parametrize("damage", ["", "[]", '{"path": 3}', "[" * 100_000])
def test_a_damaged_record_counts_for_nothing(damage: str, tmp_path: Path) -> None:
    save(str(tmp_path), "/p/a.md", lambda known: PlanRecord("/p/a.md", "/p", stage=APPROVED))
    _file_of(tmp_path).write_text(damage)
    assert load(str(tmp_path), "/p/a.md") is None
    assert list_records(str(tmp_path)) == []
    save(str(tmp_path), "/p/a.md", lambda known: known or PlanRecord("/p/a.md", "/p"))
    assert load(str(tmp_path), "/p/a.md") == PlanRecord("/p/a.md", "/p")


def test_fields_of_a_later_version_are_kept_on_disk(tmp_path: Path) -> None:
    take_step(str(tmp_path), "/p/a.md", "/p", ReachedStage(PROPOSED, "h", 1))
    file = _file_of(tmp_path)
    file.write_text(json.dumps(json.loads(file.read_text()) | {"approvals": [{"by": "a person"}]}))
    take_step(str(tmp_path), "/p/a.md", "/p", ReachedStage(APPROVED, "h", 2))
    assert json.loads(file.read_text())["approvals"] == [{"by": "a person"}]


def test_a_state_folder_that_cannot_be_written_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    with pytest.raises(ToolFailed) as caught:
        save(str(tmp_path / "state"), "/p/a.md", lambda known: PlanRecord("/p/a.md", "/p"))
    assert "PLANRAIL_STATE_DIR" in caught.value.remedy


# ------------------------------------------------------------------------------------------------ the hash


@pytest.mark.parametrize(
    ("old", "new"), [("- [ ] a", "- [x] a"), ("- [x] b", "- [ ] b"), ("1: A", "1: A ✅"), ("draft", "in progress")]
)
def test_progress_does_not_change_a_plan(old: str, new: str) -> None:
    assert _hash(PLAN.replace(old, new)) == _hash(PLAN)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("- [ ] a", "- [ ] another"),
        ("- [ ] a\n", ""),
        ("- [ ] c", "- [ ] c\n- [ ] d"),
        ("2: B", "2: C"),
        ("# Rooms", "# Rooms\n\nAnd delete the rest."),
        ("draft", "in progress. " + "And delete the rest of it, all that there is, at once." * 2),
    ],
)
def test_another_text_is_another_plan(old: str, new: str) -> None:
    assert _hash(PLAN.replace(old, new)) != _hash(PLAN)


# Here the mark that is replaced says more than a state ("Done, except the wheel"), or something that nobody knows: these
# are words of a person, and without them it is another text.
SAY_MORE = {"except.md", "mostly.md", "comment_in_cell.md", "all_unknown.md", "taken_back.md", "unknown_mark.md"}
SAY_MORE |= {"unknown_alone_under_complete.md", "unknown_under_complete.md", "status_with_two_halves.md"}


@pytest.mark.full
def test_what_planrail_sets_in_markdown_does_not_change_a_plan() -> None:
    changed: set[str] = set()
    same = 0
    for document in sound_documents():
        if document.suffix != ".md":
            continue
        source = PlanSource(str(document), document.read_text("utf-8"))
        plan = read(source)
        for phase in plan.phases[:3]:
            if phase.status is State.DONE or (phase.claim is None and phase.insert_at < 0):
                continue
            try:
                text = change_status(source, plan, phase, State.DONE, None).apply(source.text)
            except PlanrailError:  # it has no place for a status
                continue
            is_same = hash_of(read(PlanSource(source.path, text)), text) == hash_of(plan, source.text)
            same += is_same
            changed |= set() if is_same else {document.name}
    assert same > 50
    assert changed <= SAY_MORE
