"""What follows from drift: nothing, a correction, a question to a person, or the end of the attempt.

Up to 10 % a number is corrected, as was approved with the plan; up to 20 % a person is asked; beyond that the plan is
about something else than what was built. A bullet that drifts a second time is not converging.
"""

import re
from collections.abc import Collection, Iterable, Sequence

from planrail.base.records import record, replace
from planrail.base.run_model import DriftOutcome, DriftRecord
from planrail.plans.editing.corrections import Correction, correct, splice_lines
from planrail.plans.editing.quantities import NEVER, measure, read_stated, restate
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.text.source import Source

SMALL, LARGE = 10, 20  # per cent
CORRECTED = ("correct", "correct_and_note")
MARK = "PLAN-TEXT-DRIFT:"
_TOKEN = re.compile(
    r'\s*phase=(?:"(?P<quoted>[^"]+)"|(?P<phase>[^\s="<>]+))\s+bullet=(?P<bullet>[1-9][0-9]{0,5})\s+'
    r"field=(?P<field>[^\s:=]+)\s+plan=(?P<plan>\S(?:.*?\S)?)\s+actual=(?P<actual>-?[0-9][0-9,]*)"
)


def decide(percent: int | None, *, tests_held: bool = True) -> str:
    """`none`, `correct`, `correct_and_note` or `abort`. What cannot be measured (None) is left as it is and noted."""
    if not tests_held:
        return "abort"
    if not percent:
        return "none"
    if percent <= SMALL:
        return "correct"
    return "correct_and_note" if percent <= LARGE else "abort"


def decide_drift(
    records: Sequence[DriftRecord],
    text: str,
    plan: Plan,
    day: str,
    *,
    tests_held: bool = True,
    earlier: Collection[tuple[str, int]] = (),
) -> DriftOutcome:
    """What to do about the drift that was reported.

    `earlier` are the (phase, bullet) pairs that were corrected before. Of two records about one number
    the later counts, so the verifier's come last. `edits` are all corrections; where `asks` is not empty, none of them
    may be made before a person has said yes.
    """
    latest = tuple({(known.phase, known.bullet, known.stated): known for known in records}.values())
    state = _Deciding(DriftOutcome(latest), text)
    for known in latest:
        state = _take(state, known, plan, day, tests_held=tests_held, earlier=earlier)
    if state.outcome.abort:
        return replace(state.outcome, asks="")
    return replace(state.outcome, edits=splice_lines(text, state.text))


@record
class _Deciding:
    """What was decided so far, and the plan's text with the corrections so far."""

    outcome: DriftOutcome
    text: str


def _take(
    state: _Deciding,
    known: DriftRecord,
    plan: Plan,
    day: str,
    *,
    tests_held: bool,
    earlier: Collection[tuple[str, int]],
) -> _Deciding:
    percent = measure(known.stated, known.actual)
    place = f"phase {known.phase}, bullet {known.bullet} ({known.field})"
    name = f"{place}: the plan says {known.stated}, it is {known.actual}"
    decision = decide(percent, tests_held=tests_held)
    if decision == "abort":
        return _abort(state, f"{name}: " + (_how_far(percent) if tests_held else "the tests do not hold"))
    if percent is None:
        return _note(state, f"{name}: no drift can be derived from that")
    if decision == "none":
        return state
    if (known.phase, known.bullet) in earlier:
        return _abort(state, f"{name}: this bullet was corrected before, and drifts again")
    return _correct(state, known, plan, day, f"{name}: {_how_far(percent)}", asks=decision == "correct_and_note")


def _how_far(percent: int | None) -> str:
    return "it had to be exact" if percent == NEVER else f"{percent} % off"


def _correct(state: _Deciding, known: DriftRecord, plan: Plan, day: str, name: str, *, asks: bool) -> _Deciding:
    now = read(Source(plan.path, state.text))
    phase = now.phase(known.phase)
    if phase is None or phase.status.is_terminal:
        why = "there is no such phase" if phase is None else "that phase is finished"
        return _note(state, f"{name}; nothing was changed: {why}")
    new = restate(known.stated, known.actual)
    edit = correct(state.text, now, phase, known.bullet, known.stated, new, day)
    if edit is None:
        return _note(state, f"{name}; nothing was changed: that bullet does not say so in its text")
    outcome = state.outcome
    if asks:
        question = f"{name}. It would say {new}"
        outcome = replace(outcome, asks=f"{outcome.asks}\n{question}".strip())
    noted = replace(outcome, notes=(*outcome.notes, f"{name}; corrected to {new}"))
    return _Deciding(noted, edit.apply(state.text))


def _note(state: _Deciding, text: str) -> _Deciding:
    return replace(state, outcome=replace(state.outcome, notes=(*state.outcome.notes, text)))


def _abort(state: _Deciding, text: str) -> _Deciding:
    reasons = "\n".join(filter(None, (state.outcome.abort, text)))
    return replace(state, outcome=replace(state.outcome, abort=reasons))


def leaves_approval(corrections: Iterable[Correction]) -> bool:
    """Whether an approval of the text before these corrections stands: each number is 10 % off at most, all told."""
    origins: dict[tuple[str, int, str], str] = {}
    for known in corrections:
        origin = origins.pop((known.phase, known.bullet, known.was), known.was)
        now = read_stated(known.says)
        percent = measure(origin, str(now.middle)) if now is not None else None
        if percent is None or percent > SMALL:
            return False
        origins[known.phase, known.bullet, known.says] = origin
    return True


# Drift tokens: the lines by which an agent reports a number in the plan that reality contradicts.
#
#     PLAN-TEXT-DRIFT: phase=4b bullet=2 field=lines plan=340-380 actual=277
#
# `bullet` counts the criteria of the phase that have a number in them. A phase whose id has blanks stands in quotes.


def read_tokens(text: str) -> tuple[tuple[DriftRecord, ...], tuple[str, ...]]:
    """The records of all tokens in a text, and what is wrong with those that cannot be read."""
    records: list[DriftRecord] = []
    errors: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        for part in line.split(MARK)[1:]:
            token = _TOKEN.match(part)
            if token:
                records.append(_record(token))
            else:
                errors.append(f"line {number}: no drift token: {(MARK + part).strip()[:200]}")
    return tuple(records), tuple(errors)


def _record(token: re.Match[str]) -> DriftRecord:
    phase = token["quoted"] or token["phase"]
    return DriftRecord(phase, int(token["bullet"]), token["field"], token["plan"], token["actual"].rstrip(","))
