"""What will a run take? By what phases of that size took this agent in this project; where none did, nobody knows."""

import statistics
from collections.abc import Iterable, Sequence

from planrail.base.budgets import Spent, show_cost, spent
from planrail.base.records import record
from planrail.base.run_model import Order
from planrail.base.wording import plural
from planrail.runs.phases.choosing import choose, done_before
from planrail.store.facts import Fact
from planrail.store.journal_lines import render_time
from planrail.store.ledger import has_ledger, open_ledger
from planrail.store.runs.run_facts import PHASE, SPENT
from planrail.store.runs.run_folders import list_runs

_ALIKE = 2.0  # times larger or smaller that a phase may be, and still be of that size
_MOST_RUNS = 50


@record
class PastPhase:
    """A phase that has landed: the characters of its text, its agent, and what it took."""

    size: int
    agent: str
    seconds: float
    used: Spent


@record
class Estimate:
    """What the phases of a run may take. `unknown` of them are like nothing that was done here before."""

    seconds: float
    used: Spent
    known_by: int  # phases of the past
    unknown: int = 0


def estimate(sizes: Sequence[int], agent: str, past: Iterable[PastPhase]) -> Estimate:
    """For each phase the median of those of its size by the same agent. Pure."""
    own = [one for one in past if one.agent == agent]
    alike = [[one for one in own if size / _ALIKE <= one.size <= size * _ALIKE] for size in sizes]
    known = [found for found in alike if found]
    seconds = sum(statistics.median(one.seconds for one in found) for found in known)
    tokens = int(sum(statistics.median(one.used.tokens for one in found) for found in known))
    # a price that is not known of one of them is not known of the whole
    is_priced = all(one.used.money or not one.used.tokens for found in known for one in found)
    money = sum(statistics.median(one.used.money for one in found) for found in known) if is_priced else 0.0
    basis = {id(one) for found in known for one in found}
    return Estimate(seconds, Spent(money, tokens), len(basis), len(sizes) - len(known))


def render_estimate(found: Estimate, agent: str) -> str:
    if not found.known_by:
        return f"estimate: unknown; no phase of that size by {agent} has landed here so far"
    told = f"estimate: about {render_time(found.seconds)}, {show_cost(found.used)}"
    unknown = f"; {plural(found.unknown, 'phase')} of a size that is new here: unknown" if found.unknown else ""
    return f"{told} (by {plural(found.known_by, 'phase')} of that size, {agent}){unknown}"


def tell_estimate(order: Order) -> str:
    """What is said before a run begins; "" where it has nothing to do."""
    chosen = choose(order, ())
    left = {phase.id for phase in order.phases} - done_before(order)
    meant = left if order.options.finish else set(chosen) if isinstance(chosen, tuple) else set()
    sizes = [len(phase.text) for phase in order.phases if phase.id in meant]
    agent = order.options.agent
    return render_estimate(estimate(sizes, agent, read_past(order.root)), agent) if sizes else ""


def read_past(root: str) -> list[PastPhase]:
    if not has_ledger(root):
        return []
    orders = [run.order for run in list_runs(root)[:_MOST_RUNS]]
    with open_ledger(root) as ledger:
        facts = {plan: (ledger.facts(PHASE, plan), ledger.facts(SPENT, plan)) for plan in {one.plan for one in orders}}
    return [past for order in orders for past in _read_run(order, *facts[order.plan])]


def _read_run(order: Order, phases: Sequence[Fact], used: Sequence[Fact]) -> list[PastPhase]:
    own = [fact for fact in phases if fact.value.get("run") == order.run]
    sizes, found = {phase.id: len(phase.text) for phase in order.phases}, []
    for fact in own:
        name = str(fact.value.get("phase"))
        if fact.value.get("state") != "landed" or name not in sizes:
            continue
        began = [one.at for one in own if (one.value.get("phase"), one.value.get("state")) == (name, "in_progress")]
        took = spent((one.value for one in used), run=order.run, phase=name)
        seconds = float(fact.at - min(began)) if began else took.minutes * 60
        found.append(PastPhase(sizes[name], order.options.agent, seconds, took))
    return found
