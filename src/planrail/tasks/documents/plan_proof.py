"""Does planrail read in a plan exactly what was to be written? Phases, items, dependencies, criteria and checks."""

import re

from planrail.plans.checks import read_checks
from planrail.plans.model import Phase
from planrail.plans.model import Plan as ReadPlan
from planrail.plans.states import State
from planrail.tasks.documents.plan_reading import read_plan
from planrail.tasks.documents.plan_scripts import PhaseScript, PlanScript
from planrail.tasks.documents.validating import PLACEHOLDER, validate
from planrail.tasks.model import PLAN

Facts = tuple[object, ...]


_WORDS = re.compile(r"[^\W_]+")


def is_read_back(text: str, script: PlanScript) -> bool:
    """Whether a plan is in its format and says what its script says, no more and no less."""
    plan = read_plan(text)
    if plan is None:
        return False
    wanted = [_asked(number, phase) for number, phase in enumerate(script.phases, 1)]
    is_open = _header_is_open(plan) and not [note for note in plan.diagnostics if note.rule != "no-phases"]
    return is_open and [_found(phase) for phase in plan.phases] == wanted and _is_valid(text, script)


def _is_valid(text: str, script: PlanScript) -> bool:
    problems = [problem for problem in validate(text, PLAN) if PLACEHOLDER not in problem.message]
    return not problems or (not script.phases and len(problems) == 1)  # a plan without phases lacks those alone


def _header_is_open(plan: ReadPlan) -> bool:
    return plan.header is not None and plan.header.text == "[NOT STARTED]" and plan.header.state is State.TODO


def _asked(number: int, phase: PhaseScript) -> Facts:
    return (
        str(number),
        _WORDS.findall(phase.title),  # the reader takes the markup off
        State.TODO,
        [str(other) for other in phase.depends_on],
        [(text, State.TODO) for text in phase.tasks],
        [(criterion.bullet, State.TODO) for criterion in phase.criteria],
        [check for criterion in phase.criteria if not criterion.block for check in criterion.checks]
        + [check for criterion in phase.criteria if criterion.block for check in criterion.checks],
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
