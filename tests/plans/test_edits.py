"""Changing a status: one splice, and not one other byte."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from planrail.base.errors import PlanrailError
from planrail.plans.editing.edits import change_plan_status, change_status
from planrail.plans.editing.spellings import read_spelling, spell
from planrail.plans.reading import read
from planrail.plans.states import PlanStatus, State
from planrail.plans.text.source import PlanSource
from planrail.plans.words.words import BOXES, GLYPHS, STATUS
from tests.plans.cases import FIXTURES, sound_documents
from tests.plans.efforts import each_effort, search
from tests.plans.generated_plans import json_plans, known_texts, markdown_plans
from tests.plans.turning import turn

_SETTABLE = [state for state in State if state is not State.UNKNOWN]


def _turn_all(source: PlanSource, *, phases: int = 100, states: Sequence[State] = _SETTABLE) -> int:
    """Turn the first and last phases of a plan to each state and back; how often that worked."""
    plan = read(source)
    chosen = plan.phases if len(plan.phases) <= phases else [*plan.phases[: phases - 1], plan.phases[-1]]
    asked = [(phase, state) for phase in chosen for state in states if phase.status is not state]
    return sum(turn(source, plan, phase, state) for phase, state in asked)


@pytest.mark.parametrize("document", sound_documents(), ids=lambda path: path.relative_to(FIXTURES).as_posix())
def test_every_phase_of_every_case_can_be_turned_and_turned_back(document: Path) -> None:
    source = PlanSource(str(document), document.read_bytes().decode())
    turned = _turn_all(source)
    has_place = [phase for phase in read(source).phases if phase.claim or phase.sections]
    assert turned or not has_place


@pytest.mark.full
@each_effort
def test_every_phase_of_a_generated_plan_can_be_turned_and_turned_back(effort: str) -> None:
    search(effort, markdown_plans(), lambda text: _turn_twice(PlanSource("plan.md", text)))
    search(effort, json_plans(), lambda text: _turn_twice(PlanSource("plan.json", text)))


def _turn_twice(source: PlanSource) -> None:
    _turn_all(source, phases=2, states=[State.DONE, State.IN_PROGRESS, State.SKIPPED])


@pytest.mark.full
def test_the_first_and_last_phases_of_other_peoples_plans_can_be_turned_and_turned_back(shared: Path) -> None:
    for name, text in known_texts():
        if len(text) < 40_000:
            _turn_all(PlanSource(name, text), phases=2, states=[State.DONE, State.TODO])


@pytest.mark.soak
def test_every_phase_of_other_peoples_plans_can_be_turned_to_every_state_and_back(shared: Path) -> None:
    turned = sum(_turn_all(PlanSource(name, text)) for name, text in known_texts())
    assert turned > 1000


@pytest.mark.parametrize(
    ("before", "phase", "state", "after"),
    [
        ("| Phase | Status |\n|-|-|\n| 1 | ⬚ |\n", "1", "done", "| Phase | Status |\n|-|-|\n| 1 | ✅ |\n"),
        ("| Phase | Status |\n|-|-|\n| 1 |  |\n", "1", "done", None),
        (
            "| Phase | Status |\n|-|-|\n| 1 a \\| b | ⬚ |\n",
            "1",
            "done",
            "| Phase | Status |\n|-|-|\n| 1 a \\| b | ✅ |\n",
        ),
        ("## Phase 2: Fix [foo] [NOT STARTED]\n", "2", "done", "## Phase 2: Fix [foo] [COMPLETED]\n"),
        ("## Phase 2: A [NOT STARTED] [MANUAL]\n", "2", "done", "## Phase 2: A [COMPLETED] [MANUAL]\n"),
        ("## Phase 1: A ✅\n## Phase 2: B\n", "2", "done", "## Phase 1: A ✅\n## Phase 2: B ✅\n"),
        ("## Phase 2: A\n**Status:** todo\n", "2", "done", "## Phase 2: A\n**Status:** done\n"),
        ("- [ ] a\n- [X] b\n", "1", "done", "- [X] a\n- [X] b\n"),
        ('{"tasks": [{"id": 1, "status": "pending"}]}', "1", "done", '{"tasks": [{"id": 1, "status": "done"}]}'),
        ('[{"id": "a", "passes": false}]', "a", "done", '[{"id": "a", "passes": true}]'),
    ],
)
def test_a_status_is_spelled_as_the_document_spells_it(before: str, phase: str, state: str, after: str | None) -> None:
    source = PlanSource("plan.json" if before[0] in "[{" else "plan.md", before)
    plan = read(source)
    found = plan.phase(phase)
    assert found is not None
    changed = change_status(source, plan, found, State(state)).apply(before)
    assert after is None or changed == after
    turned = read(PlanSource(source.path, changed)).phase(phase)
    assert turned is not None
    assert turned.status == state


@pytest.mark.parametrize(
    ("text", "name", "phase", "state"),
    [
        ('{"tasks": [{"id": 1, "status": "pending"}]}', "tasks.json", "1", State.PARTIAL),
        ('[{"id": 1, "passes": false}]', "prd.json", "1", State.BLOCKED),
        ("development_status:\n  1-1-a: done\n", "sprint-status.yaml", "1-1-a", State.PARTIAL),
        ("## Phase 1: A\n", "plan.md", "1", State.UNKNOWN),
    ],
)
def test_what_the_document_has_no_mark_for_is_refused(text: str, name: str, phase: str, state: State) -> None:
    source = PlanSource(name, text)
    plan = read(source)
    found = plan.phase(phase)
    assert found is not None
    with pytest.raises(PlanrailError) as refusal:
        change_status(source, plan, found, state)
    assert "nothing was written" in refusal.value.message
    assert refusal.value.remedy


@pytest.mark.parametrize(
    ("name", "text", "remembered"),
    [
        ("tasks.yaml", "tasks:\n- id: 1\n  status:\n- id: 2\n  status: pending\n", None),
        ("tasks.yaml", "tasks:\n- status: |\n    pending\n  id: 1\n", None),
        ("sprint-status.yaml", "development_status:\n  1-1-a: # later\n  1-2-b: done\n", None),
        ("tasks.json", '{"tasks": [{"id": 1, "status": "pending"}]}', '"'),
    ],
)
def test_an_edit_that_would_not_parse_is_no_fault_of_the_file(name: str, text: str, remembered: str | None) -> None:
    source = PlanSource(name, text)
    plan = read(source)
    refusals = [PlanrailError("nothing was written")]
    changed = text
    try:
        changed = change_status(source, plan, plan.phases[0], State.DONE, remembered).apply(text)
    except PlanrailError as refusal:
        refusals = [refusal]
    assert refusals[0].exit_code == 1
    assert changed == text or read(PlanSource(name, changed)).phases[0].status is State.DONE


def test_a_boolean_of_yaml_stays_one_in_any_spelling() -> None:
    source = PlanSource("tasks.yaml", "- {id: 1, done: True}\n")
    plan = read(source)
    assert change_status(source, plan, plan.phases[0], State.TODO).new.lower() == "false"


def test_a_memory_that_no_longer_says_what_is_asked_for_is_not_used() -> None:
    source = PlanSource("plan.md", "| Phase | Status |\n|-|-|\n| 1 | ✅ |\n| 2 | ⏳ Pending |\n")
    plan = read(source)
    assert change_status(source, plan, plan.phases[0], State.TODO, "shipped").new == "⏳ Pending"
    assert change_status(source, plan, plan.phases[0], State.TODO, "🟢 Planned").new == "🟢 Planned"


def _writes(name: str, text: str, remembered: str) -> bool:
    source = PlanSource(name, text)
    plan = read(source)
    return change_status(source, plan, plan.phases[0], State.TODO, remembered).new == remembered


def test_a_memory_that_would_break_the_document_or_is_no_mark_is_not_used() -> None:
    table = "| Phase | Status | Notes |\n|-|-|-|\n| 1 | ✅ | n |\n| 2 | ⬚ | n |\n"
    tasks = '{"tasks": [{"id": 1, "status": "done"}, {"id": 2, "status": "pending"}]}'
    for remembered in ("a | b", "x |\n| 9 | y", "\n## Phase 9: Z", "]", "```\n"):
        assert not _writes("plan.md", table, remembered)
        assert not _writes("plan.json", tasks, remembered)
    for remembered in ("a | b", "<!--", "TBD soon"):
        assert not _writes("plan.md", "## Phase 1: A [COMPLETED]\n\n## Phase 2: B [NOT STARTED]\n", remembered)


@pytest.mark.parametrize(
    ("name", "text", "at", "state"),
    [
        ("plan.md", "## Phase 1: A (done)\n\n## Phase 2: B [NOT STARTED]\n- [x] b\n", 1, State.DONE),
        ("plan.md", "## Phase 1: A — DONE\n\n## Phase 2: B [NOT STARTED]\n- [x] b\n", 1, State.DONE),
        ("tasks.md", "- [ ] 1. a\n  - [ ] 1.1 b\n- [ ] 2. c\n", 0, State.SKIPPED),
    ],
)
def test_a_mark_that_the_reader_would_not_see_is_not_written(name: str, text: str, at: int, state: State) -> None:
    source = PlanSource(name, text)
    plan = read(source)
    turn(source, plan, plan.phases[at], state)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# T\n", "---\nstatus: complete\n---\n\n# T\n"),
        ("---\ntitle: T\n---\n# T\n", "---\nstatus: complete\ntitle: T\n---\n# T\n"),
        ('---\nstatus: "active"\n---\n# T\n', '---\nstatus: "complete"\n---\n# T\n'),
        ("\ufeff---\r\ntitle: T\r\n---\r\n", "\ufeff---\r\nstatus: complete\r\ntitle: T\r\n---\r\n"),
        ("# T\n\n**Status:** [IN PROGRESS]\n", "# T\n\n**Status:** [COMPLETED]\n"),
        ("# T\n\nStatus: In progress\n", None),
    ],
)
def test_the_status_of_the_plan_is_changed_where_it_stands_or_put_into_the_front_matter(
    before: str, after: str | None
) -> None:
    text = before + "\n## Phase 1: A ✅\n"
    source = PlanSource("plan.md", text)
    changed = change_plan_status(source, read(source), PlanStatus.COMPLETE).apply(text)
    if after is not None:
        assert changed == after + "\n## Phase 1: A ✅\n"
    assert read(PlanSource("plan.md", changed)).route == "complete"


_SHOUTED = [word for word in STATUS if word.upper().lower() == word]  # Turkish has two letters for one capital
_TRIES = [
    *((word, state) for word, state in STATUS.items()),
    *((word.upper(), STATUS[word]) for word in _SHOUTED),
    *((f"[{word.upper()}]", STATUS[word]) for word in _SHOUTED if len(word) > 2),
    *((glyph, state) for glyph, state in GLYPHS.items()),
    *((f"[{mark}]", state) for mark, state in BOXES.items() if mark),
    *((str(state.value), state) for state in State),
]


def test_a_state_can_be_named_in_every_way_that_planrail_reads_and_writes() -> None:
    for text, state in _TRIES:
        assert read_spelling(text) is state, text
    for text in ("", "  ", "banana", "[]x", "done-ish?", "2"):
        assert read_spelling(text) is None
    for old in ("[NOT STARTED]", "Not started", "todo", "⬚", "✅ Done", "[ ]", "[x]", "🟡 Partial"):
        for state in _SETTABLE:
            for written in spell(state, old, {}):
                assert read_spelling(written) is state or written == "🟡"  # one sign for begun and for partial
