"""Budgets: ceilings for money, tokens, minutes and attempts, of a plan, a phase and an attempt.

They are looked at before each dispatch: past a ceiling nothing more is started. What is under way may overshoot it by
its own last step.
"""

import math

from planrail.base.errors import UsageError
from planrail.base.records import replace
from planrail.base.run_model import Budget
from planrail.base.values import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Facts = Iterable[Mapping[str, object]]

_MEASURES = ("money", "tokens", "minutes", "attempts")
_LEVELS = ("plan", "phase", "attempt")
_FACTORS = {
    "money": {"$": 1.0},
    "tokens": {"k": 1e3, "m": 1e6},
    "minutes": {"m": 1.0, "min": 1.0, "h": 60.0},
    "attempts": {},
}
_EXAMPLE = '--budget "money=5,tokens=200k,minutes=90,attempts=3,phase.money=1"'


@value
class Spent:
    """What was used so far. Tokens are those read and those written."""

    money: float = 0.0
    tokens: int = 0
    minutes: float = 0.0
    attempts: int = 0


@value
class WithinBudget:
    """The next step may be started."""


@value
class OverBudget:
    """A ceiling is reached: `ceiling` names it as `--budget` does, `text` and `remedy` are for a person."""

    ceiling: str
    limit: float
    spent: float
    text: str
    remedy: str


# --------------------------------------------------------------------------------------------------------- what is used


def spent(facts: "Facts", *, run: str = "", phase: str = "", attempt: int = 0) -> Spent:
    """What the `spent` facts add up to; of one run, one phase, one attempt where they are named."""
    wanted = {name: value for name, value in (("run", run), ("phase", phase), ("attempt", attempt)) if value}
    chosen = [fact for fact in facts if all(fact.get(name) == value for name, value in wanted.items())]
    seconds = sum(_number(fact, "seconds") for fact in chosen)
    return Spent(
        round(sum(_number(fact, "cost") for fact in chosen), 6),
        int(sum(_number(fact, "tokens_in") + _number(fact, "tokens_out") for fact in chosen)),
        round(seconds / 60, 4),
        len({(fact.get("run"), fact.get("phase"), fact.get("attempt")) for fact in chosen if fact.get("phase")}),
    )


def _number(fact: "Mapping[str, object]", name: str) -> float:
    """A figure of a fact. What is no figure counts as nothing; a negative one never gives anything back."""
    figure = fact.get(name)
    is_figure = isinstance(figure, int | float) and not isinstance(figure, bool) and math.isfinite(figure)
    return max(0.0, float(figure)) if is_figure else 0.0  # type: ignore[arg-type]


# -------------------------------------------------------------------------------------------------------- the decision


def decide_budget(
    budget: Budget, spent_plan: Spent, spent_phase: Spent, spent_attempt: Spent, *, begins_attempt: bool = False
) -> WithinBudget | OverBudget:
    """Whether the next step may be started. The count of attempts is asked only where a new one would begin."""
    used = (spent_plan, spent_phase, spent_attempt)
    for level, ceilings, so_far in zip(_LEVELS, (budget.plan, budget.phase, budget.attempt), used, strict=True):
        for measure in _MEASURES:
            limit, amount = getattr(ceilings, measure), getattr(so_far, measure)
            if limit and amount >= limit and (measure != "attempts" or begins_attempt):
                return _over(level, measure, limit, amount)
    return WithinBudget()


def _over(level: str, measure: str, limit: float, amount: float) -> OverBudget:
    name = measure if level == "plan" else f"{level}.{measure}"
    text = f"the budget of the {level} is used up: {show(measure, amount)} of {show(measure, limit)}"
    raised = math.ceil(amount + limit)  # it leaves room: for as much again, beyond what is used already
    return OverBudget(name, limit, amount, text, f"planrail resume --budget {name}={raised:g}")


def show(measure: str, amount: float) -> str:
    """An amount as people read it: $1.50, 200,000 tokens, 90 minutes, 3 attempts."""
    if measure == "money":
        return f"${amount:.2f}"
    figure = f"{amount:,.0f}" if amount == int(amount) else f"{amount:,.1f}"
    return f"{figure} {measure if amount != 1 else measure[:-1]}"


def show_cost(used: Spent) -> str:
    """What was used, for people: a price that nobody knows is unknown, and not nothing."""
    return (
        f"{used.tokens:,} tokens, {show_money(used.money, used.tokens)}" if used.tokens or used.money else "no tokens"
    )


def show_money(money: float, tokens: int) -> str:
    return "cost unknown" if tokens and not money else f"${money:.2f}"


# ------------------------------------------------------------------------------------------------------------- reading


def read_budget(text: str) -> Budget:
    """The ceilings of `money=5,tokens=200k,minutes=90,attempts=3,phase.money=1`; a bare number is money.

    Raises `UsageError` for anything else: a ceiling that was misread would be none.
    """
    budget = Budget()
    seen: set[str] = set()
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, has_name, amount = part.partition("=")
        key = name.strip().lower() if has_name else "money"
        if key in seen:
            raise _unreadable(part, f"{key} is given twice")
        seen.add(key)
        budget = _with_ceiling(budget, key, (amount if has_name else name).strip(), part)
    if not seen:
        raise _unreadable(text, "it names no ceiling")
    return budget


def _with_ceiling(budget: Budget, key: str, amount: str, part: str) -> Budget:
    level, _, measure = key.rpartition(".")
    level = level or "plan"
    if level not in _LEVELS or measure not in _MEASURES or (level, measure) == ("attempt", "attempts"):
        raise _unreadable(part, f"{key!r} is no ceiling")
    figure = _amount(measure, amount, part)
    ceilings = replace(getattr(budget, level), **{measure: figure})
    return replace(budget, **{level: ceilings})


def _amount(measure: str, text: str, part: str) -> float | int:
    plain = text.lower().replace("_", "").lstrip("$").strip()
    suffix = plain.lstrip("0123456789.").strip()
    factor = _FACTORS[measure].get(suffix) if suffix else 1.0
    try:
        figure = float(plain.removesuffix(suffix).strip()) * (factor or math.nan)
    except ValueError:
        figure = math.nan
    if not math.isfinite(figure) or figure <= 0:
        raise _unreadable(part, f"{text!r} is no amount of {measure} above 0")
    if measure in ("money", "minutes"):
        return figure
    if figure != int(figure):
        raise _unreadable(part, f"{measure} are counted in whole numbers")
    return int(figure)


def _unreadable(part: str, why: str) -> UsageError:
    return UsageError(f"the budget {part!r} cannot be read: {why}", remedy=_EXAMPLE)
