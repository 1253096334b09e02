"""What follows from drift: nothing, a correction, a question to a person, or the end of the attempt.

Up to 10 % a number is corrected, as was approved with the plan; up to 20 % a person is asked; beyond that the plan is
about something else than what was built. A bullet that drifts a second time is not converging.
"""

import re
from collections.abc import Collection, Iterable, Sequence

from planrail.base.run_model import DriftOutcome, DriftRecord
from planrail.plans.editing.corrections import NEVER, Correction, correct, measure, read_stated, restate, splice_lines
from planrail.plans.editing.edits import Edit
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource

SMALL, LARGE = 10, 20  # per cent
CORRECTED = ("correct", "correct_and_note")
MARK = "PLAN-TEXT-DRIFT:"
_TOKEN = re.compile(
    r'\s*phase=(?:"(?P<quoted>[^"]+)"|(?P<phase>[^\s="<>]+))\s+bullet=(?P<bullet>[1-9][0-9]{0,5})\s+'
    r"field=(?P<field>[^\s:=]+)\s+plan=(?P<plan>\S(?:.*?\S)?)\s+actual=(?P<actual>-?[0-9][0-9,]*)"
)


def decide(percent: int | None) -> str:
    """`none`, `correct`, `correct_and_note` or `abort`. What cannot be measured (None) is left as it is and noted."""
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
    earlier: Collection[tuple[str, int]] = (),
) -> DriftOutcome:
    """What to do about the drift that was reported.

    `earlier` are the (phase, bullet) pairs that were corrected before. Of two records about one number
    the later counts, so the verifier's come last. `edits` are all corrections; where `asks` is not empty, none of them
    may be made before a person has approved.
    """
    latest = tuple({(known.phase, known.bullet, known.stated): known for known in records}.values())
    corrected, aborts, asks, notes = text, [], [], []
    for known in latest:
        percent = measure(known.stated, known.actual)
        decision = decide(percent)
        place = f"phase {known.phase}, bullet {known.bullet} ({known.field})"
        name = f"{place}: the plan says {known.stated}, it is {known.actual}"
        far = "it had to be exact" if percent == NEVER else f"{percent} % off"
        if decision == "abort":
            aborts.append(f"{name}: {far}")
        elif percent is None:
            notes.append(f"{name}: no drift can be derived from that")
        elif decision != "none" and (known.phase, known.bullet) in earlier:
            aborts.append(f"{name}: this bullet was corrected before, and drifts again")
        elif decision != "none":
            edit = _correct(known, PlanSource(plan.path, corrected), day)
            new = restate(known.stated, known.actual)
            if isinstance(edit, str):
                notes.append(f"{name}: {far}; nothing was changed: {edit}")
                continue
            corrected = edit.apply(corrected)
            notes.append(f"{name}: {far}; corrected to {new}")
            asks += [f"{name}: {far}. It would say {new}"] if decision == "correct_and_note" else []
    if aborts:
        return DriftOutcome(latest, notes=tuple(notes), abort="\n".join(aborts))
    return DriftOutcome(latest, splice_lines(text, corrected), tuple(notes), asks="\n".join(asks))


def _correct(known: DriftRecord, source: PlanSource, day: str) -> Edit | str:
    now = read(source)
    phase, new = now.phase(known.phase), restate(known.stated, known.actual)
    if phase is None or phase.status.is_terminal:
        return "there is no such phase" if phase is None else "that phase is finished"
    edit = correct(source.text, now, phase, known.bullet, known.stated, new, day)
    return edit or "that bullet does not say so in its text"


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
                phase, actual = token["quoted"] or token["phase"], token["actual"].rstrip(",")
                records.append(DriftRecord(phase, int(token["bullet"]), token["field"], token["plan"], actual))
            else:
                errors.append(f"line {number}: no drift token: {(MARK + part).strip()[:200]}")
    return tuple(records), tuple(errors)
