"""What a report, a plan and a summary have to say: the fields at their top, and their sections."""

from collections.abc import Mapping, Sequence

from planrail.base.records import record
from planrail.base.settings import SECTIONS
from planrail.tasks.model import PLAN, REPORT, SUMMARY
from planrail.tasks.waves import Circle, group_waves

PHASES_SECTIONS = ("Implementation Phases", "Steps")
WAVES_LABEL = "Dependency Analysis"


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
    """A type of document. `title` is what its first heading begins with; `metadata` and `sections` are required.

    `others` are the sections of another form of it, which is as good.
    """

    title: str
    metadata: tuple[str, ...]
    sections: tuple[str, ...]
    others: tuple[str, ...] = ()


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
        tuple(SECTIONS),  # as `planrail plan` writes it
    ),
    SUMMARY: Format(
        "Implementation Summary",
        ("Task", "Status", "Started", "Completed", "Artifacts", "Standards"),
        ("Overview", "What Changed", "Decisions", "Impacts", "Follow-ups", "References"),
    ),
}
STANDARDS = {type_: f"planrail artifact format: {type_}" for type_ in FORMATS}


def wave_table(dependencies: Sequence[Sequence[int]]) -> list[str]:
    """The lines of the table, from the phases that each phase waits for; each of those comes before it."""
    rows = []
    waves = group_waves(dict(enumerate(dependencies, 1)))
    for wave, members in enumerate([] if isinstance(waves, Circle) else waves, 1):
        needs = sorted({other for member in members for other in dependencies[member - 1]})
        rows.append(f"| {wave} | {', '.join(map(str, members))} | {', '.join(map(str, needs)) or '--'} |")
    head = [f"**{WAVES_LABEL}**:", "", "| Wave | Phases | Blocked by |", "|------|--------|------------|"]
    return [*head, *rows, "", "Phases within the same wave can execute in parallel."]
