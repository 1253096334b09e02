"""How far is a run? Its journal as lines, the steps of its phases, and whether it shows signs of life. Pure."""

import json
from collections.abc import Iterable, Sequence

from planrail.base.records import record, replace
from planrail.base.values import unpack

NAME = "journal.jsonl"
BEGUN, ENDED = "begun", "ended"
STUCK = "may be stuck"
QUIET, SLOW, TRIED = 600, 1800, 2  # seconds without a sign, in one step, retries: from here on nobody says "fine"
STEPS = {
    "choose": "choosing the next phase",
    "go_on": "waiting for a person",
    "confirm": "waiting for a person",
    "ask_fix": "waiting for a person",
    "ask_drift": "waiting for a person",
    "ask_stale": "waiting for a person",
    "sign_off": "waiting for a sign-off",
    "limit": "waiting for a usage limit",
    "start": "starting",
    "measure": "running the checks on the base",
    "baseline": "running the checks on the base",
    "fresh": "looking whether the plan still fits",
    "workspace": "preparing the workspace",
    "implement": "the agent works",
    "fix": "an agent fixes it",
    "snapshot": "keeping the work",
    "checks": "running the checks",
    "verify": "judging the work",
    "pictures": "taking pictures",
    "drift": "comparing numbers",
    "candidate": "building the commit",
    "prove": "proving the commit",
    "land": "landing",
    "publish": "showing it in the pull request",
    "merge": "bringing the pull request to its end",
    "end": "closing the phase",
    "verify_all": "checking the whole",
    "mark": "marking the plan complete",
    "complete": "marking the plan complete",
}
WAITING = ("go_on", "confirm", "ask_fix", "ask_drift", "ask_stale", "sign_off", "limit")


@record
class JournalLine:
    """A line of a journal: a step began, or has ended with a value, which is still packed."""

    at: float
    key: str
    state: str
    value: object = None

    def result(self) -> object:
        """What the step found out; None for what planrail has not written."""
        try:
            return unpack(self.value)
        except (ValueError, RecursionError):
            return None


@record
class Step:
    """A step of a phase, with its times; `ended` is None while it is under way. `tries` counts how often it began."""

    phase: str
    attempt: int
    name: str
    began: float
    ended: float | None
    tries: int = 1

    @property
    def kind(self) -> str:
        return self.name.partition(".")[0]


@record
class Life:
    """What is known of an agent that works: when it last did something, and what went wrong."""

    quiet: float  # seconds since the last sign of life
    in_step: float  # seconds since the step began
    tries: int
    attempts: int
    errors: tuple[str, ...] = ()


def parse_journal(data: bytes) -> list[JournalLine]:
    """The lines of a journal's file; one that a crash has torn is none, nor is an end without a result."""
    return [line for raw in data.split(b"\n") if (line := _parse(raw)) is not None]


def _parse(raw: bytes) -> JournalLine | None:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    match found:
        case {"at": int() | float() as at, "key": str() as key, "state": "begun"}:
            return JournalLine(float(at), key, BEGUN)
        case {"at": int() | float() as at, "key": str() as key, "state": "ended", "value": value}:
            return JournalLine(float(at), key, ENDED, value)
        case _:
            return None


def split_key(key: str) -> tuple[str, int, str]:
    """Phase, attempt and step of a key; no phase and attempt 0 for a step of the run itself."""
    kind, _, rest = key.partition("/")
    parts = rest.rsplit("/", 2)
    if kind == "phase" and len(parts) == 3 and parts[1].isdigit():
        return parts[0], int(parts[1]), parts[2]
    return "", 0, key.rpartition("/")[2]


def current_key(lines: Sequence[JournalLine]) -> str:
    """The step that began last and has not ended; "" where there is none."""
    last = {line.key: line.state for line in lines}
    return next((line.key for line in reversed(lines) if last[line.key] == BEGUN), "")


def list_steps(lines: Iterable[JournalLine]) -> list[Step]:
    """The steps in the order in which they first began; one that had ended and was done again is there twice.

    One that was begun anew after a crash counts from the last: nobody knows when the earlier one died.
    """
    steps: list[Step] = []
    going: dict[str, int] = {}  # where those are that have not ended
    tries: dict[str, int] = {}
    for line in lines:
        if line.state == BEGUN:
            tries[line.key] = tries.get(line.key, 0) + 1
            step = Step(*split_key(line.key), line.at, None, tries[line.key])
            place = going.setdefault(line.key, len(steps))
            steps[place : place + 1] = [step]
        elif line.key in going:
            place = going.pop(line.key)
            steps[place] = replace(steps[place], ended=max(steps[place].began, line.at))  # a clock may be set back
        elif line.key not in tries:
            tries[line.key] = 1
            steps.append(Step(*split_key(line.key), line.at, line.at))
    return steps


def describe_step(name: str) -> str:
    return STEPS.get(name.partition(".")[0], name)


def name_verifier(agent: str, verifier: str) -> str:
    """What verifies: another program, the same one in a process of its own, or the checks alone, for a runbook."""
    return "the checks" if (verifier or agent) == "runbook" else verifier or agent


def answer_stuck(life: Life, *, step: str) -> str:
    """ "Are you stuck?" in figures. Nobody is told that all is well where the figures do not say so."""
    facts = [f"last sign of life {render_time(life.quiet)} ago", f"{render_time(life.in_step)} in this step"]
    facts += [f"begun {life.tries} times"] if life.tries > 1 else []
    facts += [f"attempt {life.attempts}"] if life.attempts > 1 else []
    facts += [f"{len(life.errors)} error{'s' * (len(life.errors) != 1)}"] if life.errors else []
    return f"{judge_life_signs(life, step=step)}: {', '.join(facts)}"


def judge_life_signs(life: Life, *, step: str) -> str:
    """`waiting` for a person, `working`, or `may be stuck`."""
    if step.partition(".")[0] in WAITING:
        return "waiting"
    slow = life.quiet >= QUIET or life.in_step >= SLOW or life.tries > TRIED or life.attempts > TRIED
    return STUCK if slow else "working"


def render_time(seconds: float) -> str:
    """A time as people say it: 12s, 3:05, 1:02:03."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole}s"
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
