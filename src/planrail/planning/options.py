"""What the user asked of one planning, beyond its request; and reading that from what they typed.

Options stand before the text, or after one that is a single line. Elsewhere they are words of the text: a user who
pastes an issue must not be steered by its last line. What looks like an option and is none is text as well.
"""

import re
from collections.abc import Callable

from planrail.base.errors import UsageError
from planrail.base.records import record, replace
from planrail.base.settings import SECTIONS, SMALL_SECTIONS
from planrail.planning.answers.plan_text import read_length
from planrail.planning.machine import (
    CRITIQUE,
    DEFAULT_ROUNDS,
    DRAFT,
    MIDDLING,
    REVISE,
    SKIPPABLE,
    list_phases,
    name_phases,
)
from planrail.planning.proportion import DEEP, MIDDLE, SMALL, Proportion, decide_size

PROMISE = "PLAN_OK"
ATTEMPTS = 4  # answers to one phase, the first included


@record
class PlanningOptions:
    """`named` and `skipped` choose phases; `free`: no phases at all, the agent plans as it likes.

    `size` is that of the planning, "" where none was decided, and `why` what decided it; "" where the user said so.
    """

    rounds: int | None = None  # as the user said for this planning
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
    size: str = ""
    why: str = ""

    @property
    def phases(self) -> tuple[str, ...]:
        if self.size == SMALL and not self.named:
            return (DRAFT,)
        if self.size == MIDDLE and not self.named:
            return MIDDLING
        rounds = self.rounds if self.rounds is not None or self.named else self.usual_rounds
        return list_phases(self.named, skipped=self.skipped, rounds=rounds, interview=self.interview)


def fit(options: PlanningOptions, request: str, *, has_critic: bool = False) -> PlanningOptions:
    """The options with the size that was said, else with the one that the request deserves.

    Who names phases, rounds or an interview has said how to plan; who names a critic wants it to be heard.
    """
    is_said = options.named or options.skipped or options.rounds is not None or options.interview
    if options.size and is_said:
        raise UsageError(
            f"--{options.size} says which phases there are", remedy=f"leave out --{options.size}, or the others"
        )
    if is_said or options.free or options.open_critique:
        return options
    found = decide_size(request)
    if has_critic and found.size == SMALL:
        found = Proportion(MIDDLE, "a critic is named")
    sized = options if options.size else replace(options, size=found.size, why=found.why)
    is_plain = sized.size == SMALL and sized.sections == tuple(SECTIONS)
    return replace(sized, sections=tuple(SMALL_SECTIONS)) if is_plain else sized


def outgrow(options: PlanningOptions, excess: str) -> PlanningOptions:
    """The options of a planning that was taken for a small one, and whose plan is none."""
    sections = tuple(SECTIONS) if options.sections == tuple(SMALL_SECTIONS) else options.sections
    named = (DRAFT, *(CRITIQUE, REVISE) * options.usual_rounds)
    return replace(options, size=DEEP, why=f"the plan has {excess}", sections=sections, named=named)


def describe_size(options: PlanningOptions) -> str:
    """What was decided, and by what; "" where nothing was."""
    why = options.why or "as you said"
    return f"a {options.size} planning ({why}): {', '.join(options.phases)}" if options.size else ""


def describe_options(options: PlanningOptions, defaults: PlanningOptions) -> str:
    said = [f"phases: {', '.join(options.phases)}"] if not options.size and options.phases != defaults.phases else []
    said += ["an open critique"] if options.open_critique else []
    said += [f"length: {options.length}"] if options.length != defaults.length else []
    is_own = options.sections not in (defaults.sections, tuple(SMALL_SECTIONS))
    said += [f"sections: {', '.join(options.sections)}"] if is_own else []
    said += [f"promise: {options.promise}"] if options.promise != defaults.promise else []
    said += ["without memory"] if not options.use_memory else []
    said += ["TOOL BLOCKING IS OFF: the agent can change files while it plans"] if not options.block else []
    return "; ".join(said)


def split_request(typed: str, defaults: PlanningOptions) -> tuple[PlanningOptions, str]:
    """The options and the request in what the user typed, or a `UsageError` about an option's value."""
    options, text = defaults, typed.strip()
    while found := _option_at(text, 0):
        apply, value, end = found
        options, text = apply(options, value), text[end:].lstrip()
    behind: list[tuple[_Apply, str]] = []
    while "\n" not in text and (start := _option_at_end(text)) >= 0:
        found = _option_at(text, start)
        if found is None or found[2] < len(text):
            break
        behind.append(found[:2])
        text = text[:start].rstrip()
    for apply, value in reversed(behind):
        options = apply(options, value)
    assert options.phases  # a list that cannot be had is refused here, where it can still be fixed
    return options, text


_Apply = Callable[[PlanningOptions, str], PlanningOptions]


def _option_at(text: str, start: int) -> tuple[_Apply, str, int] | None:
    """The option at a place, its value, and where it ends."""
    name = _NAME.match(text, start)
    if name is None or name[0].lower() not in _OPTIONS:
        return None
    apply, example = _OPTIONS[name[0].lower()]
    value = _VALUE.match(text, name.end()) if example else None
    if example and value is None:
        raise UsageError(f"{name[0]} wants a value", remedy=f"give it one: {name[0]} {example}")
    return (apply, value[1].strip("\"'"), value.end()) if value else (apply, "", name.end())


def _option_at_end(text: str) -> int:
    """Where the last option begins, or -1. It is looked for in the last words only: requests can be very long."""
    starts = (found.start(1) for found in _START.finditer(text, max(0, len(text) - _LONGEST)))
    named = [start for start in starts if (name := _NAME.match(text, start)) and name[0].lower() in _OPTIONS]
    return named[-1] if named else -1


def _count(field: str, most: int, example: int) -> _Apply:
    def apply(options: PlanningOptions, value: str) -> PlanningOptions:
        if not (value.isdecimal() and 1 <= int(value) <= most):
            remedy = f"choose 1 to {most}: --{field} {example}"
            raise UsageError(f"{value!r} is no number of {field}", remedy=remedy)
        return replace(options, **{field: int(value)})

    return apply


def _sections(options: PlanningOptions, value: str) -> PlanningOptions:
    names = tuple(name for part in value.split(",") if (name := part.strip()))
    if not names:
        raise UsageError("no section is named", remedy='name some: --sections "Goal,Steps"')
    return replace(options, sections=names)


def _promise(options: PlanningOptions, value: str) -> PlanningOptions:
    promise = " ".join(value.split())
    if not promise or "<" in promise:
        raise UsageError(f"{value!r} cannot be a promise", remedy="choose a plain word: --promise PLAN_OK")
    return replace(options, promise=promise)


def _skip(options: PlanningOptions, value: str) -> PlanningOptions:
    return replace(options, skipped=(*options.skipped, *name_phases(value)))


def _flag(**changes: object) -> tuple[_Apply, str]:
    return lambda options, _: replace(options, **changes), ""


# What each option changes, and an example of its value, "" where it has none. Phases that are named take the place of
# an interview that the settings ask for.
_OPTIONS: dict[str, tuple[_Apply, str]] = {
    "--rounds": (_count("rounds", 4, 2), "3"),
    "--refine-iterations": (_count("rounds", 4, 2), "3"),
    "--attempts": (_count("attempts", 20, 4), "4"),
    "--phases": (lambda options, value: replace(options, named=name_phases(value), interview=False), "explore,draft"),
    "--skip": (_skip, "explore"),
    "--sections": (_sections, '"Goal,Steps"'),
    "--promise": (_promise, "PLAN_OK"),
    "--length": (lambda options, value: replace(options, length=read_length(value)), '"under 40 lines"'),
    "--interview": _flag(interview=True),
    "--free": _flag(free=True),
    "--small": _flag(size=SMALL),
    "--deep": _flag(size=DEEP),
    "--open-critique": _flag(open_critique=True),
    "--no-memory": _flag(use_memory=False),
    "--clear-memory": _flag(clear_memory=True),
    "--no-block-tools": _flag(block=False),
} | {f"--skip-{name}": (lambda options, _, name=name: _skip(options, name), "") for name in SKIPPABLE}

_LONGEST = 400  # characters from the end in which the last option is looked for
_NAME = re.compile(r"--[A-Za-z][A-Za-z-]*(?=[\s=]|$)")
_VALUE = re.compile(r"(?:=|[ \t]+)(\"[^\"\n]*\"|'[^'\n]*'|(?!--)[^\s\"']\S*)(?=\s|$)")
_START = re.compile(r"(?:^|(?<=\s))(--)(?=[A-Za-z])")
