"""Show what a plan says: each phase with its state and the line that says so, and what planrail knows to be proven."""

from planrail.base.wording import clip, paint, pick, quote
from planrail.cli.screen import GLYPHS, fit_column, print_json, print_next, say
from planrail.plans.model import Phase, Plan
from planrail.plans.states import ProofKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any

    from planrail.base.run_model import PhaseOrder
    from planrail.plans.model import Work

_TITLE, _BESIDE = 60, 20  # characters of a title, at most, and of what stands beside it


def configure(parser: "ArgumentParser") -> None:
    parser.add_argument("plan", metavar="PLAN", help="the plan file, of any format")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--items", action="store_true", help="show the work items and the checks of each phase as well")


def run(arguments: "Namespace") -> int:
    from planrail.projects.open_plan import open_known_plan

    plan = open_known_plan(arguments.plan)
    if arguments.json:
        from planrail.approval.book import find_root, read_test_command

        command = read_test_command(find_root(arguments.plan))
        described = describe(plan)
        described["checks"] = [*([{"command": command, "line": 0}] if command else []), *described["checks"]]
        print_json(described)
        return 0
    print_plan(plan, with_items=arguments.items)
    print_next(f"planrail {'next' if plan.phases else 'lint'} {quote(plan.path)}")
    return 0


def describe(plan: Plan) -> "dict[str, Any]":
    """The plan as the contract's JSON, with the checks that a run would execute, those of the whole beside it."""
    from planrail.plans.execution.executions import find_whole_checks, order_phases
    from planrail.plans.execution.scope import find_files
    from planrail.plans.text.source import load

    text = load(plan.path).text
    orders, whole = order_phases(plan, text), find_whole_checks(plan, text)
    return {
        **pick(plan, "path title format dialect status"),
        "phases": [_describe_phase(phase, order) for phase, order in zip(plan.phases, orders, strict=True)],
        "next": {"phase": plan.next.phase, "item": plan.next.item} if plan.next else None,
        "route": plan.route,
        "checks": [pick(check, "command line") for check in whole],
        "files": find_files(text),
        "diagnostics": [pick(problem, "line rule message") for problem in plan.diagnostics],
    }


def _describe_phase(phase: Phase, order: "PhaseOrder") -> dict[str, object]:
    from planrail.plans.execution.scope import find_files

    return {
        **pick(phase, "id title status proof reason line depends_on"),
        "items": [_describe_item(item) for item in phase.items],
        "criteria": [_describe_item(item) for item in phase.criteria],
        "checks": [{"command": check.command, "line": check.line} for check in order.checks],
        "not_run": [{"command": command, "reason": reason} for command, reason in order.unrun],
        "files": find_files(order.text),
    }


def _describe_item(item: "Work") -> dict[str, object]:
    return {"text": item.text, "done": item.is_done, "status": item.state, "line": item.line}


def print_plan(plan: Plan, *, with_items: bool) -> None:
    done = sum(1 for phase in plan.phases if phase.status.is_terminal)
    summary = f"({plan.format}, {plan.status}, {done} of {len(plan.phases)} done)"
    say(f"{paint(plan.title, 'bold')}  {paint(summary, 'dim')}")
    checks = _read_commands(plan) if with_items else {}
    width = max((len(phase.id) for phase in plan.phases), default=0)
    title = fit_column((phase.title for phase in plan.phases), _TITLE, width + _BESIDE)
    for phase in plan.phases:
        _print_phase(phase, width, title, is_next=plan.next is not None and plan.next.phase == phase.id)
        for item in phase.items if with_items else ():
            sign = paint(*GLYPHS[item.state])
            say(f"      {sign} {'  ' * item.depth}{clip(item.text, 90)}")
        for command in checks.get(phase.id, ()):
            say(paint(f"      runs: {clip(command, 90)}", "dim"))
    if not plan.phases:
        say("  no phases: this is a narrative, there is nothing in it that could be executed")
    shown = plan.diagnostics[:8]
    if shown:
        say()
    for problem in shown:
        say(paint(f"  line {problem.line}: {problem.message}", "yellow"))
    if len(plan.diagnostics) > len(shown):
        say(paint(f"  … and {len(plan.diagnostics) - len(shown)} more: planrail lint {quote(plan.path)}", "dim"))


def _read_commands(plan: Plan) -> dict[str, list[str]]:
    """By the id of each phase what `run`, `check` and `done` would execute to verify it."""
    from planrail.plans.execution.executions import order_phases
    from planrail.plans.text.source import load

    orders = order_phases(plan, load(plan.path).text)
    return {order.id: [check.command for check in order.checks] for order in orders}


def _print_phase(phase: Phase, width: int, room: int, *, is_next: bool) -> None:
    glyph, colour = GLYPHS[phase.status]
    arrow = paint("→", "cyan", "bold") if is_next else " "
    title = clip(phase.title, room)
    proof = f", {phase.proof}" if phase.proof in (ProofKind.PROVEN, ProofKind.ADOPTED) else ""
    say(f"{arrow} {paint(glyph, colour)} {phase.id:<{width}}  {title:<{room}}  {paint(phase.status, colour)}{proof}")
    say(f"    {'':<{width}}  {paint(phase.reason, 'dim')}")
