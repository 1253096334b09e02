"""What a person sees before they answer: what a plan will do, or what changed since they last said yes."""

import re

from planrail.approvals.diffing import Difference, compare
from planrail.approvals.model import NOBODY, Approval, Rejection, Request
from planrail.approvals.standing import APPROVED, Standing
from planrail.cli.approval.book import Paper
from planrail.cli.screen import clean, plural
from planrail.plans.canonical import Canonical, canonicalise
from planrail.plans.checks import read_checks
from planrail.plans.lint.problems import Severity
from planrail.plans.reading import read
from planrail.plans.source import Source
from planrail.records import record
from planrail.runs.phases.executions import read_fixes, read_scripts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planrail.plans.lint.problems import Problem
    from planrail.plans.model import Phase

_MOST_PROBLEMS = 10
_BOX = re.compile(r"\[[^\[\]]{0,2}\]")


@record
class Background:
    """What came before: the request that waits, the no that nobody has answered with a yes, the text approved last."""

    request: Request | None = None
    rejection: Rejection | None = None
    last_text: str | None = None


def render_proposal(paper: Paper, standing: Standing, background: Background, problems: "Sequence[Problem]") -> str:
    """All that a person should know before they answer. Nothing in it can steer their terminal."""
    lines = [f"{paper.plan.title}  ({paper.path})", ""]
    lines += _asker(paper, background.request)
    lines += _rejected(paper, background.rejection)
    if standing.last is not None and background.last_text is not None:
        lines += list(_since(paper, standing.last, background.last_text))
    else:
        lines += list(_first_time(paper))
    lines += _problems(problems)
    return clean("\n".join(lines))


def _asker(paper: Paper, request: Request | None) -> list[str]:
    if request is None:
        return []
    by = request.agent or request.member or "somebody"
    lines = [f"request {request.id}, by {by}"]
    if request.canonical != paper.canonical.hash:
        lines.append("The text was edited since it was proposed; what you see is what is there now.")
    return [*lines, ""]


def _rejected(paper: Paper, rejection: Rejection | None) -> list[str]:
    """That the last word was a no: whose, why, and whether the text is another by now."""
    if rejection is None:
        return []
    unseen = "; no person was seen" if rejection.channel == NOBODY else ""
    lines = [f"Rejected by {rejection.who or 'somebody'} ({describe_time(rejection.at)}{unseen}):"]
    lines += [f"  {line}" for line in rejection.feedback.strip().splitlines()]
    for comment in rejection.comments:
        lines += [f"  line {comment.line}: {line}" for line in comment.text.splitlines()]
    lines += ["  without a reason"] if len(lines) == 1 else []
    is_same = rejection.canonical == paper.canonical.hash
    return [*lines, "The text is the one that was rejected." if is_same else "The text has changed since.", ""]


def _first_time(paper: Paper) -> "Iterator[str]":
    yield f"{plural(len(paper.plan.phases), 'phase')}, not approved so far:"
    for phase in paper.plan.phases:
        yield f"  {phase.id}  {phase.title}"
        yield from (f"       will be run: {line}" for line in _code(phase))
    if not paper.plan.phases:
        yield paper.source.text
    yield ""


def _code(phase: "Phase") -> list[str]:
    """Every line of a phase that planrail would execute: what it does, what mends it, what checks it."""
    sections = list(phase.sections)
    blocks = [*read_scripts(sections), *read_fixes(sections), *(check.command for check in read_checks(sections))]
    return [line for block in blocks for line in block.splitlines()] if sections else []


def _since(paper: Paper, last: Approval, last_text: str) -> "Iterator[str]":
    yield f"What changed since {last.who} approved it ({describe_time(last.at)}, {last.channel}):"
    found = compare(_canonical_of(paper.source.path, last_text), paper.canonical)
    before, now = _boxed_lines(last_text), _boxed_lines(paper.source.text)
    for difference in found:
        yield ""
        yield _head(difference)
        yield from (f"  {_with_box(line, before if line.startswith('-') else now)}" for line in difference.lines)
    if not found:
        yield "  nothing"
    yield ""


def _boxed_lines(text: str) -> dict[str, str]:
    """The lines that have a box, by what is left of them without its mark, which is all that a difference knows."""
    lines = [line.rstrip() for line in text.splitlines()]
    return {_BOX.sub("[]", line, count=1): line for line in lines if _BOX.search(line)}


def _with_box(line: str, boxed: dict[str, str]) -> str:
    """A line of a difference with its box as the file has it."""
    return line[:1] + boxed.get(line[1:], line[1:])


def _head(difference: Difference) -> str:
    name = f"phase {difference.key} · {difference.title}" if difference.key else difference.title
    return f"{name}: {difference.kind}"


def _canonical_of(path: str, text: str) -> Canonical:
    return canonicalise(read(Source(path, text)), text)


def _problems(problems: "Sequence[Problem]") -> list[str]:
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    if not errors:
        return []
    shown = [f"  line {problem.line}: {problem.rule}  {problem.message}" for problem in errors[:_MOST_PROBLEMS]]
    more = [f"  and {len(errors) - _MOST_PROBLEMS} more"] if len(errors) > _MOST_PROBLEMS else []
    return [f"planrail lint finds {len(errors)} errors:", *shown, *more, ""]


def describe_standing(standing: Standing) -> "list[dict[str, object]]":
    """The phases of a plan as JSON: whether each is approved, by whom, when and how."""
    return [
        {
            "phase": phase.key,
            "title": phase.title,
            "state": phase.state,
            "why": phase.why or None,
            **_word(phase.approval if phase.state == APPROVED else None),
        }
        for phase in standing.phases
    ]


def _word(approval: Approval | None) -> "dict[str, object]":
    names = ("who", "at", "channel", "strength")
    return {name: getattr(approval, name) if approval is not None else None for name in names}


def describe_time(at: int) -> str:
    """A time as people read it."""
    from datetime import UTC, datetime

    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):  # not a time that planrail has written
        return f"at {at}"
