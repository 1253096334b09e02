"""The whole plan, as what stands for a phase where all of them are judged together. Pure."""

from collections.abc import Iterable

from planrail.base.run_model import WHOLE, Order, PhaseOrder

_GOAL = "The phases together reach the goal of the plan, and fit together: none undoes or contradicts another"
_MOST_ITEMS = 12  # of each phase that are listed
_SEVERAL = 2


def order_whole(order: Order, phases: Iterable[PhaseOrder]) -> PhaseOrder:
    """All checks of these phases, the plan's rules, and one thing to judge: is the goal reached?"""
    known = list(phases)
    checks = {(check.command, check.line): check for phase in known for check in phase.checks}
    rules = tuple(dict.fromkeys(rule for phase in known for rule in phase.rules))
    is_ui = sum(phase.is_ui for phase in known) >= _SEVERAL
    text = "\n".join(line for phase in known for line in _list_phase(phase))
    return PhaseOrder(WHOLE, order.title, text, (_GOAL,), (), tuple(checks.values()), (), rules=rules, is_ui=is_ui)


def _list_phase(phase: PhaseOrder) -> list[str]:
    named = [*phase.items, *phase.criteria]
    more = [f"  - and {len(named) - _MOST_ITEMS} more"] if len(named) > _MOST_ITEMS else []
    return [f"- Phase {phase.id}: {phase.title}", *(f"  - {text}" for text in named[:_MOST_ITEMS]), *more]


def needs_reader(order: Order) -> bool:
    """Whether a verifier reads the whole: where it has several phases, and the checks are not the verdict. A phase
    alone was judged by the goal of the plan already."""
    return (order.options.verifier or order.options.agent) != "runbook" and len(order.phases) >= _SEVERAL
