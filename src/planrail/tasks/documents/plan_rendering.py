"""A plan from an outline, in the format by construction, and read back by planrail with exactly what was asked for.

The document is read again before it is handed out. Where a text in it would be taken for structure (a status in a
title, a table in prose, a dependency in a work item), that text alone is written more plainly. So one strange sentence
costs the others nothing.
"""

from planrail.tasks.documents.criteria import criteria_lines
from planrail.tasks.documents.outlines import Outline, PlanPhase
from planrail.tasks.documents.pages import common_fields, pairs, write_page
from planrail.tasks.documents.plan_proof import is_read_back
from planrail.tasks.documents.plan_scripts import (
    COMMAND,
    CRITERION,
    ITEM,
    LINE,
    PLAINEST,
    PROSE,
    TITLE,
    Key,
    PhaseScript,
    PlanScript,
    make_script,
    texts_of,
)
from planrail.tasks.documents.plan_waves import wave_table
from planrail.tasks.documents.texts import bullets
from planrail.tasks.model import PLAN, Task
from planrail.tasks.statuses import NOT_STARTED, marker

_PROBED = Task(1, "probe", "Probe")


def render_plan(task: Task, outline: Outline, path: str = "") -> str:
    """An implementation plan of which nothing has begun. `path` is where it will lie."""
    styles: dict[Key, int] = {}
    text = _try(task, outline, styles, path)
    if text is not None:
        return text
    for key in texts_of(task.title, outline):
        styles[key] = next((level for level in range(PLAINEST) if _stands(key, level)), PLAINEST)
    text = _try(task, outline, styles, path)
    if text is not None:
        return text
    for key in texts_of(task.title, outline):  # only together they are misread
        styles[key] = PLAINEST
    return _write(task, make_script(task.title, outline, styles), path)


def _try(task: Task, outline: Outline, styles: dict[Key, int], path: str) -> str | None:
    """The plan in these styles; None where it is read with anything else than it was given."""
    script = make_script(task.title, outline, styles)
    text = _write(task, script, path)
    return text if is_read_back(text, script) else None


def _stands(key: Key, level: int) -> bool:
    """Whether a text in a style is read as a text, wherever its kind may stand in a plan."""
    return _try(_PROBED, _probe(*key), {key: level}, "") is not None


def _probe(kind: str, text: str) -> Outline:
    """A small plan with a text in all places of its kind."""
    line, prose = (text if kind == LINE else "words"), (text if kind == PROSE else "Words.")
    item, command = (text if kind == ITEM else "change it"), (text if kind == COMMAND else "make test")
    criterion = (command, text if kind == CRITERION else "passes")
    title = text if kind == TITLE else "one"
    many = (line, line)
    phases = (
        PlanPhase("first", line, (item, item), line, (), (criterion, ("", criterion[1])), many),
        PlanPhase(title, line, (item,), line, (1,), (criterion,)),
        PlanPhase(title, line, (item,), line),
    )
    return Outline(line, prose, many, many, ((line, line),), phases, many, many, prose, many, line, many)


# ---- writing ----


def _write(task: Task, script: PlanScript, path: str) -> str:
    fields = {
        **common_fields(task, PLAN, [path] if path else []),
        "Task": f"{task.number} - {script.task_title}",
        "Status": f"[{marker(NOT_STARTED)}]",
        "Effort": script.effort or "not estimated",
        "Research Inputs": ", ".join(script.research_inputs),
        "Type": "markdown",
    }
    sections = {
        "Overview": script.overview,
        "Goals & Non-Goals": _goals(script),
        "Risks & Mitigations": pairs(script.risks, "Risk", "Mitigation"),
        "Implementation Phases": _phases(script),
        "Testing & Validation": bullets(script.testing),
        "Artifacts & Outputs": bullets(script.outputs),
        "Rollback/Contingency": script.rollback or ("Revert the commits of this plan.",),
        "Open Questions": bullets(script.open_questions),
    }
    return write_page(PLAN, script.title, fields, sections)


def _goals(script: PlanScript) -> list[str]:
    return ["**Goals**:", "", *bullets(script.goals), "", "**Non-Goals**:", "", *bullets(script.non_goals)]


def _phases(script: PlanScript) -> list[str]:
    lines = wave_table([phase.depends_on for phase in script.phases])
    for number, phase in enumerate(script.phases, 1):
        lines += ["", *_phase(number, phase)]
    return lines


def _phase(number: int, phase: PhaseScript) -> list[str]:
    needs = ", ".join(map(str, phase.depends_on)) or "none"
    facts = {"Goal": phase.goal, "Depends on": needs, "Timing": phase.timing}
    if phase.files:
        facts["Files"] = ", ".join(f"`{path}`" for path in phase.files)
    lines = [f"### Phase {number}: {phase.title} [{marker(NOT_STARTED)}]", ""]
    lines += [f"- **{name}:** {value}" for name, value in facts.items() if value]
    lines += ["", "**Tasks:**", "", *(f"- [ ] {task}" for task in phase.tasks)]
    if phase.criteria:
        lines += ["", "#### Acceptance Criteria", "", *criteria_lines(phase.criteria)]
    return lines
