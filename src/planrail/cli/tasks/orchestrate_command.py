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
from planrail.cli.options.runs import add_agents
from planrail.cli.options.task_runs import (
    add_common,
    may_ask,
    read_implement_request,
    repeat_own_options,
    repeat_run_options,
)
from planrail.cli.refusals import refusal_as_json
from planrail.cli.runs.display import open_display
from planrail.cli.screen import print_json, print_next, say, show, warn
from planrail.cli.tasks.orchestra import Order, conduct
from planrail.tasks.context.context import open_context
from planrail.tasks.numbers import Call, Typed, read_call
from planrail.tasks.orchestrating import STEPS
from planrail.tasks.stages.requests import StageRequest
from planrail.tasks.work.orchestrating import Orchestrated, OrchestrateRequest, orchestrate

MIXES_WORDS = True
_MOST_STEPS = 100
_EFFORTS, _MODELS = ("fast", "hard"), ("haiku", "sonnet", "opus")
_LONGEST = 600  # characters of an answer: that of a failure has two causes
_STATES = {"declined": "not approved"}
_STAGE_OPTIONS = ("effort", "critic", "timeout", "team")


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
    add_common(parser)


def run(arguments: Namespace) -> int:
    about: dict[str, object] = {"task": None}
    with refusal_as_json(about, as_json=arguments.json):
        call = read_call(arguments.words)
        if not 1 <= arguments.steps <= _MOST_STEPS:
            raise UsageError(f"--steps {arguments.steps} is not from 1 to {_MOST_STEPS}", remedy=f"--steps {STEPS}")
        context = open_context(warn, commit=not arguments.no_commit)
        typed = _typed(arguments, call)
        if len(call.numbers) > 1:
            order = Order(typed, arguments.jobs, arguments.budget, ask=may_ask(arguments))
            return show(conduct(context, order, is_json=arguments.json), as_json=arguments.json)
        about["task"] = call.numbers[0]

        with interruptible():
            is_told = not arguments.json or arguments.part
            tell = warn if is_told else lambda text: None
            ended = orchestrate(context, call.numbers[0], _read_request(arguments, call, typed), tell)
        return _report(ended, arguments)


def _read_request(arguments: Namespace, call: Call, typed: Typed) -> OrchestrateRequest:
    stage = StageRequest(
        "",
        focus=call.focus,
        agent=arguments.agent if arguments.agent in NAMES else "",  # whoever cannot plan still carries out
        critic=arguments.critic or "",
        model=arguments.model or "",
        effort=arguments.effort or "",
        team=arguments.team or 0,
        timeout=arguments.timeout or 0.0,
        clean=arguments.clean,
    )
    run, budget = read_implement_request(arguments, typed, open_display), arguments.share or arguments.budget
    return OrchestrateRequest(run, stage, arguments.steps, budget, ask=may_ask(arguments))


def _typed(arguments: Namespace, call: Call) -> Typed:
    said = list(repeat_run_options(arguments))
    given = {name: getattr(arguments, name) for name in _STAGE_OPTIONS}
    given["steps"] = arguments.steps if arguments.steps != STEPS else None
    for name, value in given.items():
        said += [f"--{name}", f"{value:g}" if isinstance(value, float) else str(value)] if value is not None else []
    said += ["--clean"] if arguments.clean else []
    return Typed("orchestrate", call.numbers, tuple(said), repeat_own_options(arguments), call.focus)


def _report(ended: Orchestrated, arguments: Namespace) -> int:
    if arguments.json:
        told = {"task": ended.number, "status": ended.status, "state": ended.state, "text": ended.text}
        done = {"steps": list(ended.steps), "spent": {"money": ended.money, "tokens": ended.tokens}}
        print_json({**told, **done, "asked": ended.asked or None, "command": ended.command})
    else:
        said = ended.text if ended.state == "ok" else f"{_STATES.get(ended.state, ended.state)}: {ended.text}"
        say(one_line(said, _LONGEST))
        print_next(ended.command)
    return ended.exit_code
