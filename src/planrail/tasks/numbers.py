"""Which tasks, and with which requests? What people type behind a command: `7, 9-12 --hard look at the cache`.

Numbers stand first; flags are words of their own, so a text that merely speaks of `--team` asks for none.
"""

from collections.abc import Iterable, Sequence

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import record
from planrail.base.wording import quote
from planrail.tasks.waves import join_numbers

MOST_TASKS = 10_000  # in one call; a longer range is a slip of the finger
_LONGEST = 9  # digits of a number
_EFFORTS = ("fast", "normal", "hard")  # the later one wins, whatever the order
_MODELS = ("haiku", "sonnet", "opus")
_MODES = ("explore", "exploit")
_FLAGS = {"--clean", "--force", "--lit", "--team", *(f"--{name}" for name in (*_EFFORTS, *_MODELS, *_MODES))}
_VALUED = {"--effort": "--effort hard", "--model": "--model opus", "--team-size": "--team-size 3"}  # with an example
_DASHES = str.maketrans({"‐": "-", "–": "-", "—": "-", "−": "-", "，": ",", "、": ",", ";": ","})
_FEWER = "name fewer, for example 7,9-12"
_EXAMPLE = "tasks are named so: 7  or  7,9-12"


@record
class Typed:
    """`planrail task COMMAND NUMBERS OPTIONS -- FOCUS`. `options` are words; `own` are those of a call for several."""

    command: str
    numbers: tuple[int, ...]
    options: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    focus: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """What stands behind the number of a task that is done in a process of its own."""
        return (*self.options, *(("--", self.focus) if self.focus else ()))

    @property
    def tail(self) -> str:
        """What stands behind the numbers, for a person to type."""
        return "".join(f" {quote(word)}" for word in (*self.options, *self.own, *self.words[len(self.options) :]))

    def again(self, numbers: Iterable[int] = (), **instead: str) -> str:
        """The same call, for these tasks where any are named, with other values for the options that are named."""
        return f"planrail task {self.command} {join_numbers(numbers or self.numbers)}{self.changed(**instead).tail}"

    def changed(self, **instead: str) -> "Typed":
        options = self.options
        for name, value in instead.items():
            at = options.index(f"--{name}") if f"--{name}" in options else len(options)
            options = (*options[:at], *options[at + 2 :], f"--{name}", value)
        return Typed(self.command, self.numbers, options, self.own, self.focus)


@record
class TaskCall:
    """What was asked for. `numbers` has every task once, in the order of the call; `said` as often as it was said.

    `unknown` are words that look like options and are none here; they stay in the focus, since it is a text.
    """

    numbers: tuple[int, ...]
    focus: str = ""
    effort: str = ""
    model: str = ""
    clean: bool = False
    force: bool = False
    team: bool = False
    team_size: int = 2
    lit: bool = False
    mode: str = ""
    said: tuple[int, ...] = ()
    unknown: tuple[str, ...] = ()


def read_numbers(text: str) -> tuple[int, ...]:
    said, rest = _take_numbers(text.split())
    if rest or not said:
        raise _no_number(text)
    return tuple(dict.fromkeys(said))


def read_number(word: str, least: int = 1) -> int:
    """The number of one task. A wrong one is refused, and is no usage error: scripts expect 1."""
    if not (word.isascii() and word.isdigit() and len(word) < 10 and int(word) >= least):
        raise PlanrailError(f"the number of a task is wanted, not {word!r}", remedy="planrail task list")
    return int(word)


def read_call(words: Sequence[str]) -> TaskCall:
    """What the words behind a command ask for: numbers, flags, and the rest as focus.

    A whole call may come as one text. A later word with blanks in it was quoted: it is text, and holds no flag, and so
    is all that stands behind `--`.
    """
    first = words[0].split() if words else []
    said, rest = _take_numbers([*first, *words[1:]])
    if not said:
        raise _no_number(" ".join(words))
    end = rest.index("--") if "--" in rest else len(rest)
    flags, values, focus = _sort_words(rest[:end])
    size = values.get("--team-size", "")
    return TaskCall(
        numbers=tuple(dict.fromkeys(said)),
        focus=" ".join([*focus, *rest[end + 1 :]]).encode("utf-8", "replace").decode(),  # no halves of characters
        effort=values.get("--effort") or _strongest(flags, _EFFORTS),
        model=values.get("--model") or _strongest(flags, _MODELS),
        clean="--clean" in flags,
        force="--force" in flags,
        team="--team" in flags or "--team-size" in values,
        team_size=int(size) if size else 2,
        lit="--lit" in flags,
        mode=_strongest(flags, _MODES),
        said=tuple(said),
        unknown=tuple(word for word in focus if _is_option(word)),
    )


def _take_numbers(words: Sequence[str]) -> tuple[list[int], list[str]]:
    """Numbers and ranges at the head, and the rest; `7 - 9` is one range, and `task 7` and `#7` mean 7."""
    start = 1 if words and words[0].lower() in ("task", "tasks") else 0
    end = start
    while end < len(words) and _is_numeric(words, end):
        end += 1
    if end < len(words) and not _is_option(words[end]):  # a focus may begin with a number: `3 2 phases are too many`
        signs, most, end = (
            (",", "-", "–", "—"),
            end,
            start + 1,
        )  # so far goes a list that commas and dashes hold together
        while end < most and (words[end - 1].endswith(signs) or words[end].startswith(signs)):
            end += 1
        end = min(end, most)
    text = " ".join(words[start:end]).translate(_DASHES).replace("#", " ")
    for tight in (" -", "- "):
        while tight in text:
            text = text.replace(tight, "-")
    found: list[int] = []
    for piece in text.replace(",", " ").split():
        found.extend(_expand(piece))
        if len(found) > MOST_TASKS:
            raise UsageError(f"that is more than {MOST_TASKS:,} tasks in one call", remedy=_FEWER)
    return found, list(words[end:])


def _is_numeric(words: Sequence[str], at: int) -> bool:
    """Whether a word belongs to the numbers. A lone dash does where a number follows; a date is text."""
    word = words[at].translate(_DASHES)
    if word == "-":
        return at + 1 < len(words) and words[at + 1].strip("#")[:1].isdigit()
    if word.strip("0123456789,#-") or word.startswith("--") or not word.strip("#"):
        return False
    return at == 0 or all(piece.count("-") < 2 for piece in word.split(","))


def _expand(piece: str) -> Iterable[int]:
    first, dash, last = piece.partition("-")
    if not dash:
        return (_number(first),)
    if not first and last:
        raise UsageError(f"-{last} is no task: numbers begin with 1", remedy=_EXAMPLE)
    start, end = _number(first, piece), _number(last, piece)
    if end < start:
        raise UsageError(f"the range {piece} runs backwards", remedy=f"write {end}-{start}")
    if end - start >= MOST_TASKS:
        raise UsageError(f"the range {piece} has more than {MOST_TASKS:,} tasks", remedy=_FEWER)
    return range(start, end + 1)


def _number(digits: str, whole: str = "") -> int:
    if not (digits.isascii() and digits.isdigit()):
        raise UsageError(f"{whole or digits!r} is no task number", remedy=_EXAMPLE)
    if len(digits.lstrip("0")) > _LONGEST:
        raise UsageError(f"no task has a number of {len(digits)} digits", remedy="planrail task list")
    if not int(digits):
        raise UsageError("there is no task 0: numbers begin with 1", remedy=_EXAMPLE)
    return int(digits)


def _no_number(text: str) -> UsageError:
    shown = text if len(text) <= 60 else text[:59] + "…"
    what = f"{shown!r} does not name tasks by their numbers" if text.strip() else "no task was named"
    return UsageError(what, remedy=_EXAMPLE)


def _sort_words(words: Sequence[str]) -> tuple[set[str], dict[str, str], list[str]]:
    flags: set[str] = set()
    values: dict[str, str] = {}
    focus: list[str] = []
    left = list(reversed(words))
    while left:
        word = left.pop()
        name, equals, value = word.partition("=")
        if word in _FLAGS:
            flags.add(word)
        elif name in _VALUED:
            said = value if equals else left.pop() if left and _fits(name, left[-1]) else ""
            if not _fits(name, said) and name != "--team-size":  # a team without a size has the usual one
                choices = ", ".join(_EFFORTS) if name == "--effort" else "the name of a model"
                raise UsageError(f"{name} wants a value: {choices}", remedy=_VALUED[name])
            values[name] = said if _fits(name, said) else ""
        else:
            focus.append(word)
    return flags, values, focus


def _fits(option: str, value: str) -> bool:
    if option == "--team-size":
        return value.isascii() and value.isdigit() and len(value) <= _LONGEST
    return value in _EFFORTS if option == "--effort" else bool(value) and not _is_option(value)


def _is_option(word: str) -> bool:
    return word.startswith("--") and len(word) > 2 and not any(letter.isspace() for letter in word)


def _strongest(flags: set[str], names: Sequence[str]) -> str:
    return next((name for name in reversed(names) if f"--{name}" in flags), "")
