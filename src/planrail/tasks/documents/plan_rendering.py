"""A plan from an outline, in the format by construction, and read back by planrail with exactly what was asked for.

The document is read again before it is handed out. Where a text in it would be taken for structure (a status in a
title, a table in prose, a dependency in a work item), that text alone is written more plainly. So one strange sentence
costs the others nothing.
"""

import re

from planrail.plans.checks import read_checks
from planrail.plans.model import Phase
from planrail.plans.states import State
from planrail.tasks.documents import plan_scripts as scripts
from planrail.tasks.documents.formats import Outline, PlanPhase, wave_table
from planrail.tasks.documents.texts import bullets, common_fields, pairs, write_page
from planrail.tasks.documents.validating import PLACEHOLDER, read_plan, validate
from planrail.tasks.model import PLAN, Task
from planrail.tasks.statuses import NOT_STARTED, marker

Facts = tuple[object, ...]
_WORDS = re.compile(r"[^\W_]+")
_PROBED = Task(1, "probe", "Probe")


def render_plan(task: Task, outline: Outline, path: str = "") -> str:
    """An implementation plan of which nothing has begun. `path` is where it will lie."""
    styles: dict[scripts.Key, int] = {}
    text = _try(task, outline, styles, path)
    if text is not None:
        return text
    for key in scripts.texts_of(task, outline):
        tried = (level for level in range(scripts.PLAINEST) if _try(_PROBED, _probe(*key), {key: level}, ""))
        styles[key] = next(tried, scripts.PLAINEST)
    text = _try(task, outline, styles, path)
    if text is not None:
        return text
    plainest = dict.fromkeys(scripts.texts_of(task, outline), scripts.PLAINEST)  # only together they are misread
    return _write(*scripts.make_script(task, outline, plainest), path)


def _try(task: Task, outline: Outline, styles: dict[scripts.Key, int], path: str) -> str | None:
    """The plan in these styles; None where it is read with anything else than it was given."""
    said, script = scripts.make_script(task, outline, styles)
    text = _write(said, script, path)
    return text if is_read_back(text, script) else None


def _probe(kind: str, text: str) -> Outline:
    line, prose = (text if kind == scripts.LINE else "words"), (text if kind == scripts.PROSE else "Words.")
    item, command = (text if kind == scripts.ITEM else "change it"), (text if kind == scripts.COMMAND else "make test")
    criterion = (command, text if kind == scripts.CRITERION else "passes")
    title = text if kind == scripts.TITLE else "one"
    many = (line, line)
    phases = (
        PlanPhase("first", line, (item, item), line, (), (criterion, ("", criterion[1])), many),
        PlanPhase(title, line, (item,), line, (1,), (criterion,)),
        PlanPhase(title, line, (item,), line),
    )
    return Outline(line, prose, many, many, ((line, line),), phases, many, many, prose, many, line, many)


# ---- writing ----


def _write(task: Task, script: Outline, path: str) -> str:
    fields = {
        **common_fields(task, PLAN, [path] if path else []),
        "Task": f"{task.number} - {task.title}",
        "Status": f"[{marker(NOT_STARTED)}]",
        "Effort": script.effort or "not estimated",
        "Research Inputs": ", ".join(script.research_inputs),
        "Type": "markdown",
    }
    sections = {
        "Overview": script.overview.split("\n") if script.overview else (),
        "Goals & Non-Goals": [*_headed("Goals", script.goals), "", *_headed("Non-Goals", script.non_goals)],
        "Risks & Mitigations": pairs(script.risks, "Risk", "Mitigation"),
        "Implementation Phases": _phases(script),
        "Testing & Validation": bullets(script.testing),
        "Artifacts & Outputs": bullets(script.outputs),
        "Rollback/Contingency": (script.rollback or "Revert the commits of this plan.").split("\n"),
        "Open Questions": bullets(script.open_questions),
    }
    return write_page(PLAN, script.title, fields, sections)


def _headed(name: str, texts: tuple[str, ...]) -> list[str]:
    return [f"**{name}**:", "", *bullets(texts)]


def _phases(script: Outline) -> list[str]:
    lines = wave_table([phase.depends_on for phase in script.phases])
    for number, phase in enumerate(script.phases, 1):
        lines += ["", *_phase(number, phase)]
    return lines


def _phase(number: int, phase: PlanPhase) -> list[str]:
    needs = ", ".join(map(str, phase.depends_on)) or "none"
    facts = {"Goal": phase.goal, "Depends on": needs, "Timing": phase.timing}
    if phase.files:
        facts["Files"] = ", ".join(f"`{path}`" for path in phase.files)
    lines = [f"### Phase {number}: {phase.title} [{marker(NOT_STARTED)}]", ""]
    lines += [f"- **{name}:** {value}" for name, value in facts.items() if value]
    lines += ["", "**Tasks:**", "", *(f"- [ ] {task}" for task in phase.tasks)]
    if phase.criteria:
        lines += ["", "#### Acceptance Criteria", "", *scripts.criteria_lines(phase.criteria)]
    return lines


def is_read_back(text: str, script: Outline) -> bool:
    plan = read_plan(text)
    if plan is None:
        return False
    wanted = [_asked(number, phase) for number, phase in enumerate(script.phases, 1)]
    header = (plan.header.text, plan.header.state) if plan.header is not None else None
    if header != ("[NOT STARTED]", State.TODO) or any(note.rule != "no-phases" for note in plan.diagnostics):
        return False
    problems = [problem for problem in validate(text, PLAN) if PLACEHOLDER not in problem.message]
    is_valid = not problems or (not script.phases and len(problems) == 1)  # a plan without phases lacks those alone
    return is_valid and [_found(phase) for phase in plan.phases] == wanted


def _asked(number: int, phase: PlanPhase) -> Facts:
    criteria = scripts.write_criteria(phase.criteria)
    in_order = sorted(criteria, key=lambda criterion: bool(criterion.block))
    return (
        str(number),
        _WORDS.findall(phase.title),  # the reader takes the markup off
        State.TODO,
        [str(other) for other in phase.depends_on],
        [(text, State.TODO) for text in phase.tasks],
        [(criterion.bullet, State.TODO) for criterion in criteria],
        [check for criterion in in_order for check in criterion.checks],
    )


def _found(phase: Phase) -> Facts:
    return (
        phase.id,
        _WORDS.findall(phase.title),
        phase.status,
        phase.depends_on,
        [(item.text, item.state) for item in phase.items],
        [(item.text, item.state) for item in phase.criteria],
        [check.command for check in read_checks(list(phase.sections))],
    )
