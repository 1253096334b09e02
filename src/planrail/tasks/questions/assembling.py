"""From answers to what is kept of them: the report of a research, what is worth remembering."""

from collections.abc import Mapping

from planrail.tasks.documents.formats import Report
from planrail.tasks.questions.answers import objects_of, tidy_line
from planrail.tasks.questions.model import Answer, Answers


def assemble_report(answer: Answer, *, started: str = "", completed: str = "") -> Report:
    return Report(
        title=tidy_line(str(answer["title"])),
        executive_summary=_lines(answer["summary"]),
        context=str(answer["context"]),
        findings=_pairs(answer["findings"], "title", "text"),
        decisions=_lines(answer["decisions"]),
        recommendations=_lines(answer["recommendations"]),
        risks=_pairs(answer["risks"], "risk", "mitigation"),
        sources=_lines(answer["sources"]),
        started=started,
        completed=completed,
    )


def memories_of(answers: Answers) -> list[Mapping[str, object]]:
    """What the agents found worth remembering, each once; of a research by several what their one report says."""
    names = ["synthesis"] if "synthesis" in answers else list(answers)
    found = [entry for name in names for entry in objects_of(answers[name].get("memory_candidates"))]
    return list({str(entry["content"]): entry for entry in found if entry["content"]}.values())


def _lines(value: object) -> tuple[str, ...]:
    entries = value if isinstance(value, list) else ()
    return tuple(line for entry in entries if (line := tidy_line(str(entry))))


def _pairs(value: object, first: str, second: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (str(entry[first]), str(entry[second])) for entry in objects_of(value) if entry[first] or entry[second]
    )
