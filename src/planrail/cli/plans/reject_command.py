"""Reject a plan, and say what should be different: the author hears it with the lines that you speak of."""

import re
from argparse import ArgumentParser, Namespace

from planrail.approval.model import NOBODY, Comment, to_json
from planrail.approval.person import Person, find_person
from planrail.approval.records import has_reason
from planrail.base.errors import UsageError
from planrail.base.wording import Answer, quote
from planrail.cli.refusals import refusal_as_json
from planrail.cli.screen import show
from planrail.planning.answers.plan_text import extract_plan
from planrail.runs.request.rejecting import Rejected, RejectRequest
from planrail.runs.request.rejecting import reject as ask_rejection

_FORM = re.compile(r"\s*(?P<first>\d{1,7})(?:\s*[-–]\s*(?P<last>\d{1,7}))?\s*[:：](?P<text>.*)", re.DOTALL)
_REMEDY = '--comment 42:"what is wrong with that line", or 42-45:"…" for several'


def read_comment(value: str, text: str) -> Comment:
    """The comment that the user typed, with the lines that it speaks of; a `UsageError` where there are none such."""
    match = _FORM.fullmatch(value)
    if match is None or not match["text"].strip():
        raise UsageError(f"{value!r} is no comment to a line", remedy=_REMEDY)
    first, last = int(match["first"]), int(match["last"] or match["first"])
    lines = text.splitlines()
    if not 1 <= first <= last <= len(lines):
        raise UsageError(f"the plan has lines 1 to {len(lines)}; {value!r} speaks of others", remedy=_REMEDY)
    return Comment(first, "\n".join(lines[first - 1 : last]), match["text"].strip())


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN|REQUEST", help="the plan file, or the id of a request")
    parser.add_argument("--feedback", metavar="TEXT", default="", help="what should be different")
    parser.add_argument(
        "--comment",
        metavar="LINE:TEXT",
        action="append",
        default=[],
        help="what is wrong with a line (42:text) or some (42-45:text)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> int:
    return reject(arguments, find_person())


def reject(arguments: Namespace, person: Person) -> int:
    nothing = {"plan": None, "path": arguments.plan, "rejection": None, "sessions": []}
    with refusal_as_json(nothing, as_json=arguments.json):
        said = ask_rejection(
            RejectRequest(
                arguments.plan,
                arguments.feedback,
                lambda text: [read_comment(one, text) for one in arguments.comment],
            ),
            person,
        )
    return _report(said, as_json=arguments.json)


def _report(told: Rejected, *, as_json: bool) -> int:
    plan_file, said = told.plan_file, told.rejection
    lines = [f"rejected: {plan_file.plan.title}  ({plan_file.path})"]
    if said.channel == NOBODY:
        lines.append(
            "no person was seen at a terminal here: an approval that was given before is not taken back by this"
        )
    if not has_reason(said) and not told.is_gone:
        lines.append("without a word about why: the author will ask, once")
    lines += [f"the session {session} hears of it" for session in told.sessions]
    document = {"plan": plan_file.id, "path": plan_file.path, "rejection": to_json(said), "sessions": told.sessions}
    path = quote(plan_file.source.path)
    revise = f"planrail refine {path}"
    if not extract_plan(plan_file.source.text):  # no part of it could be told from other text: see `planrail refine`
        revise = f"planrail approve {path}   (when you have revised it by hand)"
    command = "planrail list approvals" if told.sessions or told.is_gone else revise
    return show(Answer(document, lines, command=command), as_json=as_json)
