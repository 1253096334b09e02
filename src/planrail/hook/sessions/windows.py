"""How many tokens fit into a model's context, how full it is, and at which percentage an agent is warned or held.

The environment counts for more than the settings. A value that makes no sense is reported and left out; it never
switches the warnings off, and is never evaluated.
"""

from planrail.base.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LARGE_MARK = "[1m]"  # of a model with a large window; transcripts leave it out
USUAL = 200_000
LARGE = 1_000_000
GEMINI = 1_048_576
# The first version of each family of Claude with the large window. Haiku has none yet.
_LARGE_SINCE = {"opus": (4, 6), "sonnet": (4, 6), "fable": (0, 0), "mythos": (0, 0)}

WARN, HOLD = 50, 60
WARN_NAME, HOLD_NAME, WINDOW_NAME = "PLAN_CONTEXT_WARNING_PCT", "PLAN_CONTEXT_CRITICAL_PCT", "CONTEXT_WINDOW_TOKENS"
_LARGEST_WINDOW = 1_000_000_000


def decide_window(*, statusline: int | None, setting: int | None, codex: int | None, model: str) -> int:
    """The window by the best witness: the agent's status line, what the user has set, Codex's own record, the model."""
    for size in (statusline, setting, codex):
        if size is not None and size > 0:
            return size
    return window_of(model)


def window_of(model: str) -> int:
    """The window of a model by its name; 200,000 for a name that says nothing, since an early warning harms less.

    GPT models are among those on purpose: theirs depends on the route (272,000, 400,000 or more), and Codex writes
    it into its record.
    """
    name = model.lower()
    if name.endswith(LARGE_MARK):
        return LARGE
    # The parts of a name, whatever a provider puts around and between them (`us.anthropic.claude-opus-4-6-v1:0`).
    words = "".join(letter if letter.isalnum() else " " for letter in name).split()
    if "gemini" in words:
        return GEMINI
    place = next((place for place, word in enumerate(words) if word in _LARGE_SINCE), None)
    if "claude" not in words or place is None:
        return USUAL
    since, version = _LARGE_SINCE[words[place]], _version(words[place + 1 :])
    # A family without a number is an alias, and could be any version.
    return LARGE if (since <= version if version else since == (0, 0)) else USUAL


def percent_of(tokens: int, window: int) -> int:
    """How full a window is, rounded down: 50 means that a half is reached. Above 100 where it does not fit."""
    return tokens * 100 // window if window > 0 else 0


def _version(words: list[str]) -> tuple[int, ...]:
    """The numbers that follow a family: (4, 1) of `4-1-20250805`. A date is no version, nor is what follows it."""
    numbers: list[int] = []
    for word in words[:2]:
        if not (word.isascii() and word.isdigit() and len(word) <= 2):
            break
        numbers.append(int(word))
    return tuple(numbers)


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
        """The first value that makes sense; those before it are complained about. An empty one counts as not set."""
        for place, value in ((name, environment.get(name)), (f"the setting context.{key}", settings.get(key))):
            number = _number(value, largest)
            if number is not None:
                return number
            if value is not None and value != "":
                left_out = f"{place} is {repr(value)[:60]} and was left out"
                complaints.append(f"{left_out}: write a whole number from 1 to {largest}")
        return None

    warned, held = choose(WARN_NAME, "warn", 100), choose(HOLD_NAME, "hold", 100)
    warn, hold = warned or WARN, held or HOLD
    # A default gives way to what was set: it keeps its distance.
    if warned is None and hold < WARN:
        warn = max(1, hold - (HOLD - WARN))
    if held is None and warn > HOLD:
        hold = min(100, warn + HOLD - WARN)
    window = choose(WINDOW_NAME, "window", _LARGEST_WINDOW)
    if warn > hold:
        complaints.append(
            f"the warning at {warn} % would come after the hold at {hold} %; {WARN} and {HOLD} are used:"
            f" set {WARN_NAME} below {HOLD_NAME}"
        )
        warn, hold = WARN, HOLD
    return Thresholds(warn, hold, window, complaints)


def _number(value: object, largest: int) -> int | None:
    if isinstance(value, str):
        text = value.strip()
        # Ten digits are more than any of these needs, and int() is given nothing but digits.
        value = int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else None
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= largest:
        return value
    return None
