"""How many tokens fit into a model's context, and how full it is."""

LARGE_MARK = "[1m]"  # of a model with a large window; transcripts leave it out
USUAL = 200_000
LARGE = 1_000_000
GEMINI = 1_048_576
# The first version of each family of Claude with the large window. Haiku has none yet.
_LARGE_SINCE = {"opus": (4, 6), "sonnet": (4, 6), "fable": (0, 0), "mythos": (0, 0)}


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
    words = _words(name)
    if "gemini" in words:
        return GEMINI
    return LARGE if "claude" in words and _is_large_claude(words) else USUAL


def percent_of(tokens: int, window: int) -> int:
    """How full a window is, rounded down: 50 means that a half is reached. Above 100 where it does not fit."""
    return tokens * 100 // window if window > 0 else 0


def _is_large_claude(words: list[str]) -> bool:
    for place, word in enumerate(words):
        if word in _LARGE_SINCE:
            version = _version(words[place + 1 :])
            # A family without a number is an alias, and could be any version.
            return _LARGE_SINCE[word] <= version if version else _LARGE_SINCE[word] == (0, 0)
    return False


def _version(words: list[str]) -> tuple[int, ...]:
    """The numbers that follow a family: (4, 1) of `4-1-20250805`. A date is no version, nor is what follows it."""
    numbers: list[int] = []
    for word in words[:2]:
        if not (word.isascii() and word.isdigit() and len(word) <= 2):
            break
        numbers.append(int(word))
    return tuple(numbers)


def _words(name: str) -> list[str]:
    """The parts of a name, whatever a provider puts around and between them (`us.anthropic.claude-opus-4-6-v1:0`)."""
    return "".join(letter if letter.isalnum() else " " for letter in name).split()
