"""What a person sees before they answer: what a plan will do, or what changed since they last approved it."""

import re
import textwrap
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime

from planrail.approval.book import PlanFile, read_project_commands
from planrail.approval.diffing import compare
from planrail.approval.lookalikes import find_lookalikes
from planrail.approval.model import NOBODY, Approval, Rejection, Request
from planrail.approval.standing import APPROVED, Standing
from planrail.base.records import record
from planrail.base.run_model import PhaseOrder
from planrail.base.visible import show_code, show_line, show_text
from planrail.base.wording import plural
from planrail.plans.canonical.canonical import canonicalise, hash_text
from planrail.plans.execution.executions import list_commands, order_phases
from planrail.plans.lint.document import Problem, Severity
from planrail.plans.reading import read
from planrail.plans.states import State
from planrail.plans.text.source import PlanSource
from planrail.runs.evidence.running_files import name_running_files

_AS_CHECK = "  What is not run proves nothing by itself; put it into a `sh check` block (type e) to have it run."
_AROUND = (
    "  by the project's settings and lock files (shown only: your approval is of the plan's text and its checks, and\n"
    "  holds when these change):"
)
_FINGERPRINT = 16  # digits
_MOST_PROBLEMS = 10
_MOST_LOOKALIKES = 20
_CODE = re.compile("`[^`]+`")
# A path in prose: letters of any alphabet, and signs that are drawn like those of paths; no punctuation of sentences.
_WORD = re.compile(r"[\w./~@+∕⁄╱⧸․‐‑-]+")
_BOX = re.compile(r"\[[^\[\]]{0,2}\]")


@record
class Background:
    """What came before: the request that waits, the rejection that no approval followed, the text approved last."""

    request: Request | None = None
    rejection: Rejection | None = None
    last_text: str | None = None


def render_proposal(
    plan_file: PlanFile, standing: Standing, background: Background, problems: Sequence[Problem]
) -> str:
    """All that a person should know before they answer. Nothing in it can steer their terminal."""
    orders = order_phases(plan_file.plan, plan_file.source.text)
    is_known = standing.last is not None and background.last_text is not None
    lines = [f"{show_line(plan_file.plan.title)}  ({show_code(plan_file.path)})"]
    lines += [f"fingerprint of this text: {render_fingerprint(plan_file.source.text)}", ""]
    if (request := background.request) is not None:
        lines.append(f"request {request.id}, by {request.agent or request.member or 'unknown'}")
        is_same = request.canonical == plan_file.canonical.hash
        lines += [] if is_same else ["The text was edited since it was proposed; what you see is what is there now."]
        lines.append("")
    lines += _rejected(plan_file, background.rejection)
    lines += [f"{plural(len(orders), 'phase')}, {'' if is_known else 'not approved so far, '}and what will be run:"]
    lines += [line for order in orders for line in _render_order(order)]
    around = read_project_commands(plan_file.root)
    lines += [_AROUND] if around else []
    lines += [f"       {when}: {show_code(line)}" for when, command in around for line in command.split("\n")]
    lines += [_AS_CHECK] if any(order.unrun for order in orders) else []
    lines += [""] if orders or is_known else [plan_file.source.text, ""]
    if standing.last is not None and background.last_text is not None:
        lines += list(_since(plan_file, standing.last, background.last_text))
    named = dict(found for order in orders for found in name_running_files(order.text))
    if named:
        told = [f"  {show_code(name)}: {what}" for name, what in sorted(named.items())]
        lines += ["The plan says that it changes files that run things, so that its phases may:", *told, ""]
    lines += _lookalikes(plan_file, orders, around)
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    if errors:
        told = [f"line {problem.line}: {problem.rule}  {problem.message}" for problem in errors]
        lines += [f"planrail lint finds {plural(len(errors), 'error')}:", *_first(told, _MOST_PROBLEMS), ""]
    return show_text("\n".join(lines))


def render_fingerprint(text: str) -> str:
    """What two people, or a person at two screens, compare to know that they see the same text."""
    return " ".join(textwrap.wrap(hash_text(text)[:_FINGERPRINT], 4))


def _render_order(order: PhaseOrder) -> Iterator[str]:
    yield f"  {show_code(order.id)}  {show_line(order.title)}"
    if order.execution.kind == "direct":
        yield "       works in your checkout itself, not in a clone of it; nothing may be uncommitted there"
    lines = [line for command in list_commands(order) for line in command.split("\n")]
    yield from (f"       will be run: {show_code(line)}" for line in lines)
    if not order.own_checks and not State(order.state).is_terminal:
        yield f"       {'nothing else' if lines else 'nothing'} will be run: the phase has no check"
    yield from (f"       NOT run: {show_code(command)}, because {reason}" for command, reason in order.unrun)


def _lookalikes(plan_file: PlanFile, orders: Sequence[PhaseOrder], around: Sequence[tuple[str, str]]) -> list[str]:
    """A warning for each character of a command or a path that looks like another one."""
    text = plan_file.source.text
    all_commands = [*(command for order in orders for command in list_commands(order)), *(one for _, one in around)]
    commands = {line.strip() for command in all_commands for line in command.split("\n")}
    found = [
        f"line {number}, column {column}: {what}"
        for number, line in enumerate(text.split("\n"), 1)
        for column, what in sorted(_suspects(line, commands).items())
    ]
    for line in sorted(commands):  # one that the file spells in another way
        suspects = find_lookalikes(line)
        if suspects and line not in text:
            found += [f"column {column} of {show_code(line)}: {what}" for column, what in suspects]
    found += [f"the plan's path, column {column}: {what}" for column, what in find_lookalikes(plan_file.path)]
    head = "WARNING: not everything in the commands and paths is what it looks like:"
    return [head, *_first(found, _MOST_LOOKALIKES), ""] if found else []


def _suspects(line: str, commands: Collection[str]) -> dict[int, str]:
    """Columns, and what is wrong there, in a line of a command, in code or in a path."""
    if line.strip() in commands:
        return dict(find_lookalikes(line))
    words = (word for word in _WORD.finditer(line) if "/" in word[0] or "." in word[0]) if not line.isascii() else ()
    parts = [*_CODE.finditer(line), *words]
    return {part.start() + column: what for part in parts for column, what in find_lookalikes(part[0])}


def _first(lines: list[str], most: int) -> list[str]:
    more = [f"  and {len(lines) - most} more"] if len(lines) > most else []
    return [*(f"  {line}" for line in lines[:most]), *more]


def _rejected(plan_file: PlanFile, rejection: Rejection | None) -> list[str]:
    """That the last word was a no: whose, why, and whether the text is another by now."""
    if rejection is None:
        return []
    unseen = "; no person was seen" if rejection.channel == NOBODY else ""
    lines = [f"Rejected by {rejection.who or 'unknown'} ({describe_time(rejection.at)}{unseen}):"]
    lines += [f"  {line}" for line in rejection.feedback.strip().splitlines()]
    for comment in rejection.comments:
        lines += [f"  line {comment.line}: {line}" for line in comment.text.splitlines()]
    lines += ["  without a reason"] if len(lines) == 1 else []
    is_same = rejection.canonical == plan_file.canonical.hash
    return [*lines, "The text is the one that was rejected." if is_same else "The text has changed since.", ""]


def _since(plan_file: PlanFile, last: Approval, last_text: str) -> Iterator[str]:
    yield f"What changed since {last.who} approved it ({describe_time(last.at)}, {last.channel}):"
    found = compare(canonicalise(read(PlanSource(plan_file.source.path, last_text)), last_text), plan_file.canonical)
    boxed = []  # the lines that have a box, by what is left of them without its mark: all that a difference knows
    for text in (last_text, plan_file.source.text):
        lines = [line.rstrip() for line in text.split("\n")]
        boxed.append({_BOX.sub("[]", line, count=1): line for line in lines if _BOX.search(line)})
    for difference in found:
        yield ""
        name = f"phase {difference.key} · {difference.title}" if difference.key else difference.title
        yield f"{name}: {difference.kind}"
        for line in difference.lines:  # with its box as the file has it
            yield f"  {line[:1]}{boxed[not line.startswith('-')].get(line[1:], line[1:])}"
    if not found:
        yield "  nothing"
    yield ""


def describe_standing(standing: Standing) -> list[dict[str, object]]:
    """The phases of a plan as JSON: whether each is approved, by which person, when and how."""
    told, names = [], ("who", "at", "channel", "strength")
    for phase in standing.phases:
        own = {"phase": phase.key, "title": phase.title, "state": phase.state, "why": phase.why or None}
        approval = phase.approval if phase.state == APPROVED else None
        told.append({**own, **{name: getattr(approval, name, None) for name in names}})
    return told


def describe_time(at: int) -> str:
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):  # not a time that planrail has written
        return f"at {at}"
