"""A call as it was typed, so that it can be typed again: for what is left of its tasks, with all its options."""

from collections.abc import Iterable

from planrail.base.records import record
from planrail.base.wording import quote
from planrail.tasks.waiting import join_numbers


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
        """The call with other values of options."""
        options = self.options
        for name, value in instead.items():
            options = (*_without(options, f"--{name}"), f"--{name}", value)
        return Typed(self.command, self.numbers, options, self.own, self.focus)


def _without(words: tuple[str, ...], option: str) -> tuple[str, ...]:
    """The words without an option that has a value."""
    if option not in words:
        return words
    at = words.index(option)
    return (*words[:at], *words[at + 2 :])
