"""Decisions over phases: how far a plan is, what is next, what to do with it. And the cycles among dependencies."""

from itertools import pairwise

import pytest
from hypothesis import strategies as st

from planrail.base.records import replace
from planrail.plans.claims import Kind, StatusClaim, contradictions
from planrail.plans.model import Header, Phase, WorkItem
from planrail.plans.reading import read
from planrail.plans.routes import decide_next, decide_route, decide_status
from planrail.plans.states import PlanStatus, ProofKind, Route, State
from planrail.plans.text.source import PlanSource
from planrail.plans.units.dependencies import find_cycle, read_ids
from tests.plans.efforts import each_effort, search


def _phase(
    name: str, state: State, *needs: str, kind: Kind = Kind.TRACKER, items: list[WorkItem] | None = None
) -> Phase:
    claim = StatusClaim(kind, state, 1, "because")
    return Phase(name, name, "phase", state, ProofKind.CLAIMED, "because", 1, list(needs), items or [], [], claim)


def _header(state: State) -> Header:
    return Header(str(state), state, 1, 0, 4)


@pytest.mark.parametrize(
    ("states", "status", "route"),
    [
        ([], PlanStatus.UNKNOWN, Route.NONE),
        ([State.TODO, State.BLOCKED], PlanStatus.NOT_STARTED, Route.RUN),
        ([State.DONE, State.TODO], PlanStatus.IN_PROGRESS, Route.RUN),
        ([State.DONE, State.PARTIAL], PlanStatus.IN_PROGRESS, Route.RESUME),
        ([State.IN_PROGRESS, State.TODO], PlanStatus.IN_PROGRESS, Route.DEFER),
        ([State.DONE, State.SKIPPED], PlanStatus.COMPLETE, Route.FINALISE),
        ([State.DONE, State.BLOCKED], PlanStatus.IN_PROGRESS, Route.NONE),
        ([State.DONE, State.UNKNOWN], PlanStatus.IN_PROGRESS, Route.RUN),
        ([State.UNKNOWN], PlanStatus.UNKNOWN, Route.RUN),
    ],
)
def test_the_states_of_the_phases_decide_how_far_a_plan_is_and_what_to_do(
    states: list[State], status: PlanStatus, route: Route
) -> None:
    phases = [_phase(str(number), state) for number, state in enumerate(states, 1)]
    assert decide_status(phases, None) is status
    assert decide_route(phases, decide_next(phases), None, decide_status(phases, None)) is route


def test_a_plan_that_says_it_is_complete_is_complete_only_if_its_phases_are() -> None:
    finished, opened = [_phase("1", State.DONE)], [_phase("1", State.TODO)]
    assert decide_route(finished, None, _header(State.DONE), PlanStatus.COMPLETE) is Route.COMPLETE
    assert decide_status(opened, _header(State.DONE)) is PlanStatus.NOT_STARTED


@pytest.mark.parametrize(("is_marked", "status"), [(True, PlanStatus.UNKNOWN), (False, PlanStatus.COMPLETE)])
def test_the_header_is_heard_where_no_phase_has_a_mark(is_marked: bool, status: PlanStatus) -> None:
    phase = _phase("1", State.UNKNOWN)
    phases = [phase if is_marked else replace(phase, claim=None)]
    assert decide_status(phases, _header(State.DONE)) is status


@pytest.mark.parametrize(("box", "rules"), [("x", []), (" ", ["open-work"])])
def test_work_that_is_open_beside_finished_phases_is_told(box: str, rules: list[str]) -> None:
    text = f"# Plan\n\n## Phases\n- [x] Phase 1: A\n- [x] Phase 2: B\n\n## Second round\n- [x] a\n- [{box}] b\n"
    assert [problem.rule for problem in read(PlanSource("plan.md", text)).diagnostics] == rules


@pytest.mark.parametrize(
    ("under", "needs"),
    [
        ("**Depends on:** Phase 1\n", ["1"]),
        ("### Dependencies\n\n- Phase 1\n- Phase 2\n", ["1", "2"]),
        ("### Dependencies\n\nNone of phase 1.\n", []),
        ("### Dependencies\n\nNeeds Phase 2. It does not need Phase 1.\n", ["2"]),
        ("### Dependencies\n\n```\nPhase 1\n```\n", []),
        ("### Notes\n\n- Phase 1\n", []),
    ],
)
def test_a_phase_needs_what_its_section_says(under: str, needs: list[str]) -> None:
    text = f"# Plan\n\n## Phase 1: A\n\na\n\n## Phase 2: B\n\nb\n\n## Phase 3: C\n\n{under}\nc\n"
    assert read(PlanSource("plan.md", text)).phases[2].depends_on == needs


@pytest.mark.parametrize(
    ("header", "rows", "needs"),
    [
        ("Wave | Phases", ("1 | 1, 2", "2 | 3"), [[], [], ["1", "2"]]),
        ("Wave | Phases | Blocked by", ("1 | 1, 2 | -", "2 | 3 | 2"), [[], [], ["2"]]),
        ("Round | Phases", ("1 | 1, 2", "2 | 3"), [[], [], []]),
    ],
)
def test_a_table_of_waves_says_what_each_needs(header: str, rows: tuple[str, ...], needs: list[list[str]]) -> None:
    line = "|".join("---" for _ in header.split("|"))
    table = "\n".join(f"| {row} |" for row in (header, line, *rows))
    phases = "".join(f"## Phase {number}: N\n\ntext\n\n" for number in "123")
    plan = read(PlanSource("plan.md", f"# Plan\n\n{phases}## Waves\n\n{table}\n"))
    assert [phase.depends_on for phase in plan.phases] == needs


def test_what_somebody_marked_is_theirs_and_what_planrail_counted_is_not() -> None:
    for kind in Kind:
        phases = [_phase("1", State.IN_PROGRESS, kind=kind)]
        expected = Route.DEFER if kind <= Kind.COMPANION else Route.RESUME
        assert decide_route(phases, decide_next(phases), None, decide_status(phases, None)) is expected


_TODO = _phase("2", State.TODO)


@pytest.mark.parametrize(
    ("phases", "upcoming"),
    [
        ([_phase("1", State.DONE), _phase("2", State.TODO, "3"), _phase("3", State.TODO, "1")], 2),
        ([_phase("1", State.BLOCKED), _phase("2", State.TODO, "1"), _phase("3", State.TODO, "2")], 1),  # none is ready
        ([replace(_phase("1", State.TODO), urgency=(2,)), replace(_TODO, urgency=(1,))], 1),
        ([replace(_phase("1", State.IN_PROGRESS), is_offered=False), _TODO], 1),  # it waits for a review
        ([replace(_phase("1", State.SKIPPED), opens_others=False), _phase("3", State.TODO, "1"), _TODO], 2),
    ],
)
def test_the_first_open_phase_whose_needs_are_met_is_next(phases: list[Phase], upcoming: int) -> None:
    assert decide_next(phases) is phases[upcoming]


def test_the_first_open_leaf_is_the_next_item() -> None:
    items = [
        WorkItem("closed", State.DONE, 1),
        WorkItem("outer", State.TODO, 2),
        WorkItem("closed too", State.DONE, 3, 1),
        WorkItem("inner", State.TODO, 4, 1),
        WorkItem("innermost", State.TODO, 5, 2),
        WorkItem("later", State.TODO, 6),
    ]
    assert _phase("1", State.TODO, items=items).next_item == "innermost"
    assert _phase("1", State.TODO).next_item is None


@pytest.mark.parametrize(
    ("believed", "other", "is_contradiction"),
    [
        (State.DONE, State.TODO, True),
        (State.TODO, State.DONE, True),
        (State.DONE, State.IN_PROGRESS, True),
        (State.IN_PROGRESS, State.PARTIAL, False),
        (State.DONE, State.DONE, False),
        (State.DONE, State.UNKNOWN, False),
        (State.UNKNOWN, State.DONE, False),
    ],
)
def test_two_claims_contradict_each_other_if_they_cannot_both_be_true(
    believed: State, other: State, is_contradiction: bool
) -> None:
    winner, loser = StatusClaim(Kind.TRACKER, believed, 1, "a"), StatusClaim(Kind.ITEMS, other, 2, "b")
    assert contradictions(winner, [winner, loser]) == ([loser] if is_contradiction else [])


_KNOWN = {"1": "1", "2": "2", "3": "3", "3b-iii": "3b-iii", "wp01": "WP01", "p1.a": "P1.A", "3.10": "3.10"}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Phase 1", ["1"]),
        ("Phases 1-3", ["1", "2", "3"]),
        ("1, 2 and 3", ["1", "2", "3"]),
        ("Phase 1 (types), Phase 2 (store)", ["1", "2"]),
        ("Phase 3b-iii", ["3b-iii"]),
        ("Phase 3.10", ["3.10"]),
        ("None", []),
        ("none (Phase 1 runs beside it)", []),
        ("-", []),
        ("", []),
        ("needs python 2", []),
        ("Phase 99", []),
        ("Task 664 in the other tracker", []),
        ("Phase 1, Phase 1", ["1"]),
    ],
)
def test_the_ids_that_a_text_depends_on_are_found(text: str, ids: list[str]) -> None:
    assert read_ids(text, _KNOWN) == ids


_graphs = st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdefg"), max_size=3), max_size=6)


def _finds_cycles(graph: dict[str, list[str]]) -> None:
    cycle = find_cycle(graph)
    if cycle:
        assert cycle[0] == cycle[-1]
        assert all(after in graph[before] for before, after in pairwise(cycle))
    else:
        assert not any(_reaches(graph, node, node) for node in graph)


def _reaches(graph: dict[str, list[str]], start: str, goal: str) -> bool:
    seen: set[str] = set()
    pending = list(graph.get(start, ()))
    while pending:
        node = pending.pop()
        if node == goal:
            return True
        if node not in seen:
            seen.add(node)
            pending.extend(graph.get(node, ()))
    return False


@each_effort
def test_a_cycle_is_found_if_and_only_if_there_is_one(effort: str) -> None:
    search(effort, _graphs, _finds_cycles)


def test_a_long_chain_is_no_cycle() -> None:
    chain = {str(number): [str(number - 1)] for number in range(1, 5000)} | {"0": []}
    assert find_cycle(chain) == []
    assert len(find_cycle(chain | {"0": ["4999"]})) == 5001
