"""Bring tasks from where they stand to their end: research, plan, critique, approval, run, summary.

    planrail task orchestrate 7
    planrail task orchestrate 7,9-12 --jobs 3

A person is asked where approval is asked for, and nowhere else. A run that is blocked is researched and planned anew,
at most twice. A call has a budget; the same call again goes on. Several tasks are done in waves, by their dependencies.
"""

from argparse import ArgumentParser, Namespace

from planrail.agents.drivers import NAMES
from planrail.ask.interruptions import interruptible
from planrail.base.errors import UsageError
from planrail.base.one_line import one_line
from planrail.base.wording import Answer
from planrail.cli.options import task_runs as options
from planrail.cli.options.runs import add_agents
from planrail.cli.refusals import refusal_as_json
from planrail.cli.screen import show, warn
from planrail.cli.screens import open_display
from planrail.cli.tasks.orchestra import TaskOrder, conduct
from planrail.tasks.context.context import open_context
from planrail.tasks.numbers import Typed, read_call
from planrail.tasks.orchestrating import STEPS
from planrail.tasks.stages.requests import StageRequest
from planrail.tasks.work.orchestrating import Orchestrated, OrchestrateRequest, orchestrate

MIXES_WORDS = True
_MOST_STEPS = 100
_EFFORTS, _MODELS = ("fast", "hard"), ("haiku", "sonnet", "opus")
_LONGEST = 600  # characters of an answer: that of a failure has two causes
_STATES = {"declined": "not approved"}
_STAGE_OPTIONS = ("effort", "critic", "timeout", "team", "steps", "clean")


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("words", metavar="N", nargs="+", help="one or several: 7 or 7,9-12; then what to look at")
    parser.add_argument("--steps", metavar="N", type=int, default=STEPS, help=f"of agents, for each task ({STEPS})")
    parser.add_argument("--effort", choices=("fast", "normal", "hard"), help="how much critique a plan gets")
    parser.add_argument("--critic", metavar="NAME", help="who criticises the plan: another agent sees other things")
    several = "several researchers at once, from different sides: 2 to 6"
    parser.add_argument("--team", metavar="N", nargs="?", type=int, const=2, help=several)
    parser.add_argument("--team-size", metavar="N", type=int, dest="team", help="the same")
    parser.add_argument("--timeout", metavar="MIN", type=float, help="minutes of each stage")
    parser.add_argument("--clean", action="store_true", help="without what earlier tasks taught")
    add_agents(parser)
    for option, names in (("effort", _EFFORTS), ("model", _MODELS)):
        for name in names:
            same = f"the same as --{option} {name}"
            parser.add_argument(f"--{name}", dest=option, action="store_const", const=name, help=same)
    options.add_common(parser)


def run(arguments: Namespace) -> int:
    about: dict[str, object] = {"task": None}
    with refusal_as_json(about, as_json=arguments.json):
        call, ask = read_call(arguments.words), options.may_ask(arguments)
        if not 1 <= arguments.steps <= _MOST_STEPS:
            raise UsageError(f"--steps {arguments.steps} is not from 1 to {_MOST_STEPS}", remedy=f"--steps {STEPS}")
        context = open_context(warn, commit=not arguments.no_commit)
        words = options.repeat_run_options(arguments, *_STAGE_OPTIONS)
        typed = Typed("orchestrate", call.numbers, words, options.repeat_options(arguments, "jobs"), call.focus)
        if len(call.numbers) > 1:
            order = TaskOrder(typed, arguments.jobs, arguments.budget, ask=ask)
            return show(conduct(context, order, is_json=arguments.json), as_json=arguments.json)
        about["task"] = call.numbers[0]
        stage = StageRequest(
            "",
            focus=call.focus,
            agent=arguments.agent if arguments.agent in NAMES else "",  # one that cannot plan still carries out
            critic=arguments.critic or "",
            model=arguments.model or "",
            effort=arguments.effort or "",
            team=arguments.team or 0,
            timeout=arguments.timeout or 0.0,
            clean=arguments.clean,
        )
        run = options.read_implement_request(arguments, typed, open_display)
        request = OrchestrateRequest(run, stage, arguments.steps, arguments.share or arguments.budget, ask=ask)
        with interruptible():
            is_told = not arguments.json or arguments.part
            ended = orchestrate(context, call.numbers[0], request, warn if is_told else lambda text: None)
    return show(_answer(ended), as_json=arguments.json)


def _answer(ended: Orchestrated) -> Answer:
    told = {"task": ended.number, "status": ended.status, "state": ended.state, "text": ended.text}
    done = {"steps": list(ended.steps), "spent": {"money": ended.money, "tokens": ended.tokens}}
    document = {**told, **done, "asked": ended.asked or None, "command": ended.command}
    said = ended.text if ended.state == "ok" else f"{_STATES.get(ended.state, ended.state)}: {ended.text}"
    return Answer(document, [one_line(said, _LONGEST)], command=ended.command, code=ended.exit_code)
