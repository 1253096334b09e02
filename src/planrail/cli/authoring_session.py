"""A planning inside an agent's session: begun by a prompt, carried on by each stop. Asked by the hook, see `heavy`.

The agent writes its plan to the session's plan file, or into its answer; planrail puts it into the file then.
"""

import hashlib

from planrail.authoring import machine
from planrail.authoring.options import Options, split_request
from planrail.authoring.phases import EXPLORE, WRITING
from planrail.authoring.plan_text import with_front_matter
from planrail.authoring.planning import Answer, Ground, Planning, cancel, repropose, take_answer
from planrail.authoring.planning import begin as begin_machine
from planrail.authoring.prompts import Place, render_phase, render_retry
from planrail.cli.authoring_facts import describe_plan, new_id, options_from
from planrail.cli.authoring_ground import open_ground
from planrail.cli.lessons import count_planning, recall, remember
from planrail.cli.plan_writing import write_text
from planrail.errors import PlanrailError, UsageError
from planrail.records import replace
from planrail.repo.plannings import Kept, keep_answer, load, locked, place_of, save
from planrail.sessions.store import write
from planrail.settings import Settings, load_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    Request = dict[str, str]
    Reply = dict[str, object]

ROOM = 9_000  # characters: agents cut what a hook tells them at about 10,000
CRITIC = {"claude": "planrail:critic"}  # a sub-agent that comes with the plugin


def read_request(request: "Request") -> tuple[Options, str]:
    """The options and the request in what a person typed, or a `UsageError`."""
    options, text = split_request(request["text"], options_from(load_settings(request["root"]).planning))
    if not text:
        raise UsageError("there is nothing to plan yet", remedy="say what: /plan TEXT")
    return options, text


def begin(request: "Request") -> "Reply":
    """Begin a planning; without phases, where the person or the settings want none."""
    try:
        options, text = read_request(request)
    except UsageError as error:
        return {"refusal": f"planrail: {error.message}; {error.remedy}"}
    if options.free:
        return {"refusal": "", "authoring": "", "plan": request["plan"], "block": options.block}
    planning = begin_machine(new_id(float(request["now"])), text, options)
    about = {
        "root": request["root"],
        "plan_file": request["plan"],
        "agent": request["agent"],
        "session": request["session"],
        "created": request["now"],
        "mark": _mark(_read(request["plan"])),
        "number": count_planning(request["root"], options),
    }
    kept = Kept(planning, {name: str(value) for name, value in about.items()})
    lessons = recall(request["root"], planning, int(kept.about["number"]))
    save(request["folder"], kept)
    opening = _say(request["folder"], kept, render_phase(planning, _place(kept), lessons=lessons))
    return {
        "refusal": "",
        "authoring": planning.id,
        "opening": opening,
        "plan": request["plan"],
        "block": options.block,
    }


def ask(request: "Request") -> "Reply":
    """What the planning asks of the agent now: what it was told last."""
    return {"text": _read(_said(request["folder"], request["authoring"]))}


def answer(request: "Request") -> "Reply":
    """What the agent's answer does to the planning."""
    folder, id_ = request["folder"], request["authoring"]
    with locked(folder, id_):
        kept = load(folder, id_)
        settings = load_settings(kept.about["root"])
        if kept.planning.progress.ended:
            return _after_the_end(folder, kept, settings)
        return _take(folder, kept, request["text"], settings)


def end(request: "Request") -> "Reply":
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


def _take(folder: str, kept: Kept, text: str, settings: Settings) -> "Reply":
    planning = kept.planning
    written = _read(kept.about["plan_file"])
    is_new = _mark(written) != kept.about["mark"] and planning.progress.phase in WRITING
    given = Answer(text, written if is_new else "")
    keep_answer(folder, planning, given)
    step = take_answer(planning, given, _ground(kept, settings))
    match step.decision:
        case machine.Retry(problems=problems):
            return _go_on(folder, kept, step.planning, render_retry(step.planning, problems, _place(kept)))
        case machine.Advance():
            return _advance(folder, kept, step.planning, settings)
        case machine.Ask(questions=questions):
            return _pause(folder, kept, step.planning, questions)
        case machine.Finish():
            return _finish(folder, kept, step.planning)
        case machine.GiveUp(problems=problems):
            return _give_up(folder, kept, step.planning, [problem.message for problem in problems])
        case _:
            return _reply()


def _go_on(folder: str, kept: Kept, planning: Planning, prompt: str, message: str = "") -> "Reply":
    """The planning is asked for something more: the stop is held."""
    after = replace(kept, planning=planning).note(mark=_mark(_read(kept.about["plan_file"])))
    save(folder, after)
    _say(folder, after, prompt)
    return _reply(reason=prompt, message=message)


def _advance(folder: str, kept: Kept, planning: Planning, settings: Settings) -> "Reply":
    done = kept.planning.progress
    if done.phase in WRITING:
        _write_plan(kept, planning.plan)
    lessons = recall(kept.about["root"], planning, int(kept.about["number"]))
    findings = _findings(kept, planning, settings)
    prompt = render_phase(planning, _place(kept), lessons=lessons, findings=findings)
    total = len(done.phases)
    message = f"planrail: {done.phase} is done ({done.index + 1} of {total}); now {planning.progress.phase}"
    return _go_on(folder, kept, planning, prompt, message)


def _pause(folder: str, kept: Kept, planning: Planning, questions: tuple[str, ...]) -> "Reply":
    """The agent asked: a person answers, so the stop is not held."""
    _write_plan(kept, planning.plan)
    after = replace(kept, planning=planning).note(mark=_mark(_read(kept.about["plan_file"])))
    save(folder, after)
    _say(folder, after, render_phase(planning, _place(kept)))
    listed = "\n".join(f"  {number}. {question}" for number, question in enumerate(questions, 1))
    return _reply(message=f"planrail: the plan waits for your answers:\n{listed}")


def _finish(folder: str, kept: Kept, planning: Planning) -> "Reply":
    path = kept.about["plan_file"]
    text = with_front_matter(planning.plan, describe_plan(kept, planning))
    write_text(path, text)
    complaint = remember(kept.about["root"], planning, int(kept.about["number"]))
    after = replace(kept, planning=replace(planning, proposed=text)).note(mark=_mark(text))
    save(folder, after)
    _say(folder, after, _AT_THE_END.format(path=path))
    message = (
        f"planrail: the plan is ready: {path}\n  look at it: planrail show {path}\n  approve it, or say what to change"
    )
    if complaint:
        message = f"{message}\nplanrail: {complaint}"
    return _reply(message=message, is_proposed=True)


def _give_up(folder: str, kept: Kept, planning: Planning, problems: list[str]) -> "Reply":
    """The end of the attempts: everything is kept, and nothing is called a plan that is none."""
    save(folder, replace(kept, planning=planning))
    listed = "\n".join(f"  - {problem}" for problem in problems[:5])
    message = (
        f"planrail: the planning stopped at {planning.progress.phase}: {planning.progress.attempts} answers in a row"
        f" were not good enough. Nothing was proposed, and everything is kept in {place_of(folder, planning.id)}\n"
        f"{listed}\n  try again with /plan TEXT, or plan without phases: /plan TEXT --free"
    )
    return _reply(message=message, is_over=True)


_AT_THE_END = (
    "The plan is finished and proposed, at {path}. If the user asks for changes, make them in that file, whole; it is"
    " looked at again when you stop. Otherwise wait: only the user approves."
)


def _after_the_end(folder: str, kept: Kept, settings: Settings) -> "Reply":
    """A stop after the plan was proposed: a plan that was changed since is looked at, and proposed again."""
    written = _read(kept.about["plan_file"])
    planning = kept.planning
    if planning.progress.ended != machine.FINISHED or not written.strip() or written == planning.proposed:
        return _reply()
    problems = repropose(planning, written, _ground(kept, settings))
    tries = int(kept.about.get("tries", "0")) + 1
    if problems and tries < planning.progress.attempts:
        save(folder, kept.note(tries=str(tries)))
        listed = "\n".join(f"- {problem.message}" for problem in problems[:12])
        return _reply(reason=f"[planrail] The changed plan cannot be proposed yet:\n{listed}")
    if problems:
        return _reply(message="planrail: the changed plan is no complete plan; look at it with planrail lint")
    save(folder, replace(kept, planning=replace(planning, proposed=written)).note(tries="0", mark=_mark(written)))
    return _reply(message="planrail: the changed plan is proposed again", is_proposed=True)


def _reply(*, reason: str = "", message: str = "", is_over: bool = False, is_proposed: bool = False) -> "Reply":
    return {"reason": reason, "message": message, "is_over": is_over, "is_proposed": is_proposed}


def _ground(kept: Kept, settings: Settings) -> Ground:
    is_exploring = kept.planning.progress.phase == EXPLORE
    return open_ground(kept.about["root"], kept.about["plan_file"], settings, count=is_exploring)


def _findings(kept: Kept, planning: Planning, settings: Settings) -> list[str]:
    """What lint says about the plan, for the critic."""
    from planrail.authoring.phases import CRITIQUE

    if planning.progress.phase != CRITIQUE:
        return []
    found = open_ground(kept.about["root"], kept.about["plan_file"], settings).lint(planning.plan)
    return [f"line {problem.line}: {problem.message} ({problem.rule})" for problem in found]


def _place(kept: Kept) -> Place:
    settings = load_settings(kept.about["root"]).planning
    agent = kept.about["agent"]
    return Place(kept.about["plan_file"], settings.explore_agents, CRITIC.get(agent, ""), ROOM)


def _write_plan(kept: Kept, plan: str) -> None:
    """Put a plan that came in an answer into the file, for the next phase to read."""
    path = kept.about["plan_file"]
    if plan and _read(path) != plan:
        write_text(path, plan)


def _say(folder: str, kept: Kept, text: str) -> str:
    """Remember what the agent is told: after a clear, or a pause, it is told again."""
    write(_said(folder, kept.planning.id), text)
    return text


def _said(folder: str, id_: str) -> str:
    return f"{place_of(folder, id_)}/said.md"


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise PlanrailError(f"{path} cannot be read: {error}", remedy="mend the file, or end planning") from error


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() if text.strip() else ""
