"""From answers to documents: the report of a research, the plan of an outline with its phases and revisions."""

from collections.abc import Collection, Mapping

from planrail.base.records import replace
from planrail.tasks.documents.formats import Outline, PlanPhase, Report
from planrail.tasks.questions.answers import objects_of, tidy_line
from planrail.tasks.questions.model import Answer, Answers

_REVISED = ("overview", "goals", "non_goals", "risks")


def assemble_report(answer: Answer, *, started: str = "", completed: str = "", effort: str = "") -> Report:
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
        effort=effort,
    )


def assemble(answers: Answers, research: Collection[str] = ()) -> Outline:
    """The plan as it stands: the outline, the details of each phase that has them, and over them every revision.

    `research` are the paths of the reports that it builds on.
    """
    outline = _outline(answers["outline"], tuple(research))
    phases = dict(enumerate(outline.phases, 1))
    for number, phase in phases.items():
        details = answers.get(f"phase-{number}")
        phases[number] = _detail(phase, details) if details is not None else phase
    for name in sorted((name for name in answers if name.startswith("revise-")), key=lambda name: int(name[7:])):
        revision = answers[name]
        outline = _revise(outline, revision)
        for entry in objects_of(revision["phases"]):
            phases[int(str(entry["number"]))] = _detail(_head(entry), entry)
    return replace(outline, phases=tuple(phases[number] for number in sorted(phases)))


def count_phases(answers: Answers) -> int:
    return len(objects_of(answers["outline"]["phases"])) if "outline" in answers else 0


def count_planned(answers: Answers) -> int:
    return len(assemble(answers).phases) if "outline" in answers else 0


def plan_as_data(outline: Outline) -> dict[str, object]:
    phases = [
        {
            "phase": number,
            **{name: getattr(phase, name) for name in ("title", "goal", "tasks", "timing", "depends_on", "files")},
            "criteria": [{"command": command, "text": text} for command, text in phase.criteria],
        }
        for number, phase in enumerate(outline.phases, 1)
    ]
    fields = ("title", "overview", "goals", "non_goals", "testing", "outputs", "rollback", "effort")
    risks = [{"risk": risk, "mitigation": mitigation} for risk, mitigation in outline.risks]
    return {**{name: getattr(outline, name) for name in fields}, "risks": risks, "phases": phases}


def chosen_roadmap(answers: Answers, offered: Collection[str]) -> tuple[str, ...]:
    """The open items of the roadmap that the plan says it completes: those that were offered, and no others."""
    chosen = _lines(answers["outline"]["roadmap_items"]) if "outline" in answers else ()
    known = {tidy_line(item): item for item in offered}
    return tuple(dict.fromkeys(known[item] for item in chosen if item in known))


def memories_of(answers: Answers) -> list[Mapping[str, object]]:
    """What the agents found worth remembering, each once; of a research by several what their one report says."""
    names = ["synthesis"] if "synthesis" in answers else list(answers)
    found = [entry for name in names for entry in objects_of(answers[name].get("memory_candidates"))]
    return list({str(entry["content"]): entry for entry in found if entry["content"]}.values())


def problems_of(answers: Answers) -> list[str]:
    critiques = [answer for name, answer in answers.items() if name.startswith("critique-")]
    return [str(problem["text"]) for answer in critiques for problem in objects_of(answer["problems"])]


def _outline(answer: Answer, research: tuple[str, ...]) -> Outline:
    return Outline(
        title=tidy_line(str(answer["title"])),
        overview=str(answer["overview"]),
        goals=_lines(answer["goals"]),
        non_goals=_lines(answer["non_goals"]),
        risks=_pairs(answer["risks"], "risk", "mitigation"),
        phases=tuple(_head(entry) for entry in objects_of(answer["phases"])),
        testing=_lines(answer["testing"]),
        outputs=_lines(answer["outputs"]),
        rollback=str(answer["rollback"]),
        research_inputs=research,
        effort=tidy_line(str(answer["effort"])),
    )


def _revise(outline: Outline, revision: Answer) -> Outline:
    """The outline with what the revision says anew; what it leaves empty stays."""
    said = {
        "overview": str(revision["overview"]),
        "goals": _lines(revision["goals"]),
        "non_goals": _lines(revision["non_goals"]),
        "risks": _pairs(revision["risks"], "risk", "mitigation"),
    }
    return replace(outline, **{name: said[name] for name in _REVISED if said[name]})


def _head(entry: Mapping[str, object]) -> PlanPhase:
    before = entry["depends_on"]
    numbers = tuple(dict.fromkeys(before)) if isinstance(before, list) else ()
    return PlanPhase(title=tidy_line(str(entry["title"])), goal=tidy_line(str(entry["goal"])), depends_on=numbers)


def _detail(phase: PlanPhase, entry: Mapping[str, object]) -> PlanPhase:
    return replace(
        phase,
        tasks=_lines(entry["tasks"]),
        timing=tidy_line(str(entry["timing"])),
        criteria=_pairs(entry["criteria"], "command", "text"),
        files=_lines(entry["files"]),
    )


def _lines(value: object) -> tuple[str, ...]:
    entries = value if isinstance(value, list) else ()
    return tuple(line for entry in entries if (line := tidy_line(str(entry))))


def _pairs(value: object, first: str, second: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (str(entry[first]), str(entry[second])) for entry in objects_of(value) if entry[first] or entry[second]
    )
