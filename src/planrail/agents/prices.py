"""What do tokens cost, where an agent's program does not say it? By a file that its user writes; else nobody knows.

`prices.toml` in the user's folder of settings (`~/.config/planrail`), in dollars for a million tokens, by the name of
the model or of the agent:

    [codex]
    input = 1.25
    output = 10
"""

import os
import tomllib
from collections.abc import Mapping

from planrail.agents.model import Event, UsageEvent
from planrail.base.errors import UsageError
from planrail.base.records import record, replace
from planrail.base.settings import user_file

NAME = "prices.toml"
_MILLION = 1_000_000


@record
class Price:
    """Dollars for a million tokens that are read, and for as many that are written."""

    input: float
    output: float


def load_prices(environment: Mapping[str, str]) -> dict[str, Price]:
    """The prices by name; none where there is no file. `UsageError` where it cannot be read: a price is no guess."""
    path = os.path.join(os.path.dirname(user_file(environment)), NAME)
    try:
        with open(path, "rb") as file:
            tables = tomllib.load(file)
        return {name: Price(float(table["input"]), float(table["output"])) for name, table in tables.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UsageError(
            f"{path} cannot be read: {error}", remedy="write [codex], input = 1.25 and output = 10, each on its line"
        ) from error


def price(prices: Mapping[str, Price], agent: str, model: str, tokens_in: int, tokens_out: int) -> float:
    """What tokens cost, in dollars; 0 where no price is known. The name of a model counts before that of its agent."""
    known = prices.get(model) or prices.get(agent)
    return (tokens_in * known.input + tokens_out * known.output) / _MILLION if known is not None else 0.0


def with_price(event: Event, prices: Mapping[str, Price], agent: str, model: str) -> Event:
    """An event with what it cost, where its agent does not say that itself."""
    if not isinstance(event, UsageEvent) or event.cost:
        return event
    return replace(event, cost=price(prices, agent, model, event.tokens_in, event.tokens_out))
