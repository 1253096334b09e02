"""Let agents plan without a session: phase by phase, read-only, until a plan is written that a person can approve."""

import os
import sys
from argparse import ArgumentParser, Namespace

from planrail.base.errors import UsageError
from planrail.base.wording import Answer, pick
from planrail.cli.options.plannings import add_agent_options, read_plan_request
from planrail.cli.plans.display import open_display
from planrail.cli.plans.report import answer, blank_document
from planrail.cli.refusals import refusal_as_json
from planrail.cli.screen import print_json
from planrail.planning.headless.delivery import title_of
from planrail.planning.headless.requests import PlanRequest, list_unfinished, plan, resume
from planrail.planning.machine import name_phases
from planrail.projects.listing import Project, locate_project

# What cannot be changed while a planning goes on.
_SETTLED = (
    *("phases", "skip", "rounds", "interview", "open-critique", "length", "attempts", "size"),
    *("no-memory", "clear-memory"),
)


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("text", metavar="TEXT", nargs="*", help="what is to be done; - reads standard input")
    parser.add_argument("--file", metavar="FILE", help="read what is to be done from a file")
    add_agent_options(parser)
    parser.add_argument("--phases", metavar="A,B", help="the phases to go through, such as explore,draft")
    parser.add_argument(
        "--skip", metavar="PHASE", action="append", default=[], help="leave out a phase; again for more"
    )
    parser.add_argument("--open-critique", action="store_true", help="criticise freely, not by the twelve principles")
    parser.add_argument("--interview", action="store_true", help="plan by asking you, at this terminal")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--small", dest="size", action="store_const", const="small", help="one draft of one phase")
    size.add_argument(
        "--deep", dest="size", action="store_const", const="deep", help="all phases, small as it may look"
    )
    parser.add_argument("--length", metavar="TARGET", help='how long the plan may be: free, or "under 40 lines"')
    parser.add_argument("--no-memory", action="store_true", help="neither use nor keep what earlier plannings taught")
    parser.add_argument("--clear-memory", action="store_true", help="forget what earlier plannings taught, then plan")
    parser.add_argument("--output", metavar="FILE", help="where to write the plan; never over a file that is there")
    parser.add_argument(
        "--resume", metavar="ID", nargs="?", const="", help="go on with a planning; without ID: list them"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document at the end")


def run(arguments: Namespace) -> Answer | int:
    with refusal_as_json(blank_document(), as_json=arguments.json):
        project = locate_project(os.getcwd(), os.environ)
        if arguments.resume == "":
            return _list(project, as_json=arguments.json)
        if arguments.resume is None:
            ended = plan(project, _read_plan(arguments), open_display)
        else:
            _refuse_settled(arguments)
            request = read_plan_request(arguments, output=arguments.output or "")
            ended = resume(project, arguments.resume, request, open_display)
    return answer(ended, as_json=arguments.json)


def _read_plan(arguments: Namespace) -> PlanRequest:
    return read_plan_request(
        arguments,
        text=_read_request(arguments),
        output=arguments.output or "",
        named=name_phases(arguments.phases) if arguments.phases else (),
        skipped=tuple(name for part in arguments.skip for name in name_phases(part)),
        interview=arguments.interview,
        open_critique=arguments.open_critique,
        length=arguments.length or "",
        size=arguments.size or "",
        use_memory=not arguments.no_memory,
        clear_memory=arguments.clear_memory,
    )


def _read_request(arguments: Namespace) -> str:
    text = " ".join(arguments.text)
    is_input = arguments.text[:1] == ["-"]
    if (arguments.file and text) or (is_input and arguments.text[1:]):
        how = "as TEXT and by --file" if arguments.file else "by - and as TEXT"
        raise UsageError(f"the request is given twice: {how}", remedy="leave one of them out")
    if arguments.file:
        try:
            with open(arguments.file, encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError as error:
            text = f"{arguments.file} cannot be read: {error.strerror}"
            raise UsageError(text, remedy="name a text file") from error
    elif is_input:
        if sys.stdin is None:
            raise UsageError("there is no standard input to read from", remedy='say it: planrail plan "TEXT"')
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    if not text.strip():
        raise UsageError("there is nothing to plan yet", remedy='say what: planrail plan "TEXT"')
    return text.strip().encode("utf-8", "replace").decode()


def _refuse_settled(arguments: Namespace) -> None:
    if arguments.text or arguments.file:
        raise UsageError("a planning that is gone on with has its request", remedy="leave out the text")
    settled = [name for name in _SETTLED if getattr(arguments, name.replace("-", "_"))]
    if settled:
        raise UsageError(
            f"--{arguments.size if settled[0] == 'size' else settled[0]} was settled when the planning began",
            remedy="leave it out, or begin a new one",
        )


def _list(project: Project, *, as_json: bool) -> Answer | int:
    listed, lines = list[dict[str, object]](), list[str]()
    for kept in list_unfinished(project):
        id_, title, progress = kept.planning.id, title_of(kept.planning), kept.planning.progress
        about = {"planning": id_, "kind": kept.about["kind"], "title": title}
        known = pick(progress, "phase done=index phases ended?")
        listed.append({**about, **known, "plan": kept.about["plan_file"]})
        lines += [f"{id_}  {progress.phase} ({progress.index + 1} of {len(progress.phases)})", f"  {title}"]
    if as_json:
        print_json(listed)
        return 0
    again = f"--resume {listed[0]['planning']}" if listed else '"what is to be done"'
    lines = lines or ["there is no planning to go on with in this project"]
    return Answer(None, lines, command=f"planrail plan {again}")
