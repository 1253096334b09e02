"""Let agents plan without a session: phase by phase, read-only, until a plan is written that a person can approve."""

import os
import sys
import time
from argparse import ArgumentParser, Namespace

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import replace
from planrail.base.settings import Settings
from planrail.base.wording import quote
from planrail.cli.options.plannings import MOST_EXPLORERS, add_agent_options, check_agents, describe_work, read_attempts
from planrail.cli.plans.planning_work import carry_on, settings_of
from planrail.cli.plans.report import blank_document
from planrail.cli.refusals import refusal_as_json
from planrail.cli.screen import print_json, print_next, say, show
from planrail.planning.answers.plan_text import read_length
from planrail.planning.headless.delivery import check_output, choose_place, title_of
from planrail.planning.in_session.facts import begin_kept, options_from
from planrail.planning.machine import name_phases
from planrail.planning.options import Options
from planrail.planning.plannings import Kept, list_plannings, load, locked, save
from planrail.projects.listing import Project, locate_project

_MOST = {"explorers": MOST_EXPLORERS, "timeout": 7 * 86_400}
# What cannot be changed while a planning goes on.
_SETTLED = ("phases", "skip", "rounds", "interview", "open-critique", "length", "attempts", "no-memory", "clear-memory")


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
    parser.add_argument("--length", metavar="TARGET", help='how long the plan may be: free, or "under 40 lines"')
    parser.add_argument("--no-memory", action="store_true", help="neither use nor keep what earlier plannings taught")
    parser.add_argument("--clear-memory", action="store_true", help="forget what earlier plannings taught, then plan")
    parser.add_argument("--output", metavar="FILE", help="where to write the plan; never over a file that is there")
    parser.add_argument(
        "--resume", metavar="ID", nargs="?", const="", help="go on with a planning; without ID: list them"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document at the end")


def run(arguments: Namespace) -> int:
    with refusal_as_json(blank_document(), as_json=arguments.json):
        project = locate_project(os.getcwd(), os.environ)
        if arguments.resume == "":
            return _list(project, as_json=arguments.json)
        kept = _begin(arguments, project) if arguments.resume is None else _resume(arguments, project)
    return show(carry_on(project.state, kept.planning.id, as_json=arguments.json), as_json=arguments.json)


# ---- a new planning ----


def _begin(arguments: Namespace, project: Project) -> Kept:
    settings, now = settings_of(project.root), time.time()
    options = read_options(arguments, settings)
    request = _read_request(arguments)
    about = describe_work(arguments, settings, project.root, now)
    about |= {"kind": "plan", "plan_file": choose_place(project, request, arguments.output or "", now)}
    return begin_kept(project.state, request, options, about)


def read_options(arguments: Namespace, settings: Settings) -> Options:
    defaults = options_from(settings.planning)
    named = name_phases(arguments.phases) if arguments.phases else ()
    skipped = tuple(name for part in arguments.skip for name in name_phases(part))
    options = replace(
        defaults,
        named=named,
        skipped=skipped,
        rounds=arguments.rounds,
        interview=arguments.interview or (defaults.interview and not named),
        free=False,
        open_critique=arguments.open_critique,
        use_memory=not arguments.no_memory,
        clear_memory=arguments.clear_memory,
        length=read_length(arguments.length) if arguments.length else defaults.length,
        attempts=read_attempts(arguments, defaults.attempts),
    )
    assert options.phases  # a list that cannot be had is refused here
    return options


def _read_request(arguments: Namespace) -> str:
    text = " ".join(arguments.text)
    if arguments.file and text:
        raise UsageError("the request is given twice: as TEXT and by --file", remedy="leave one of them out")
    if arguments.file:
        text = _read_file(arguments.file)
    elif arguments.text[:1] == ["-"]:
        text = _read_input(arguments.text[1:])
    if not text.strip():
        raise UsageError("there is nothing to plan yet", remedy='say what: planrail plan "TEXT"')
    return text.strip().encode("utf-8", "replace").decode()


def _read_input(more: list[str]) -> str:
    if more:
        raise UsageError("the request is given twice: by - and as TEXT", remedy="leave one of them out")
    if sys.stdin is None:
        raise UsageError("there is no standard input to read from", remedy='say it: planrail plan "TEXT"')
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def _read_file(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", remedy="name a text file") from error


# ---- one from before ----


def _resume(arguments: Namespace, project: Project) -> Kept:
    if arguments.text or arguments.file:
        raise UsageError("a planning that is gone on with has its request", remedy="leave out the text")
    settled = [name for name in _SETTLED if getattr(arguments, name.replace("-", "_"))]
    if settled:
        raise UsageError(
            f"--{settled[0]} was settled when the planning began", remedy="leave it out, or begin a new one"
        )
    kept = load(project.state, arguments.resume)
    if kept.about.get("kind") not in ("plan", "refine"):
        raise PlanrailError(f"{arguments.resume} is the planning of a session", remedy="go on with it in that session")
    if kept.about["root"] != project.root:
        raise PlanrailError(
            f"{arguments.resume} belongs to {kept.about['root']}", remedy=f"cd {quote(kept.about['root'])}"
        )
    changed = {name: value for name in ("agent", "critic", "model") if (value := getattr(arguments, name))}
    for name in ("timeout", "explorers"):
        if getattr(arguments, name) is not None:
            changed[name] = str(max(1, min(getattr(arguments, name), _MOST[name])))
    if arguments.output:
        changed["plan_file"] = check_output(arguments.output)
    if changed:
        if changed.get("agent", kept.about["agent"]) != kept.about["agent"]:
            changed |= {"conversation": "", "heard": "0"}  # a conversation is one program's own
        check_agents(changed.get("agent", "claude"), changed.get("critic", "claude"))
        with locked(project.state, kept.planning.id, wait=False) as is_ours:
            if is_ours:
                save(project.state, kept.note(**changed))
    return kept


def _list(project: Project, *, as_json: bool) -> int:
    open_ones = _unfinished(project)
    if as_json:
        print_json([_describe(kept) for kept in open_ones])
        return 0
    for kept in open_ones:
        progress = kept.planning.progress
        say(f"{kept.planning.id}  {progress.phase} ({progress.index + 1} of {len(progress.phases)})")
        say(f"  {title_of(kept.planning)}")
    if not open_ones:
        say("there is no planning to go on with in this project")
    again = f"--resume {open_ones[0].planning.id}" if open_ones else '"what is to be done"'
    print_next(f"planrail plan {again}")
    return 0


def _unfinished(project: Project) -> list[Kept]:
    found = []
    for name in list_plannings(project.state):
        try:
            kept = load(project.state, name)
        except PlanrailError:
            continue
        is_ours = kept.about.get("root") == project.root and kept.about.get("kind") in ("plan", "refine")
        is_open = kept.planning.progress.ended != "cancelled" and not kept.about.get("delivered")
        if is_ours and is_open:
            found.append(kept)
    return found


def _describe(kept: Kept) -> dict[str, object]:
    progress = kept.planning.progress
    return {
        "planning": kept.planning.id,
        "kind": kept.about["kind"],
        "title": title_of(kept.planning),
        "phase": progress.phase,
        "done": progress.index,
        "phases": list(progress.phases),
        "ended": progress.ended or None,
        "plan": kept.about["plan_file"],
    }
