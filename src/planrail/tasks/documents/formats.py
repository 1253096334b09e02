"""What a report, a plan and a summary have to say: the fields at their top, and their sections."""

from collections.abc import Mapping

from planrail.base.records import record
from planrail.tasks.model import PLAN, REPORT, SUMMARY


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
PHASES_SECTION = "Implementation Phases"
WAVES_LABEL = "Dependency Analysis"
STANDARDS = {type_: f"planrail artifact format: {type_}" for type_ in FORMATS}
