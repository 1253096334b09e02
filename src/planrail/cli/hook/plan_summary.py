"""A plan in a few lines, for the capsule that puts an agent back on its way."""

import contextlib

from planrail.base.errors import PlanrailError, UnreadablePlan
from planrail.plans.checks import read_whole_checks
from planrail.plans.contract import NON_GOAL, kind_of, read_rules
from planrail.plans.execution.executions import order_phase, order_phases
from planrail.plans.model import Phase, Plan
from planrail.plans.reading import read
from planrail.plans.states import ProofKind, State
from planrail.plans.text.outline import outline
from planrail.plans.text.scanning import scan
from planrail.plans.text.source import PlanSource, load
from planrail.projects.listing import count_work
from planrail.projects.open_plan import open_known_plan, open_plan

_MOST_ITEMS, _MOST_ERRORS = 20, 3
_NO_STEP = "no step could be read from it: number the changes, as headings or as a list under `## Changes`"
_UNTIED = f"{_NO_STEP}; until then the commands under its verification prove nothing"
_NO_CHECK = "no command in it verifies the work: add `## Verification` with what to run, such as - `npm test` passes"
_GOALS = ("goal", "goals", "objective", "objectives", "purpose", "overview", "summary", "context")


def summarise(path: str) -> dict[str, object]:
    """The fields of `hook.sessions.state.Summary`, but for its stamp. A file that is no plan has no known status."""
    try:
        text = load(path).text
        plan = open_plan(path)
    except UnreadablePlan as error:
        return {"status": "unknown", "problem": str(error)}
    done, total = count_work(plan)
    upcoming = plan.phase(plan.next.phase) if plan.next else None
    label = _label(upcoming) if upcoming else ""
    items = list[str]()
    for phase in (phase for phase in plan.phases if not phase.status.is_terminal):
        items += [item.text for item in phase.items if not item.is_closed] or [_label(phase)]
    return {
        "title": plan.title,
        "goal": find_goal(text),
        "status": str(plan.status.value),
        "phase": label,
        "phase_id": upcoming.id if upcoming else "",
        "checks": len(order_phase(plan, upcoming, text).checks) if upcoming else 0,
        "phases_done": sum(phase.status.is_terminal for phase in plan.phases),
        "phases": len(plan.phases),
        "proven": _count_proven(path, plan),
        "done": done,
        "total": total,
        "item": (plan.next.item or label) if plan.next else "",
        "open_items": items[:_MOST_ITEMS],
        "size": len(text),
        "limits": find_limits(text, plan),
    }


def examine(text: str, root: str) -> list[str]:
    """What a plan lacks that is about to be proposed: steps, a check; and the first few of lint's errors."""
    from planrail.plans.lint.document import Severity
    from planrail.projects.linting import lint_text

    source = PlanSource(f"{root}/plan.md", text)
    plan = read(source)
    has_checks = any(order.checks for order in order_phases(plan, text))
    if not plan.phases and read_whole_checks(outline(scan(text)[1]).sections, ()):
        found = [_UNTIED]
    else:
        found = [] if plan.phases else [_NO_STEP]
        found += [] if has_checks else [_NO_CHECK]
    errors = [problem for problem in lint_text(source, plan, root) if problem.severity is Severity.ERROR]
    errors = [problem for problem in errors if problem.rule != "no-phases"]
    return found + [f"line {problem.line}: {problem.message}" for problem in errors[:_MOST_ERRORS]]


def _count_proven(path: str, plan: Plan) -> int:
    """How many phases are done by more than a word. The ledger is asked only where the document says that one is."""
    if not any(phase.status is State.DONE for phase in plan.phases):
        return 0
    with contextlib.suppress(PlanrailError):
        plan = open_known_plan(path)
    known = (ProofKind.PROVEN, ProofKind.ADOPTED)
    return sum(phase.status is State.DONE and phase.proof in known for phase in plan.phases)


def _label(phase: Phase) -> str:
    """A phase as the document names it: "Task 2: Log in" where it has such a name, else its title."""
    return f"{phase.word.capitalize()} {phase.id}: {phase.title}" if phase.word else phase.title


def find_limits(text: str, plan: Plan | None = None) -> list[str]:
    """What the plan leaves out, and what constrains every phase: a line for each, with all of its entries."""
    said = dict[str, list[str]]()
    for rule in read_rules(text, plan):
        said.setdefault("Not in this plan" if kind_of(rule.title) == NON_GOAL else "Constraints", []).append(rule.text)
    return [f"{name}: {'; '.join(rules)}" for name, rules in said.items()]


def find_goal(text: str) -> str:
    """The first paragraph under a heading that speaks of the goal; "" where there is none."""
    lines, taken = iter(text.splitlines()), list[str]()
    found = any(line.startswith("#") and line.strip("# :*").lower() in _GOALS for line in lines)
    for stripped in (line.strip() for line in lines) if found else ():
        if stripped.startswith(("#", "```", "|")) or (taken and not stripped):
            break
        taken += [stripped] if stripped else []
    return " ".join(taken)
