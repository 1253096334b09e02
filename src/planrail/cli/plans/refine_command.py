"""Revise what is left of a plan: by what people said about it, and by the code as it is now. Finished phases stay."""

import os
import time
from argparse import ArgumentParser, Namespace

from planrail.approval.feedback import open_feedback
from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import replace
from planrail.base.settings import Settings
from planrail.base.state_folder import state_folder
from planrail.base.wording import Answer, quote
from planrail.cli.options.plannings import add_agent_options, describe_work, read_attempts
from planrail.cli.plans.planning_work import carry_on, settings_of
from planrail.cli.plans.report import blank_document
from planrail.cli.refusals import refusal_as_json
from planrail.cli.screen import show
from planrail.planning.answers.judging import SECTIONS, Bar, judge
from planrail.planning.answers.plan_text import extract_plan
from planrail.planning.in_session.facts import begin_kept, options_from
from planrail.planning.options import Options
from planrail.plans.reading import read
from planrail.plans.text.source import Source, load
from planrail.projects.listing import locate_project

PHASES = ("explore", "draft", "critique", "revise")
_REQUEST = "Refine the plan “{title}”: what is left of it shall fit the code as it is now."


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", help="the plan file")
    parser.add_argument(
        "--feedback", metavar="TEXT", action="append", default=[], help="what to change; again for more"
    )
    add_agent_options(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document at the end")


def run(arguments: Namespace) -> int:
    with refusal_as_json(blank_document(plan=os.path.realpath(arguments.plan)), as_json=arguments.json):
        id_ = _start(arguments)
    if not id_:
        return _say_finished(arguments)
    return show(carry_on(state_folder(), id_, as_json=arguments.json), as_json=arguments.json)


def _start(arguments: Namespace) -> str:
    path = os.path.realpath(arguments.plan)
    text = load(arguments.plan).text
    plan = read(Source(arguments.plan, text))
    if plan.phases and all(phase.status.is_terminal for phase in plan.phases):
        return ""
    project = locate_project(os.getcwd(), os.environ)
    settings, now = settings_of(project.root), time.time()
    about = describe_work(arguments, settings, project.root, now) | {"kind": "refine", "plan_file": path}
    options = _options(arguments, settings, text)
    request = _REQUEST.format(title=" ".join(plan.title.split()) or os.path.basename(path))
    feedback = "\n\n".join(part for part in (*open_feedback(path), *arguments.feedback) if part.strip())
    return begin_kept(project.state, request, options, about, original=text, feedback=feedback).planning.id


def _say_finished(arguments: Namespace) -> int:
    following = f"planrail show {quote(arguments.plan)}"
    blank = blank_document(status="nothing to refine", plan=os.path.realpath(arguments.plan), next=following)
    line = f"every phase of {arguments.plan} is finished; there is nothing left to refine"
    return show(Answer(blank, [line], command=following), as_json=arguments.json)


def _options(arguments: Namespace, settings: Settings, text: str) -> Options:
    defaults = options_from(settings.planning)
    options = replace(
        defaults,
        named=PHASES,
        rounds=arguments.rounds,  # None: the one round that is named
        interview=False,
        free=False,
        sections=_sections(arguments, text),
        length="free",  # what is finished cannot be made shorter
        attempts=read_attempts(arguments, defaults.attempts),
    )
    assert options.phases
    return options


def _sections(arguments: Namespace, text: str) -> tuple[str, ...]:
    """The sections that the plan has: those a revision must have as well. Other people's plans have not all seven."""
    if not extract_plan(text):
        raise PlanrailError(
            f"no heading of {arguments.plan} names a section ({', '.join(SECTIONS)}), so a revision of it could not be "
            "told from other text; nothing was changed",
            remedy=f"such plans, and data, are revised by hand, then: planrail approve {quote(arguments.plan)}",
        )
    present = tuple(name for name in SECTIONS if not judge("draft", text, Bar(sections=(name,), is_final=True)))
    if not present and (arguments.rounds or 1) > 1:
        raise UsageError("a plan without sections is refined in one round", remedy="leave out --rounds")
    return present
