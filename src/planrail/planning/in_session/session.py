"""A planning inside an agent's session: begun by a prompt, carried on by each stop. Asked by the hook, see `heavy`.

The agent writes its plan to the session's plan file, or into its answer; planrail puts it into the file then.
"""

from planrail.base.errors import UsageError
from planrail.base.records import replace
from planrail.base.settings import Settings, load_settings
from planrail.planning import machine
from planrail.planning.answers.judging import Problem
from planrail.planning.answers.plan_text import extract_plan
from planrail.planning.in_session.facts import begin_kept, options_from
from planrail.planning.in_session.proposal import (
    finish,
    forget_reply,
    ground_of,
    keep_reply,
    look_again,
    make_reply,
    mark_of,
    read_text,
    recall_reply,
    tell,
    told_path,
    write_plan,
)
from planrail.planning.lessons import recall
from planrail.planning.machine import WRITING
from planrail.planning.options import Options, describe_options, split_request
from planrail.planning.planning import Answer, Planning, cancel, take_answer
from planrail.planning.plannings import Kept, keep_answer, load, locked, place_of, save
from planrail.planning.prompts import Place, findings_for, render_phase, render_retry

Request = dict[str, str]
Reply = dict[str, object]


ROOM = 9_000  # characters: agents cut what a hook tells them at about 10,000
CRITIC = {"claude": "planrail:critic"}  # a sub-agent that comes with the plugin


def read_request(request: Request) -> tuple[Options, str]:
    """The options and the request in what a person typed, or a `UsageError`.

    Words that were typed for themselves, after a bare command, are all request: `is_plain`.
    """
    defaults = options_from(load_settings(request["root"]).planning)
    typed = request["text"]
    options, text = (defaults, typed.strip()) if request.get("is_plain") else split_request(typed, defaults)
    if not text:
        raise UsageError("there is nothing to plan yet", remedy="say what: /plan TEXT")
    return options, text


def begin(request: Request) -> Reply:
    try:
        options, text = read_request(request)
    except UsageError as error:
        return {"refusal": f"planrail: {error.message}; {error.remedy}"}
    if options.free:
        said = "" if options.block else "planrail: TOOL BLOCKING IS OFF: the agent can change files while it plans"
        return {"refusal": "", "authoring": "", "plan": request["plan"], "block": options.block, "complaint": said}
    about = {
        **{name: request[name] for name in ("root", "agent", "session")},
        "plan_file": request["plan"],
        "created": request["now"],
        "mark": mark_of(read_text(request["plan"])),
    }
    kept = begin_kept(request["folder"], text, options, about)
    planning = kept.planning
    lessons = recall(request["root"], planning, int(kept.about["number"]))
    tell(request["folder"], kept, render_phase(planning, _place(kept), lessons=lessons))
    unusual = describe_options(options, options_from(load_settings(request["root"]).planning))
    return {
        "refusal": "",
        "authoring": planning.id,
        "plan": request["plan"],
        "block": options.block,
        "complaint": f"planrail: planning with {unusual}" if unusual else "",
    }


def ask(request: Request) -> Reply:
    """What the planning asks of the agent now: what it was told last. Somebody typed, so what comes is another stop."""
    forget_reply(request["folder"], request["authoring"])
    return {"text": read_text(told_path(request["folder"], request["authoring"]))}


def answer(request: Request) -> Reply:
    folder, id_ = request["folder"], request["authoring"]
    with locked(folder, id_):
        kept = load(folder, id_)
        said, before = request["text"], read_text(kept.about["plan_file"])
        given = recall_reply(folder, id_, said, before)
        if given is not None:
            return given
        settings = load_settings(kept.about["root"])
        if kept.planning.progress.ended:
            return look_again(folder, kept, settings, request["known"])
        reply = _take(folder, kept, said, settings)
        return keep_reply(folder, id_, said, (before, read_text(kept.about["plan_file"])), reply)


def end(request: Request) -> Reply:
    """Note that a person ended the planning, by a yes or without one."""
    folder, id_ = request["folder"], request["authoring"]
    with locked(folder, id_):
        kept = load(folder, id_)
        progress = kept.planning.progress
        if progress.ended:
            return {"message": ""}
        save(folder, replace(kept, planning=cancel(kept.planning)))
    left = ", ".join(progress.phases[progress.index :])
    how = "with your approval" if request["is_approved"] else "and nothing was approved"
    return {"message": f"planrail: the planning ended {how}; not done: {left}. It is kept in {place_of(folder, id_)}"}


def _take(folder: str, kept: Kept, text: str, settings: Settings) -> Reply:
    planning = kept.planning
    given = Answer(text, _written_in_phase(kept, text))
    keep_answer(folder, planning, given)
    step = take_answer(planning, given, ground_of(kept, settings))
    match step.decision:
        case machine.Retry(problems=problems):
            explained = _explain(kept, given, problems)
            return _go_on(folder, kept, step.planning, render_retry(step.planning, explained, _place(kept)))
        case machine.Advance():
            return _advance(folder, kept, step.planning, settings)
        case machine.Ask(questions=questions):
            return _pause(folder, kept, step.planning, questions)
        case machine.Finish():
            return finish(folder, kept, step.planning)
        case machine.GiveUp(problems=problems):
            explained = _explain(kept, given, problems)
            return _give_up(folder, kept, step.planning, [problem.message for problem in explained])
        case _:
            return make_reply()


def _written_in_phase(kept: Kept, said: str) -> str:
    """The plan file, if the agent has written it since the phase began; a later plan in a message beats it.

    An answer that was not good enough leaves the file to the next one, which may lack nothing but the promise.
    """
    about, written = kept.about, read_text(kept.about["plan_file"])
    mark = mark_of(written)
    if kept.planning.progress.phase not in WRITING or mark == about["mark"]:
        return ""
    return "" if mark == about.get("seen") and extract_plan(said) else written


def _explain(kept: Kept, given: Answer, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """The problems, with the one before all others that hides behind them: there is no plan to look at."""
    if kept.planning.progress.phase not in WRITING or given.file or extract_plan(given.text):
        return problems
    path = kept.about["plan_file"]
    text = f"Nothing was written: {path} is as it was before this phase, and there is no plan in your message"
    return Problem("unwritten", text), *problems


def _go_on(folder: str, kept: Kept, planning: Planning, prompt: str, message: str = "") -> Reply:
    after = replace(kept, planning=planning).note(seen=mark_of(read_text(kept.about["plan_file"])))
    save(folder, after)
    tell(folder, after, prompt)
    return make_reply(reason=prompt, message=message)


def _advance(folder: str, kept: Kept, planning: Planning, settings: Settings) -> Reply:
    done = kept.planning.progress
    if done.phase in WRITING:
        write_plan(kept, planning.plan)
    kept = kept.note(mark=mark_of(read_text(kept.about["plan_file"])))
    lessons = recall(kept.about["root"], planning, int(kept.about["number"]))
    findings = findings_for(planning, ground_of(kept, settings))
    prompt = render_phase(planning, _place(kept), lessons=lessons, findings=findings)
    total = len(done.phases)
    message = f"planrail: {done.phase} is done ({done.index + 1} of {total}); now {planning.progress.phase}"
    return _go_on(folder, kept, planning, prompt, message)


def _pause(folder: str, kept: Kept, planning: Planning, questions: tuple[str, ...]) -> Reply:
    """The agent asked: a person answers, so the stop is not held."""
    write_plan(kept, planning.plan)
    after = replace(kept, planning=planning).note(mark=mark_of(read_text(kept.about["plan_file"])))
    save(folder, after)
    tell(folder, after, render_phase(planning, _place(kept)))
    listed = "\n".join(f"  {number}. {question}" for number, question in enumerate(questions, 1))
    return make_reply(message=f"planrail: the plan waits for your answers:\n{listed}")


def _give_up(folder: str, kept: Kept, planning: Planning, problems: list[str]) -> Reply:
    """The end of the attempts: everything is kept, and nothing is called a plan that is none."""
    save(folder, replace(kept, planning=planning))
    listed = "\n".join(f"  - {problem}" for problem in problems[:5])
    command = "/planrail:plan" if kept.about["agent"] == "claude" else "/plan"
    message = (
        f"planrail: the planning stopped at {planning.progress.phase}: {planning.progress.attempts} answers in a row"
        f" were not good enough. Nothing was proposed, and everything is kept in {place_of(folder, planning.id)}\n"
        f"{listed}\n  try again: {command} TEXT, or plan without phases: {command} TEXT --free"
    )
    return make_reply(message=message, is_over=True)


def _place(kept: Kept) -> Place:
    settings = load_settings(kept.about["root"]).planning
    agent = kept.about["agent"]
    return Place(kept.about["plan_file"], settings.explore_agents, CRITIC.get(agent, ""), ROOM)
