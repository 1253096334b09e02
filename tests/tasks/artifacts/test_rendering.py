"""Documents from values: in their format, and read back as what they were, whatever the texts in them are."""

import re

from hypothesis import given

from planrail.plans.checks import read_checks
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.states import PlanStatus, State
from planrail.plans.text.scanning import scan
from planrail.plans.text.source import Source, decode
from planrail.tasks.documents.formats import FORMATS, Outline, PlanPhase, Report, sound_dependencies
from planrail.tasks.documents.plan_rendering import render_plan
from planrail.tasks.documents.rendering import render_report, render_summary
from planrail.tasks.documents.texts import one_line
from planrail.tasks.documents.validating import PLACEHOLDER, validate
from planrail.tasks.model import PLAN, REPORT, SUMMARY, Task
from tests.tasks.artifacts.nasty_texts import outlines, reports, summaries, texts

TASK = Task(7, "greet", "Greet people", effort="2 hours", dependencies=(3, 5))
ORDINARY = Outline(
    "Greet people",
    "The tool says nothing today.\n\nIt shall greet, as `specs/r.md` found.",
    ("it greets",),
    ("no colours",),
    (("scripts read the output", "the old line stays"),),
    (
        PlanPhase(
            "Greet in `hello_world.py`",
            "there is a greeting",
            ("Write `hello_world.py` [new]", "Test it: `tests/test_a_b.py`"),
            "1 hour",
            (),
            (("python3 -m pytest tests/test_a_b.py", "passes"), ("", "A person likes the greeting")),
            ("hello_world.py",),
        ),
        PlanPhase(
            "Say goodbye", "", ("Do it",), "", (1,), (("greeter --bye", ""), ("grep -r TODO src", "finds nothing"))
        ),
        PlanPhase("Document both", "", ("Write `README.md`",), "30 minutes", (1, 2)),
    ),
    ("`make test`",),
    ("hello_world.py",),
    "Revert the commits.",
    ("specs/007_greet/reports/01_greet.md",),
    "2 hours",
)


def opened(text: str) -> Plan:
    decode("plan.md", text.encode())  # it is a text file
    return read(Source("plan.md", text))


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)


def test_an_ordinary_plan_is_written_as_it_was_given() -> None:
    plan = opened(render_plan(TASK, ORDINARY, "specs/007_greet/plans/01_greet.md"))
    assert [phase.title for phase in plan.phases] == ["Greet in hello_world.py", "Say goodbye", "Document both"]
    assert [phase.depends_on for phase in plan.phases] == [[], ["1"], ["1", "2"]]
    assert [item.text for item in plan.phases[0].items] == list(ORDINARY.phases[0].tasks)
    assert [item.text for item in plan.phases[0].criteria][1] == "A person likes the greeting"
    assert (plan.status, plan.diagnostics) == (PlanStatus.NOT_STARTED, [])


def test_a_criterion_with_a_command_is_a_check_even_where_no_bullet_could_carry_it() -> None:
    plan = opened(render_plan(TASK, ORDINARY))
    checks = [[check.command for check in read_checks(list(phase.sections))] for phase in plan.phases]
    assert checks == [["python3 -m pytest tests/test_a_b.py"], ["greeter --bye"], []]


def test_a_command_of_several_lines_is_one_check() -> None:
    phase = PlanPhase("One", "", ("do",), criteria=(("cat <<EOF\n- [ ] x\n```\nEOF\ntrue", "works"),))
    [read_phase] = opened(render_plan(TASK, Outline("T", phases=(phase,)))).phases
    assert [check.command for check in read_checks(list(read_phase.sections))] == [phase.criteria[0][0]]


def test_a_criterion_that_expects_a_failure_is_left_to_a_verifier() -> None:
    text = render_plan(TASK, ORDINARY)
    assert "- [ ] `grep -r TODO src` finds nothing" in text


def test_the_waves_of_a_plan_follow_from_its_dependencies() -> None:
    some = (PlanPhase("A"), PlanPhase("B"), PlanPhase("C", depends_on=(1, 2)), PlanPhase("D", depends_on=(1,)))
    text = render_plan(TASK, Outline("T", phases=some))
    assert "| 1 | 1, 2 | -- |\n| 2 | 3, 4 | 1, 2 |\n" in text


def test_a_plan_can_wait_only_for_phases_before_it() -> None:
    some = (PlanPhase("A", depends_on=(2,)), PlanPhase("B", depends_on=(1, 2, 9)))
    assert sound_dependencies(some) == [(), (1,)]


def test_one_strange_text_costs_the_others_nothing() -> None:
    strange = PlanPhase("<!-- [DONE]", "goal", ("Change `a_b.py` [x]",))
    text = render_plan(
        TASK, Outline("T", "## Overview\n\n| Phase | Status |\n|---|---|\n| 1 | Done |", phases=(strange,))
    )
    [phase] = opened(text).phases
    assert (phase.status, [item.text for item in phase.items]) == (State.TODO, ["Change `a_b.py` [x]"])


def test_code_in_prose_stays_code() -> None:
    text = render_report(TASK, Report("R", context="See:\n\n```sh\n# a comment\nmake\n```", findings=(("F", "so"),)))
    assert "```sh\n# a comment\nmake\n```\n" in text


def test_a_document_names_its_task_and_what_it_depends_on() -> None:
    text = render_summary(TASK, {"What Changed": ("a greeting",)})
    assert "- **Task**: 7 - Greet people\n- **Status**: [COMPLETED]\n" in text
    assert "- **Dependencies**: Task 3, Task 5\n" in render_plan(TASK, ORDINARY)


def headings(text: str) -> list[str]:
    return [block.text for block in scan(text)[1] if type(block).__name__ == "Heading" and block.level == 2]  # type: ignore[union-attr]


@given(outlines(), texts)
def test_a_plan_of_any_texts_is_valid_and_read_with_exactly_its_phases(outline: Outline, title: str) -> None:
    text = render_plan(Task(7, "n", title), outline)
    assert [problem for problem in validate(text, PLAN) if PLACEHOLDER not in problem.message] == []
    plan = opened(text)
    assert [phase.id for phase in plan.phases] == [str(number) for number in range(1, len(outline.phases) + 1)]
    assert [phase.depends_on for phase in plan.phases] == [
        [str(number) for number in needs] for needs in sound_dependencies(outline.phases)
    ]
    assert {phase.status for phase in plan.phases} == {State.TODO}
    for asked, found in zip(outline.phases, plan.phases, strict=True):
        spoken = [words(one_line(task)) for task in asked.tasks if words(one_line(task))]
        assert found.items
        assert [words(item.text) for item in found.items if words(item.text)][: len(spoken)] == spoken
        assert not any(item.is_done for item in (*found.items, *found.criteria))


@given(reports)
def test_a_report_of_any_texts_is_valid_and_has_exactly_its_sections(report: Report) -> None:
    text = render_report(TASK, report)
    assert [problem for problem in validate(text, REPORT) if PLACEHOLDER not in problem.message] == []
    assert headings(text) == [*FORMATS[REPORT].sections, "Risks & Mitigations", "Appendix"]


@given(summaries)
def test_a_summary_of_any_texts_is_valid_and_has_exactly_its_sections(summary: dict[str, list[str]]) -> None:
    text = render_summary(TASK, summary)
    assert [problem for problem in validate(text, SUMMARY) if PLACEHOLDER not in problem.message] == []
    assert headings(text) == list(FORMATS[SUMMARY].sections)
