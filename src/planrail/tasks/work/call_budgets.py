"""The budget of one call: what stages and runs of all its tasks may use together. The same call again has a new one.

Tasks that are done side by side, each in its own process, get a share each, and give back what they did not use.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

from planrail.approval.book import open_plan_file
from planrail.base.budgets import Spent, read_budget, show
from planrail.base.records import mutable_record, replace
from planrail.base.run_model import Budget, Ceilings
from planrail.store.ledger import has_ledger, open_ledger
from planrail.store.runs.run_facts import spent
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.work.plan_phases import plan_path
from planrail.tasks.work.task_runs import ImplementRequest

T = TypeVar("T")
_MEASURES = ("money", "tokens", "minutes", "attempts")
_LEAST = 1e-6  # dollars
_SHARED = ("money", "tokens")  # what stages use as well


@mutable_record
class Purse:
    """What may be used in a call, and what was. Without a ceiling everything may."""

    budget: Budget = Budget()
    money: float = 0.0
    tokens: int = 0

    def take(self, money: float, tokens: int) -> None:
        self.money, self.tokens = self.money + money, self.tokens + tokens

    @property
    def left(self) -> Ceilings:
        plan = self.budget.plan
        money = max(plan.money - self.money, 0.0) if plan.money else 0.0
        return Ceilings(money, max(plan.tokens - self.tokens, 0) if plan.tokens else 0)

    @property
    def lack(self) -> str:
        for name in _SHARED:
            limit, used = getattr(self.budget.plan, name), getattr(self, name)
            if limit and used >= limit:
                return f"the budget of this call is used up: {show(name, used)} of {show(name, limit)}"
        return ""

    def for_run(self, before: Spent) -> str:
        """The ceilings of a run, as its option has them: it counts all that its plan ever used, `before` included."""
        rest = replace(self.budget.plan, money=self.left.money, tokens=self.left.tokens)
        raised = {name: getattr(rest, name) + getattr(before, name) for name in _MEASURES if getattr(rest, name)}
        return _spell_budget(replace(self.budget, plan=Ceilings(**raised)))


class Sharing:
    """The purse of a call for several tasks, which the process has that begins the others."""

    def __init__(self, text: str | None) -> None:
        self._purse = open_purse(text)
        self._handed: dict[int, Ceilings] = {}

    def hand_out(self, number: int, among: int) -> str | None:
        """The share of a task, where so many are to share what is left; "" without a budget, None where none is left.

        What others have now may come back.
        """
        plan, left, handed = self._purse.budget.plan, self._purse.left, self._handed.values()
        money = (left.money - sum(one.money for one in handed)) / among if plan.money else 0.0
        tokens = (left.tokens - sum(one.tokens for one in handed)) // among if plan.tokens else 0
        share = Ceilings(money if money >= _LEAST else 0.0, max(tokens, 0))
        if any(getattr(plan, name) and not getattr(share, name) for name in _SHARED):
            return None
        self._handed[number] = share
        ceilings = replace(plan, money=share.money, tokens=share.tokens)
        return _spell_budget(replace(self._purse.budget, plan=ceilings))

    def take_back(self, number: int, answer: Mapping[str, object]) -> None:
        """What a task has used is gone. One that does not say how much has used all that it had."""
        share = self._handed.pop(number, Ceilings())
        told = answer.get("spent")
        if isinstance(told, dict):
            self._purse.take(float(told.get("money") or 0), int(told.get("tokens") or 0))
        elif answer.get("status") != "refused":  # else it never began
            self._purse.take(share.money, share.tokens)

    @property
    def lack(self) -> str:
        return self._purse.lack or "what is left of the budget of this call is nothing to begin with"


def open_purse(text: str | None) -> Purse:
    return Purse(read_budget(text) if text else Budget())


def run_within(
    purse: Purse, root: str, number: int, request: ImplementRequest, carry_out: Callable[[ImplementRequest], T]
) -> T:
    """Let a task's plan be run within what is left of a purse, which pays for it."""
    with open_book(root) as book:
        task = book.find(number)
    place = plan_path(root, task) if task is not None else ""

    def count() -> Spent:
        if not place or not has_ledger(root):
            return Spent()
        with open_ledger(root) as ledger:
            return spent(ledger, open_plan_file(place).id)

    before = count()
    try:
        return carry_out(replace(request, run=replace(request.run, budget=purse.for_run(before))))
    finally:
        after = count()
        purse.take(after.money - before.money, after.tokens - before.tokens)


def _spell_budget(budget: Budget) -> str:
    parts = []
    for level in ("plan", "phase", "attempt"):
        ceilings, before = getattr(budget, level), "" if level == "plan" else f"{level}."
        figures = {name: f"{getattr(ceilings, name):.6f}".rstrip("0").rstrip(".") for name in _MEASURES}
        parts += [f"{before}{name}={figure}" for name, figure in figures.items() if getattr(ceilings, name)]
    return ",".join(parts)
