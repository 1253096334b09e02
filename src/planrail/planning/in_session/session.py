"""A planning inside an agent's session: begun by a prompt, carried on by each stop. Asked by the hook, see `heavy`.

The agent writes its plan to the session's plan file, or into its answer; planrail puts it into the file then. At the
end the plan is put before a person, and again after a change.
"""

import contextlib
import os

from planrail.base.errors import UsageError
from planrail.base.records import replace
from planrail.base.settings import load_settings
from planrail.base.whole_files import write_whole
from planrail.hook.deciding.plan_mode import mark_of as session_mark
from planrail.hook.sessions.triggers import APPROVE, PLAN, say_how_to_leave, spell
from planrail.planning import machine
from planrail.planning.answers.front_matter import with_front_matter
from planrail.planning.answers.judging import AnswerProblem
from planrail.planning.answers.plan_text import extract_plan
from planrail.planning.in_session.facts import begin_kept, describe_plan, open_context, options_from, says_the_same
from planrail.planning.in_session.replies import Reply, keep_reply, mark_of, read_text, recall_reply
from planrail.planning.machine import EXPLORE, WRITING
from planrail.planning.options import PlanningOptions, describe_options, describe_size, fit, split_request
from planrail.planning.planning import AgentAnswer, AnswerContext, Planning, cancel, repropose, take_answer
from planrail.planning.plannings import KeptPlanning, keep_answer, load, locked, place_of, recall, remember, save
from planrail.planning.prompts import PlanningPlace, findings_for, render_phase, render_retry
from planrail.plans.files.plan_writing import write_text

Request = dict[str, str]


ROOM = 9_000  # characters: agents cut what a hook tells them at about 10,000
CRITIC = {"claude": "planrail:critic"}  # a sub-agent that comes with the plugin
_TOLD, _LAST_REPLY = "said.md", "last-reply.json"
_AT_THE_END = (
    "The plan is finished, at {path}. If the user asks for changes or rejects it, change that file, whole; it is looked"
    " at and proposed again when you stop. Otherwise wait: only the user approves."
)


def read_request(request: Request) -> tuple[PlanningOptions, str]:
    """The options and the request in what a person typed, or a `UsageError`.

    Words that were typed for themselves, after a bare command, are all request: `is_plain`.
    """
    defaults = options_from(load_settings(request["root"]).planning)
    typed = request["text"]
    options, text = (defaults, typed.strip()) if request.get("is_plain") else split_request(typed, defaults)
    if not text:
        raise UsageError("there is nothing to plan yet", remedy="say what: /plan TEXT")
    return fit(options, text), text


def begin(request: Request) -> Reply:
    try:
        options, text = read_request(request)
    except UsageError as error:
        return {"refusal": f"planrail: {error.message}; {error.remedy}"}
    begun: Reply = {"refusal": "", "authoring": "", "plan": request["plan"], "block": options.block}
    if options.free:
        said = "" if options.block else "planrail: TOOL BLOCKING IS OFF: the agent can change files while it plans"
        return {**begun, "complaint": said}
    about = {
        **{name: request[name] for name in ("root", "agent", "session")},
        "plan_file": request["plan"],
        "created": request["now"],
        "mark": mark_of(read_text(request["plan"])),
    }
    session = _Session(request["folder"], begin_kept(request["folder"], text, options, about))
    planning = session.kept.planning
    session.tell(render_phase(planning, session.place, lessons=session.lessons(planning)))
    sized, unusual = describe_size(options), describe_options(options, options_from(session.settings.planning))
    told = "; ".join(filter(None, (sized, f"with {unusual}" if unusual else ""))) or "planning begins"
    return {**begun, "authoring": planning.id, "complaint": f"planrail: {told}. {session.leaving}"}


def ask(request: Request) -> Reply:
    """What the planning asks of the agent now: what it was told last. What comes is another stop."""
    place = place_of(request["folder"], request["authoring"])
    with contextlib.suppress(FileNotFoundError):
        os.unlink(f"{place}/{_LAST_REPLY}")
    return {"text": read_text(f"{place}/{_TOLD}")}


def answer(request: Request) -> Reply:
    folder, id_, said = request["folder"], request["authoring"], request["text"]
    with locked(folder, id_):
        session = _Session(folder, load(folder, id_))
        before, reply_path = read_text(session.path), f"{place_of(folder, id_)}/{_LAST_REPLY}"
        stamp = request.get("stamp", "")
        given = recall_reply(reply_path, said, before, stamp)
        if given is not None:
            return given
        if session.kept.planning.progress.ended:
            return session.look_again(request["known"])
        reply = session.take(said)
        keep_reply(reply_path, said, (before, read_text(session.path)), stamp, reply)
        return reply


def end(request: Request) -> Reply:
    """Note that a person ended the planning, with an approval or without one."""
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


class _Session:
    """A planning of a session, and what a stop of the agent does to it."""

    def __init__(self, folder: str, kept: KeptPlanning) -> None:
        self.folder, self.kept = folder, kept
        self.root, self.agent, self.path = (kept.about[name] for name in ("root", "agent", "plan_file"))
        self.settings = load_settings(self.root)
        explorers = self.settings.planning.explore_agents
        self.leaving = say_how_to_leave(self.agent)
        self.place = PlanningPlace(self.path, explorers, CRITIC.get(self.agent, ""), ROOM)

    def tell(self, text: str) -> None:
        """Remember what the agent is told: after a clear, or a pause, it is told again."""
        write_whole(f"{place_of(self.folder, self.kept.planning.id)}/{_TOLD}", text)

    def lessons(self, planning: Planning) -> str:
        return recall(self.root, planning, int(self.kept.about["number"]))

    def _keep(self, planning: Planning, **about: str) -> None:
        self.kept = replace(self.kept, planning=planning).note(**about)
        save(self.folder, self.kept)

    def _mark(self) -> str:
        return mark_of(read_text(self.path))

    def _context(self) -> AnswerContext:
        is_exploring = self.kept.planning.progress.phase == EXPLORE
        return open_context(self.root, self.path, self.settings, count=is_exploring)

    # ---- an answer ----

    def take(self, text: str) -> Reply:
        planning = self.kept.planning
        given = AgentAnswer(text, self._written_in_phase(text))
        keep_answer(self.folder, planning, given)
        step = take_answer(planning, given, self._context())
        after = step.planning
        match step.decision:
            case machine.Retry(problems=problems):
                return self._go_on(after, render_retry(after, self._explain(given, problems)))
            case machine.Advance():
                return self._advance(after)
            case machine.Ask(questions=questions):  # a person answers, so the stop is not held
                self._write_plan(after.plan)
                self._keep(after, mark=self._mark())
                self.tell(render_phase(after, self.place))
                listed = "\n".join(f"  {number}. {question}" for number, question in enumerate(questions, 1))
                return _reply(message=f"planrail: the plan waits for your answers. {self.leaving}\n{listed}")
            case machine.FinishPlanning():
                return self._finish(after)
            case machine.GiveUp(problems=problems):
                return self._give_up(after, self._explain(given, problems))
            case _:
                return _reply()

    def _written_in_phase(self, said: str) -> str:
        """The plan file, if the agent has written it since the phase began; a later plan in a message beats it.

        An answer that was not good enough leaves the file to the next one, which may lack nothing but the promise.
        """
        about, written = self.kept.about, read_text(self.path)
        mark = mark_of(written)
        if self.kept.planning.progress.phase not in WRITING or mark == about["mark"]:
            return ""
        return "" if mark == about.get("seen") and extract_plan(said) else written

    def _explain(self, given: AgentAnswer, problems: tuple[AnswerProblem, ...]) -> list[str]:
        """The problems, with the one before all others that hides behind them: there is no plan to look at."""
        messages = [problem.message for problem in problems]
        if self.kept.planning.progress.phase not in WRITING or given.file or extract_plan(given.text):
            return messages
        text = f"Nothing was written: {self.path} is as it was before this phase, and there is no plan in your message"
        return [text, *messages]

    def _write_plan(self, plan: str) -> None:
        if plan and read_text(self.path) != plan:
            write_text(self.path, plan)

    def _go_on(self, planning: Planning, prompt: str, message: str = "", **about: str) -> Reply:
        self._keep(planning, **about, seen=self._mark())
        self.tell(prompt)
        return _reply(reason=prompt, message=message)

    def _advance(self, planning: Planning) -> Reply:
        done = self.kept.planning.progress
        if done.phase in WRITING:
            self._write_plan(planning.plan)
        mark, findings = self._mark(), findings_for(planning, self._context())
        prompt = render_phase(planning, self.place, lessons=self.lessons(planning), findings=findings)
        place = f"{done.index + 1} of {len(done.phases)}"
        message = f"planrail: {done.phase} is done ({place}); now {planning.progress.phase}. {self.leaving}"
        if planning.progress.phases != done.phases:
            message = f"{message}\nplanrail: this became {describe_size(planning.options)}"
        return self._go_on(planning, prompt, message, mark=mark)

    def _give_up(self, planning: Planning, problems: list[str]) -> Reply:
        """The end of the attempts: everything is kept, and nothing is called a plan that is none."""
        self._keep(planning)
        listed = "\n".join(f"  - {problem}" for problem in problems[:5])
        message = (
            f"planrail: the planning stopped at {planning.progress.phase}: {planning.progress.attempts} answers in a"
            f" row were not good enough. {self.leaving} Or try again: {spell(self.agent, PLAN)}\n"
            f"{listed}\nNothing was proposed, and everything is kept in {place_of(self.folder, planning.id)}"
        )
        return _reply(message=message, is_over=True)

    # ---- the plan before a person ----

    def _finish(self, planning: Planning) -> Reply:
        text = with_front_matter(planning.plan, describe_plan(self.kept, planning))
        write_text(self.path, text)
        complaint = remember(self.root, planning, int(self.kept.about["number"]))
        self._keep(replace(planning, proposed=text), mark=mark_of(text))
        self.tell(_AT_THE_END.format(path=self.path))
        return self._propose(f"the plan is ready: {self.path}", complaint)

    def _propose(self, news: str, complaint: str = "") -> Reply:
        message = (
            f"planrail: {news}\n  look at it: planrail show {self.path}\n"
            f"  approve it: {spell(self.agent, APPROVE)}, or in a terminal: planrail approve {self.path}\n"
            f"  or say what to change. {self.leaving}"
        )
        return _reply(message=f"{message}\nplanrail: {complaint}" if complaint else message, is_proposed=True)

    def look_again(self, known: str) -> Reply:
        """A stop after the planning has ended: a plan that was changed since is looked at, and proposed again.

        `known` is the mark of the text that the session knows to be proposed: a hook that was killed has not told it.
        """
        planning = self.kept.planning
        if planning.progress.ended != machine.FINISHED:
            return _reply(is_over=True)
        written = read_text(self.path)
        if not written.strip():
            return _reply()
        if written == planning.proposed:
            return self._propose(f"the plan is ready: {self.path}") if known != session_mark(written) else _reply()
        # An agent that writes the file anew leaves out planrail's keys, and by its id the plan is known.
        text = with_front_matter(written, describe_plan(self.kept, planning))
        if text != written:
            write_text(self.path, text)
        if says_the_same(self.path, text, planning.proposed):
            return _reply()
        problems = repropose(planning, text, self._context())
        tries = int(self.kept.about.get("tries", "0")) + 1
        if problems and tries < planning.progress.attempts:
            self._keep(planning, tries=str(tries))
            listed = "\n".join(f"- {problem.message}" for problem in problems[:12])
            return _reply(reason=f"[planrail] The changed plan cannot be proposed yet:\n{listed}")
        if problems:
            said = "planrail: the changed plan is no complete plan; look at it with planrail lint."
            return _reply(message=f"{said} {self.leaving}")
        self._keep(replace(planning, proposed=text), tries="0", mark=mark_of(text))
        return self._propose("the changed plan is proposed again")


def _reply(*, reason: str = "", message: str = "", is_over: bool = False, is_proposed: bool = False) -> Reply:
    """What the hook is told: see `hook.sessions.world.Authored`."""
    return {"reason": reason, "message": message, "is_over": is_over, "is_proposed": is_proposed}
