"""The budget of one call: what stages and runs may use of it together. The same call again has a new one."""

from planrail.records import mutable_record, replace
from planrail.runs.budgets import Spent, read_budget, show
from planrail.runs.model import Budget, Ceilings

_MEASURES = ("money", "tokens", "minutes", "attempts")
_SHARED = ("money", "tokens")  # what stages use as well


@mutable_record
class Purse:
    """What may be used in a call, and what was. Without a ceiling everything may."""

    budget: Budget | None = None
    money: float = 0.0
    tokens: int = 0

    def take(self, money: float, tokens: int) -> None:
        """So much was used."""
        self.money, self.tokens = self.money + money, self.tokens + tokens

    @property
    def left(self) -> Ceilings:
        """What the next step may use; 0 where nothing limits it."""
        plan = self.budget.plan if self.budget is not None else Ceilings()
        money = max(plan.money - self.money, 0.0) if plan.money else 0.0
        return Ceilings(money, max(plan.tokens - self.tokens, 0) if plan.tokens else 0)

    @property
    def lack(self) -> str:
        """Why nothing more may be begun; "" where it may."""
        plan = self.budget.plan if self.budget is not None else Ceilings()
        for name in _SHARED:
            limit, used = getattr(plan, name), getattr(self, name)
            if limit and used >= limit:
                return f"the budget of this call is used up: {show(name, used)} of {show(name, limit)}"
        return ""

    def for_run(self, before: Spent) -> str | None:
        """The ceilings of a run, as its option has them: it counts all that its plan ever used, `before` included."""
        if self.budget is None:
            return None
        rest = replace(self.budget.plan, money=self.left.money, tokens=self.left.tokens)
        raised = {name: getattr(rest, name) + getattr(before, name) for name in _MEASURES if getattr(rest, name)}
        parts = [f"{name}={_spell(figure)}" for name, figure in raised.items()]
        for level in ("phase", "attempt"):
            ceilings = getattr(self.budget, level)
            parts += [
                f"{level}.{name}={_spell(getattr(ceilings, name))}" for name in _MEASURES if getattr(ceilings, name)
            ]
        return ",".join(parts)


def open_purse(text: str | None) -> Purse:
    """The budget as it was typed; a `UsageError` where it cannot be read."""
    return Purse(read_budget(text) if text else None)


def spent_on(root: str, plan: str) -> Spent:
    """What the runs of a plan have used so far. `plan` is its file."""
    from planrail.cli.approval.book import open_paper
    from planrail.ledger.run_facts import spent
    from planrail.ledger.store import has_ledger, open_ledger

    if not plan or not has_ledger(root):
        return Spent()
    with open_ledger(root) as ledger:
        return spent(ledger, open_paper(plan).id)


def _spell(figure: float) -> str:
    return f"{figure:.6f}".rstrip("0").rstrip(".")
