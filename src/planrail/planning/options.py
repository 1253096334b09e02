"""What somebody asked of one planning, beyond its request; and reading that from what they typed.

Options stand before the text, or after one that is a single line. Elsewhere they are words of the text: who pastes an
issue must not be steered by its last line. What looks like an option and is none is text as well.
"""

import re
from collections.abc import Callable

from planrail.base.errors import UsageError
from planrail.base.records import record, replace
from planrail.base.settings import SECTIONS
from planrail.planning.answers.plan_text import read_length
from planrail.planning.machine import DEFAULT_ROUNDS, SKIPPABLE, list_phases, name_phases

PROMISE = "PLAN_OK"
ATTEMPTS = 4  # answers to one phase, the first included


@record
class Options:
    """`named` and `skipped` choose phases; `free`: no phases at all, the agent plans as it likes."""

    rounds: int | None = None  # as somebody said for this planning
    usual_rounds: int = DEFAULT_ROUNDS  # where nobody said anything, and no phases are named
    named: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    interview: bool = False
    free: bool = False
    open_critique: bool = False
    use_memory: bool = True
    clear_memory: bool = False
    length: str = "free"
    promise: str = PROMISE
    sections: tuple[str, ...] = tuple(SECTIONS)
    attempts: int = ATTEMPTS
    block: bool = True  # false: the person switches tool blocking off for this planning

    @property
    def phases(self) -> tuple[str, ...]:
        rounds = self.rounds if self.rounds is not None or self.named else self.usual_rounds
        return list_phases(self.named, skipped=self.skipped, rounds=rounds, interview=self.interview)


def describe_options(options: Options, defaults: Options) -> str:
    said = []
    if options.phases != defaults.phases:
        said.append(f"phases: {', '.join(options.phases)}")
    if options.open_critique:
        said.append("an open critique")
    if options.length != defaults.length:
        said.append(f"length: {options.length}")
    if options.sections != defaults.sections:
        said.append(f"sections: {', '.join(options.sections)}")
    if options.promise != defaults.promise:
        said.append(f"promise: {options.promise}")
    if not options.use_memory:
        said.append("without memory")
    if not options.block:
        said.append("TOOL BLOCKING IS OFF: the agent can change files while it plans")
    return "; ".join(said)


def split_request(typed: str, defaults: Options) -> tuple[Options, str]:
    """The options and the request in what somebody typed, or a `UsageError` about an option's value."""
    options, text = defaults, typed.strip()
    while found := _option_at(text, 0):
        options, text = found.option.apply(options, found.value), text[found.end :].lstrip()
    behind: list[_Found] = []
    while "\n" not in text and (found := _option_at_end(text)):
        behind.append(found)
        text = text[: found.start].rstrip()
    for found in reversed(behind):
        options = found.option.apply(options, found.value)
    assert options.phases  # a list that cannot be had is refused here, where somebody can still mend it
    return options, text


@record
class _Found:
    """An option in a text, and where it stands."""

    option: "_Option"
    value: str
    start: int
    end: int


def _option_at(text: str, start: int) -> _Found | None:
    name = _NAME.match(text, start)
    option = _OPTIONS.get(name[0].lower()) if name else None
    if name is None or option is None:
        return None
    if not option.example:
        return _Found(option, "", start, name.end())
    value = _VALUE.match(text, name.end())
    if value is None:
        raise UsageError(f"{name[0]} wants a value", remedy=f"give it one: {name[0]} {option.example}")
    return _Found(option, value[1].strip("\"'"), start, value.end())


def _option_at_end(text: str) -> _Found | None:
    """The option that a text ends with. It is looked for in the last words only: requests can be very long."""
    for start in reversed([found.start(1) for found in _START.finditer(text, max(0, len(text) - _LONGEST))]):
        name = _NAME.match(text, start)
        if name is None or name[0].lower() not in _OPTIONS:
            continue
        found = _option_at(text, start)
        return found if found and found.end == len(text) else None
    return None


@record
class _Option:
    apply: Callable[[Options, str], Options]
    example: str = ""  # of its value; "" where it has none


def _count(field: str, most: int, example: int) -> Callable[[Options, str], Options]:
    def apply(options: Options, value: str) -> Options:
        if not (value.isdecimal() and 1 <= int(value) <= most):
            remedy = f"choose 1 to {most}: --{field} {example}"
            raise UsageError(f"{value!r} is no number of {field}", remedy=remedy)
        return replace(options, **{field: int(value)})

    return apply


def _named(options: Options, value: str) -> Options:
    """Phases that are named take the place of an interview that the settings ask for."""
    return replace(options, named=name_phases(value), interview=False)


def _sections(options: Options, value: str) -> Options:
    names = tuple(name for part in value.split(",") if (name := part.strip()))
    if not names:
        raise UsageError("no section is named", remedy='name some: --sections "Goal,Steps"')
    return replace(options, sections=names)


def _promise(options: Options, value: str) -> Options:
    promise = " ".join(value.split())
    if not promise or "<" in promise:
        raise UsageError(f"{value!r} cannot be a promise", remedy="choose a plain word: --promise PLAN_OK")
    return replace(options, promise=promise)


def _length(options: Options, value: str) -> Options:
    return replace(options, length=read_length(value))


def _skip(options: Options, value: str) -> Options:
    return replace(options, skipped=(*options.skipped, *name_phases(value)))


def _flag_skip(name: str) -> _Option:
    return _Option(lambda options, _: _skip(options, name))


def _flag(**changes: object) -> _Option:
    return _Option(lambda options, _: replace(options, **changes))


def _ignored(options: Options, value: str) -> Options:
    """The predecessor's ceiling: it is derived from the list of phases now."""
    if not value.isdecimal():
        raise UsageError(f"{value!r} is no number of phases", remedy="leave it out: the list of phases says it")
    return options


_OPTIONS = {
    "--rounds": _Option(_count("rounds", 4, 2), "3"),
    "--refine-iterations": _Option(_count("rounds", 4, 2), "3"),
    "--attempts": _Option(_count("attempts", 20, 4), "4"),
    "--phases": _Option(_named, "explore,draft"),
    "--skip": _Option(_skip, "explore"),
    "--sections": _Option(_sections, '"Goal,Steps"'),
    "--required-sections": _Option(_sections, '"Goal,Steps"'),
    "--promise": _Option(_promise, "PLAN_OK"),
    "--completion-promise": _Option(_promise, "PLAN_OK"),
    "--length": _Option(_length, '"under 40 lines"'),
    "--max-phases": _Option(_ignored, "8"),
    "--max-iterations": _Option(_ignored, "8"),
    "--interview": _flag(interview=True),
    "--free": _flag(free=True),
    "--open-critique": _flag(open_critique=True),
    "--no-memory": _flag(use_memory=False),
    "--clear-memory": _flag(clear_memory=True),
    "--no-block-tools": _flag(block=False),
} | {f"--skip-{name}": _flag_skip(name) for name in SKIPPABLE}

_LONGEST = 400  # characters from the end in which the last option is looked for
_NAME = re.compile(r"--[A-Za-z][A-Za-z-]*(?=[\s=]|$)")
_VALUE = re.compile(r"(?:=|[ \t]+)(\"[^\"\n]*\"|'[^'\n]*'|(?!--)[^\s\"']\S*)(?=\s|$)")
_START = re.compile(r"(?:^|(?<=\s))(--)(?=[A-Za-z])")
