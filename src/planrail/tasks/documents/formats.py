"""What a report, a plan and a summary have to say: the fields at their top, and their sections."""

from collections.abc import Mapping, Sequence

from planrail.base.records import record
from planrail.tasks.model import PLAN, REPORT, SUMMARY

PHASES_SECTION = "Implementation Phases"
WAVES_LABEL = "Dependency Analysis"


@record
class PlanPhase:
    """A phase to be. `depends_on` are numbers of phases, from 1; `criteria` are pairs of a command and what it shows.

    The command exits with 0 when the phase is done; where it is empty, the text alone is the criterion.
    """

    title: str
    goal: str = ""
    tasks: tuple[str, ...] = ()
    timing: str = ""
    depends_on: tuple[int, ...] = ()
    criteria: tuple[tuple[str, str], ...] = ()
    files: tuple[str, ...] = ()


@record
class Outline:
    """A plan to be. `risks` are pairs of a risk and its mitigation; `research_inputs` are paths of reports."""

    title: str
    overview: str = ""
    goals: tuple[str, ...] = ()
    non_goals: tuple[str, ...] = ()
    risks: tuple[tuple[str, str], ...] = ()
    phases: tuple[PlanPhase, ...] = ()
    testing: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    rollback: str = ""
    research_inputs: tuple[str, ...] = ()
    effort: str = ""
    open_questions: tuple[str, ...] = ()


@record
class Report:
    """A research report to be. `findings` are pairs of a title and a text; times are as the views have them."""

    title: str
    executive_summary: tuple[str, ...] = ()
    context: str = ""
    findings: tuple[tuple[str, str], ...] = ()
    decisions: tuple[str, ...] = ()
    recommendations: tuple[str, ...] = ()
    risks: tuple[tuple[str, str], ...] = ()
    sources: tuple[str, ...] = ()
    appendix: str = ""
    started: str = ""
    completed: str = ""
    effort: str = ""


@record
class Format:
    """A type of document. `title` is what its first heading begins with; `metadata` and `sections` are required."""

    title: str
    metadata: tuple[str, ...]
    sections: tuple[str, ...]


FORMATS: Mapping[str, Format] = {
    REPORT: Format(
        "Research Report",
        ("Task", "Started", "Completed", "Effort", "Dependencies", "Sources/Inputs", "Artifacts", "Standards"),
        ("Executive Summary", "Context & Scope", "Findings", "Decisions", "Recommendations"),
    ),
    PLAN: Format(
        "Implementation Plan",
        ("Task", "Status", "Effort", "Dependencies", "Research Inputs", "Artifacts", "Standards", "Type"),
        (
            "Overview",
            "Goals & Non-Goals",
            "Risks & Mitigations",
            "Implementation Phases",
            "Testing & Validation",
            "Artifacts & Outputs",
            "Rollback/Contingency",
        ),
    ),
    SUMMARY: Format(
        "Implementation Summary",
        ("Task", "Status", "Started", "Completed", "Artifacts", "Standards"),
        ("Overview", "What Changed", "Decisions", "Impacts", "Follow-ups", "References"),
    ),
}
STANDARDS = {type_: f"planrail artifact format: {type_}" for type_ in FORMATS}


def sound_dependencies(phases: tuple[PlanPhase, ...]) -> list[tuple[int, ...]]:
    """For each phase the phases that it waits for: those before it. So no circle can be written."""
    return [
        tuple(sorted({other for other in phase.depends_on if 1 <= other < number}))
        for number, phase in enumerate(phases, 1)
    ]


def wave_table(dependencies: Sequence[Sequence[int]]) -> list[str]:
    """The lines of the table, from the phases that each phase waits for; each of those comes before it."""
    waves: dict[int, list[int]] = {}
    level: dict[int, int] = {}
    for number, needs in enumerate(dependencies, 1):
        level[number] = 1 + max((level[other] for other in needs), default=0)
        waves.setdefault(level[number], []).append(number)
    rows = []
    for wave, members in sorted(waves.items()):
        needs = sorted({other for member in members for other in dependencies[member - 1]})
        rows.append(f"| {wave} | {_numbers(members)} | {_numbers(needs) or '--'} |")
    head = [f"**{WAVES_LABEL}**:", "", "| Wave | Phases | Blocked by |", "|------|--------|------------|"]
    return [*head, *rows, "", "Phases within the same wave can execute in parallel."]


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
