"""Only a whole and grounded yes of a verifier passes; how it is set says nothing."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.records import replace
from planrail.base.run_model import CheckOrder, CheckRun, Evidence, Finding, PhaseOrder, Verdict
from planrail.plans.execution.executions import order_phases
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource
from planrail.runs.verdicts.judging import (
    VerdictFacts,
    cited_in,
    count_unread,
    drift_text,
    judge_verdict,
    takes_back,
    verdict_by_checks,
)
from planrail.runs.verdicts.reading import CitationContext, parts_of, verdict_schema
from tests.support.tables import read_table

CHECK = CheckOrder("make test", 9, "block")
PHASE = PhaseOrder(
    "4b",
    "Sums",
    "## Phase 4b\n- [ ] Add `sum()` to src/sum.py\n- [ ] Document it\n\n### Acceptance\n- `make test` passes\n",
    ("Add `sum()` to src/sum.py", "Document it"),
    ("`make test` passes",),
    (CHECK,),
    (),
    proofs=((("make test", ""),),),
)
GROUND = CitationContext(
    {"src/sum.py": 40, "README.md": 90, "src/other.py": 12}, ("src/sum.py", "README.md"), ("make test",)
)
RUN = CheckRun("make test", "block", 9, "tree", 0, 1.0, "h", "o")
EVIDENCE = Evidence("tree", (RUN,))


def answer(**changes: object) -> dict[str, object]:
    whole = {
        "items": [
            {"id": "W1", "text": "Add sum", "verdict": "done", "places": ["src/sum.py:12"], "note": "it adds"},
            {"id": "W2", "text": "Document it", "verdict": "done", "places": ["README.md:80"], "note": "a section"},
            {"id": "C1", "text": "make test", "verdict": "done", "places": ["$ make test"], "note": "exit 0"},
        ],
        "scope": [],
        "test_changes": [],
        "drift": [],
        "summary": "All there.",
    }
    return {**whole, **changes}


def judge(said: object, evidence: Evidence = EVIDENCE, phase: PhaseOrder = PHASE) -> Verdict:
    text = said if isinstance(said, str) else json.dumps(said)
    return judge_verdict(text, phase, VerdictFacts(GROUND, evidence))


def with_item(number: int, **changes: object) -> dict[str, object]:
    whole = answer()
    items = whole["items"]
    assert isinstance(items, list)
    items[number] = {**items[number], **changes}
    return whole


def test_a_whole_and_grounded_yes_passes() -> None:
    verdict = judge(answer())
    assert verdict.passed, verdict.problems
    assert [item.verdict for item in verdict.items] == ["done", "done", "done"]


@pytest.mark.parametrize(
    "said",
    ["", "   ", "yes", "{", "[]", "null", '"done"', "{}", '{"items": {}}', '{"items": ["done"]}', '{"items": []}',
     '{"items": [{}]}', "[" * 100_000, '{"verdict": "done"}', json.dumps({"items": None})],
)  # fmt: skip
def test_an_answer_that_is_not_by_the_schema_is_a_no(said: str) -> None:
    verdict = judge(said)
    assert not verdict.passed
    assert verdict.problems
    assert len(verdict.items) == 3


@pytest.mark.parametrize("changes", read_table("runs/tables/verdicts", "a yes that is none"))
def test_a_yes_that_is_none_is_a_no(changes: dict[str, object]) -> None:
    assert not judge(with_item(0, **changes)).passed


@pytest.mark.parametrize("changes", read_table("runs/tables/verdicts", "an honest yes"))
def test_how_an_honest_yes_is_set_does_not_matter(changes: dict[str, object]) -> None:
    verdict = judge(with_item(0, **changes))
    assert verdict.passed, verdict.problems


def test_a_part_without_a_verdict_and_one_that_is_judged_twice_are_a_no() -> None:
    for number in range(3):
        whole = answer()
        assert isinstance(whole["items"], list)
        item = whole["items"].pop(number)
        verdict = judge(whole)
        assert not verdict.passed
        assert verdict.items[number].verdict == "unread"
        whole["items"] += [item, item]
        assert not judge(whole).passed


def test_a_violation_of_scope_is_a_no() -> None:
    remark = {"path": "src/x.py", "text": "rewrites the parser", "violates": True}
    assert not judge(answer(scope=[remark])).passed
    assert not judge(answer(scope=[{"path": "src/x.py", "text": "?"}])).passed
    assert judge(answer(scope=[{**remark, "violates": False}])).passed


def test_a_change_of_tests_needs_the_verifiers_word() -> None:
    waiting = Finding("reasoned:test_removed", "the test is gone (the reason given: x)", "tests/test_a.py:3", False)
    evidence = replace(EVIDENCE, findings=(waiting,))
    yes = {"path": "./tests/test_a.py", "accepted": True, "reason": "the format is gone, as the plan says"}
    assert judge(answer(test_changes=[yes]), evidence).passed
    assert not judge(answer(), evidence).passed
    assert not judge(answer(test_changes=[{**yes, "accepted": False}]), evidence).passed
    assert not judge(answer(test_changes=[{**yes, "accepted": "yes"}]), evidence).passed
    assert not judge(answer(test_changes=[{**yes, "reason": ""}]), evidence).passed
    assert not judge(answer(test_changes=[{**yes, "path": "tests/test_b.py"}]), evidence).passed


@pytest.mark.parametrize(("note", "item", "word"), read_table("runs/tables/verdicts", "words that take it back"))
def test_a_word_that_takes_the_yes_back_is_heard_unless_it_is_turned_round(note: str, item: str, word: str) -> None:
    assert takes_back(note, item) == word


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(["items", "id", "verdict", "places", "note", "text", "scope", "test_changes", "drift"]), inner, max_size=5
    ),
    max_leaves=20,
)  # fmt: skip


@given(JSON)
def test_no_answer_breaks_the_judge_and_none_by_chance_passes(said: object) -> None:
    verdict = judge(json.dumps(said))
    assert not verdict.passed
    assert verdict.problems
    drift_text(json.dumps(said))
    cited_in(json.dumps(said))


def test_the_schema_has_a_place_for_every_part_and_leaves_no_field_open() -> None:
    schema = json.loads(verdict_schema(PHASE))
    assert schema["properties"]["items"]["items"]["properties"]["id"]["enum"] == ["W1", "W2", "C1"]

    def walk(part: object) -> None:
        if isinstance(part, dict):
            if part.get("type") == "object":
                assert part["additionalProperties"] is False
                assert part["required"] == list(part["properties"])
            for inner in part.values():
                walk(inner)

    walk(schema)


def test_a_phase_without_items_is_judged_as_a_whole() -> None:
    bare = replace(PHASE, items=(), criteria=())
    assert [part.id for part in parts_of(bare)] == ["P1"]
    said = {"items": [{"id": "P1", "text": "", "verdict": "done", "places": ["src/sum.py:1"], "note": ""}]}
    assert judge(said, phase=bare).passed


def test_drift_and_places_are_found_in_an_answer() -> None:
    token = "PLAN-TEXT-DRIFT: phase=4b bullet=1 field=lines plan=100 actual=90"
    assert drift_text(json.dumps(answer(drift=[token]))) == token
    assert cited_in(json.dumps(answer())) == ("src/sum.py:12", "README.md:80", "$ make test")


# ---- where the checks are the verdict ----


def test_checks_that_all_succeed_on_the_tree_are_a_verdict() -> None:
    verdict = verdict_by_checks(PHASE, EVIDENCE)
    assert verdict.passed
    assert verdict.by == "checks"
    assert {(item.verdict, item.place) for item in verdict.items} == {("done", "$ make test")}
    assert count_unread(verdict) == 0
    bare = verdict_by_checks(replace(PHASE, checks=()), Evidence("tree", (replace(RUN, origin="tests"),)))
    assert not bare.passed, "a phase without checks of its own is refused"


@pytest.mark.parametrize(
    "evidence",
    [
        Evidence("tree", ()),
        Evidence("tree", (replace(RUN, exit=1),)),
        Evidence("tree", (replace(RUN, tree="another"),)),
        Evidence("tree", (replace(RUN, command="true"),)),
        Evidence("tree", (replace(RUN, origin="tests"),)),
        Evidence("tree", (RUN,), (Finding("proves_nothing", "x"),)),
        Evidence("tree", (RUN,), (Finding("reasoned:test_removed", "x", "t.py", False),)),
    ],
)
def test_everything_less_is_none(evidence: Evidence) -> None:
    verdict = verdict_by_checks(PHASE, evidence)
    assert not verdict.passed
    assert verdict.problems


CRITERIA = """# P

## Phase 1: A

- [ ] write a.txt

### Acceptance Criteria

- [ ] `make test` passes
- [ ] `make test` prints 3
- [ ] The text in a.txt is a poem about the sea
- [ ] The list is whole

  ```sh check
  test -s a.txt
  ```
"""


def test_a_criterion_is_judged_by_its_own_checks_alone() -> None:
    """The phase is proven by its checks; a criterion that none of them is about is read by nobody, and that is said."""
    phase = order_phases(read(PlanSource("plan.md", CRITERIA)), CRITERIA)[0]
    ran = [replace(RUN, command=check.command, origin=check.origin) for check in phase.checks]
    verdict = verdict_by_checks(phase, Evidence("tree", tuple(ran)))
    assert verdict.passed
    assert [(item.verdict, item.place) for item in verdict.items] == [
        ("done", "$ make test\n$ test -s a.txt"),
        ("done", "$ make test"),
        ("unread", ""),
        ("unread", ""),
        ("done", "$ test -s a.txt"),
    ]
    notes = [item.note for item in verdict.items]
    assert "nobody judged it alone" in notes[0]
    assert "`make test` was not run, because its words ask" in notes[2]
    assert "nobody has read it" in notes[3]
    assert count_unread(verdict) == 2


@pytest.mark.parametrize(("code", "verdict"), [(0, "unread"), (1, "failed")])
def test_a_work_item_whose_own_check_was_not_run_is_judged_by_nobody(code: int, verdict: str) -> None:
    phase = replace(PHASE, items=("`make docs` writes a page",), unrun=(("make docs", "its words ask for more"),))
    item = verdict_by_checks(phase, Evidence("tree", (replace(RUN, exit=code),))).items[0]
    assert (item.verdict, "its words ask for more" in item.note) == (verdict, verdict == "unread")
