"""Reject a plan, and say what should be different: the author hears it with the lines that you speak of."""

import re
from argparse import ArgumentParser, Namespace

from planrail.approval.book import PlanFile, load_policy, open_plan_file, open_requests, read_book, recall_plan_file
from planrail.approval.channels import ChannelRefusal
from planrail.approval.model import NOBODY, TERMINAL, Comment, Rejection, to_json
from planrail.approval.people.terminals import read_login
from planrail.approval.person import Person, find_person
from planrail.approval.records import has_reason, note_stage, record_answer, render_rejection, tell_sessions
from planrail.base.errors import UsageError
from planrail.base.masking import mask
from planrail.base.records import replace
from planrail.base.wording import Answer, quote
from planrail.cli.refusals import refusal_as_json
from planrail.cli.screen import show
from planrail.planning.answers.plan_text import extract_plan
from planrail.plans.canonical.canonical import hash_text
from planrail.projects.naming import locate
from planrail.store.facts import new_id

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
        return _reject(arguments, person)


def _reject(arguments: Namespace, person: Person) -> int:
    named = locate(arguments.plan)
    plan_file = (
        recall_plan_file(named.root, named.request)
        if not named.path and named.request is not None and named.root is not None
        else open_plan_file(named.path, named.root)
    )
    book = read_book(plan_file.root, plan_file.id)
    if not (plan_file.plan.phases or book.requests or book.history):  # then it is a plan only if it was called one
        text = f"{plan_file.path} has no phases, and nobody proposed it: it is no plan"
        raise UsageError(text, remedy="see which are: planrail plans")
    read = [read_comment(one, plan_file.source.text) for one in arguments.comment]
    # What reaches the ledger, and from there an agent, holds no secret of a known shape.
    comments = tuple(replace(comment, quote=mask(comment.quote), text=mask(comment.text)) for comment in read)
    who, channel = _who(plan_file, person)
    request = next(iter(open_requests(book)), None)
    said = Rejection(
        new_id(),
        plan_file.id,
        hash_text(plan_file.source.text),
        plan_file.canonical.hash,
        who,
        max(person.now(), book.latest),
        channel,
        request=request.id if request is not None else "",
        feedback=mask(arguments.feedback.strip()),
        comments=comments,
        path=plan_file.path,
    )
    record_answer(plan_file, said, book.seen)
    is_gone = not named.path
    return _report(arguments, plan_file, said, [] if is_gone else _tell(plan_file, said), is_gone=is_gone)


def _who(plan_file: PlanFile, person: Person) -> tuple[str, str]:
    """Who says no, and how that is known. A no may come from anywhere: it lets nothing happen."""
    terminal = person.open_terminal(load_policy(plan_file.root, person.environment).agents)
    if isinstance(terminal, ChannelRefusal):
        return read_login(), NOBODY
    try:
        return terminal.who, TERMINAL
    finally:
        terminal.close()


def _tell(plan_file: PlanFile, said: Rejection) -> list[str]:
    text = render_rejection(said, plan_file.plan.title)
    if said.channel == NOBODY:  # any process can say this: it is told as what it is, and changes nothing
        return tell_sessions(plan_file.place, "noted", text)
    note_stage(plan_file, said.at, "draft")
    return tell_sessions(plan_file.place, "rejected", text)


def _report(arguments: Namespace, plan_file: PlanFile, said: Rejection, told: list[str], *, is_gone: bool) -> int:
    lines = [f"rejected: {plan_file.plan.title}  ({plan_file.path})"]
    if said.channel == NOBODY:
        lines.append(
            "no person was seen at a terminal here: an approval that was given before is not taken back by this"
        )
    if not has_reason(said) and not is_gone:
        lines.append("without a word about why: the author will ask, once")
    lines += [f"the session {session} hears of it" for session in told]
    document = {"plan": plan_file.id, "path": plan_file.path, "rejection": to_json(said), "sessions": told}
    path = quote(plan_file.source.path)
    revise = f"planrail refine {path}"
    if not extract_plan(plan_file.source.text):  # no part of it could be told from other text: see `planrail refine`
        revise = f"planrail approve {path}   (when you have revised it by hand)"
    command = "planrail list approvals" if told or is_gone else revise
    return show(Answer(document, lines, command=command), as_json=arguments.json)
