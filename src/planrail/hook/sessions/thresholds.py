"""At which percentage of the window the agent is warned, and at which its stop is held. Nonsense is refused.

The environment counts for more than the settings. A value that makes no sense is reported and left out; it never
switches the warnings off, and is never evaluated.
"""

from planrail.base.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

WARN, HOLD = 50, 60
WARN_NAME, HOLD_NAME, WINDOW_NAME = "PLAN_CONTEXT_WARNING_PCT", "PLAN_CONTEXT_CRITICAL_PCT", "CONTEXT_WINDOW_TOKENS"
_LARGEST_WINDOW = 1_000_000_000


@record
class Thresholds:
    """Percentages, the window where the user has set one, and what the user should hear about the settings."""

    warn: int
    hold: int
    window: int | None
    complaints: list[str]


def read_thresholds(environment: "Mapping[str, str]", settings: "Mapping[str, object]") -> Thresholds:
    """The thresholds from the environment, then from the settings `warn`, `hold` and `window`, then the defaults."""
    complaints: list[str] = []

    def choose(name: str, key: str, largest: int) -> int | None:
        places = ((name, environment.get(name)), (f"the setting context.{key}", settings.get(key)))
        return _choose(places, largest, complaints)

    warn, hold = _fill_in(choose(WARN_NAME, "warn", 100), choose(HOLD_NAME, "hold", 100))
    window = choose(WINDOW_NAME, "window", _LARGEST_WINDOW)
    if warn > hold:
        complaints.append(
            f"the warning at {warn} % would come after the hold at {hold} %; {WARN} and {HOLD} are used:"
            f" set {WARN_NAME} below {HOLD_NAME}"
        )
        warn, hold = WARN, HOLD
    return Thresholds(warn, hold, window, complaints)


def _fill_in(warn: int | None, hold: int | None) -> tuple[int, int]:
    """Both thresholds. A default gives way to what was set: it keeps its distance."""
    distance = HOLD - WARN
    if warn is None and hold is not None and hold < WARN:
        warn = max(1, hold - distance)
    if hold is None and warn is not None and warn > HOLD:
        hold = min(100, warn + distance)
    return warn or WARN, hold or HOLD


def _choose(places: "Iterable[tuple[str, object]]", largest: int, complaints: list[str]) -> int | None:
    """The first value that makes sense; those before it are complained about. An empty one counts as not set."""
    for name, value in places:
        if value is None or value == "":
            continue
        number = _number(value, largest)
        if number is not None:
            return number
        complaints.append(f"{name} is {repr(value)[:60]} and was left out: write a whole number from 1 to {largest}")
    return None


def _number(value: object, largest: int) -> int | None:
    if isinstance(value, str):
        text = value.strip()
        # Ten digits are more than any of these needs, and int() is given nothing but digits.
        value = int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else None
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= largest:
        return value
    return None
