"""A planning without a session, as it is asked for: a new plan, a plan to refine, a planning to go on with."""

import os
import time

from planrail.agents.drivers import NAMES, check_names
from planrail.approval.records import open_feedback
from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import record, replace
from planrail.base.settings import Settings
from planrail.base.wording import quote
from planrail.planning.answers.judging import SECTIONS, Bar, judge
from planrail.planning.answers.plan_text import extract_plan, read_length
from planrail.planning.headless.delivery import check_output, choose_place
from planrail.planning.headless.working import OpenDisplay, PlanEnd, carry_on
from planrail.planning.in_session.facts import begin_kept, load_committed_settings, options_from
from planrail.planning.options import PlanningOptions, fit
from planrail.planning.plannings import KeptPlanning, list_plannings, load, locked, save
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource
from planrail.plans.text.source import load as load_source
from planrail.projects.listing import Project

_REFINING = ("explore", "draft", "critique", "revise")
_REQUEST = "Refine the plan “{title}”: what is left of it shall fit the code as it is now."
_MOST = {"explorers": 10, "timeout": 7 * 86_400}
_KINDS = ("plan", "refine")  # other plannings are those of sessions


@record
class PlanRequest:
    """What is asked of a planning. None and "" are as the settings say; for one that goes on, as it was.

    `text` is what is to be done, `output` where the plan goes; `feedback` is about a plan that is refined.
    """

    text: str = ""
    output: str = ""
    feedback: tuple[str, ...] = ()
    agent: str = ""
    critic: str = ""
    model: str = ""
    explorers: int | None = None
    timeout: int | None = None  # seconds that one answer may take
    rounds: int | None = None
    attempts: int | None = None
    named: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    interview: bool = False
    open_critique: bool = False
    length: str = ""
    use_memory: bool = True
    clear_memory: bool = False
    size: str = ""  # small, deep


def plan(project: Project, request: PlanRequest, open_display: OpenDisplay) -> PlanEnd:
    settings, now = load_committed_settings(project.root), time.time()
    options = fit(_options(request, settings), request.text, has_critic=bool(request.critic))
    about = _about(request, settings, project.root, now)
    about |= {"kind": "plan", "plan_file": choose_place(project, request.text, request.output, now)}
    kept = begin_kept(project.state, request.text, options, about)
    return carry_on(project.state, kept.planning.id, open_display)


def refine(project: Project, path: str, request: PlanRequest, open_display: OpenDisplay) -> PlanEnd | None:
    """Let agents revise what is left of a plan; None where nothing is."""
    text, place = load_source(path).text, os.path.realpath(path)
    found = read(PlanSource(path, text))
    if found.phases and all(phase.status.is_terminal for phase in found.phases):
        return None
    settings, now = load_committed_settings(project.root), time.time()
    about = _about(request, settings, project.root, now) | {"kind": "refine", "plan_file": place}
    # What is finished cannot be made shorter. No number of rounds: the one round that is named.
    sections = _sections(path, text, request)
    usual = replace(_options(request, settings), size="")
    options = replace(usual, named=_REFINING, interview=False, sections=sections, length="free")
    wanted = _REQUEST.format(title=" ".join(found.title.split()) or os.path.basename(place))
    feedback = "\n\n".join(part for part in (*open_feedback(place), *request.feedback) if part.strip())
    kept = begin_kept(project.state, wanted, options, about, original=text, feedback=feedback)
    return carry_on(project.state, kept.planning.id, open_display)


def resume(project: Project, id_: str, request: PlanRequest, open_display: OpenDisplay) -> PlanEnd:
    """Go on with a planning of this project, with other agents or limits where some are named."""
    kept = load(project.state, id_)
    if kept.about.get("kind") not in _KINDS:
        raise PlanrailError(f"{id_} is the planning of a session", remedy="go on with it in that session")
    if kept.about["root"] != project.root:
        raise PlanrailError(f"{id_} belongs to {kept.about['root']}", remedy=f"cd {quote(kept.about['root'])}")
    changed = {name: value for name in ("agent", "critic", "model") if (value := getattr(request, name))}
    for name, most in _MOST.items():
        if getattr(request, name) is not None:
            changed[name] = str(max(1, min(getattr(request, name), most)))
    if request.output:
        changed["plan_file"] = check_output(request.output)
    if changed:
        if changed.get("agent", kept.about["agent"]) != kept.about["agent"]:
            changed |= {"conversation": "", "heard": "0"}  # a conversation is one program's own
        check_names(changed.get("agent", "claude"), changed.get("critic", "claude"), known=NAMES)
        with locked(project.state, id_, wait=False) as is_ours:
            if is_ours:
                save(project.state, kept.note(**changed))
    return carry_on(project.state, id_, open_display)


def list_unfinished(project: Project) -> list[KeptPlanning]:
    """The plannings of this project that can be gone on with, the newest first."""
    found = []
    for name in list_plannings(project.state):
        try:
            kept = load(project.state, name)
        except PlanrailError:
            continue
        is_ours = kept.about.get("root") == project.root and kept.about.get("kind") in _KINDS
        if is_ours and kept.planning.progress.ended != "cancelled" and not kept.about.get("delivered"):
            found.append(kept)
    return found


def _options(request: PlanRequest, settings: Settings) -> PlanningOptions:
    usual = options_from(settings.planning)
    attempts = usual.attempts if request.attempts is None else request.attempts
    if not 1 <= attempts <= 20:
        raise UsageError(f"{attempts} is no number of attempts", remedy="choose 1 to 20: --attempts 4")
    same = ("named", "skipped", "rounds", "open_critique", "use_memory", "clear_memory")
    options = replace(
        usual,
        **{name: getattr(request, name) for name in same},
        interview=request.interview or (usual.interview and not request.named),
        free=False,
        length=read_length(request.length) if request.length else usual.length,
        attempts=attempts,
        size=request.size or usual.size,
    )
    assert options.phases  # a list that cannot be had is refused here
    return options


def _about(request: PlanRequest, settings: Settings, root: str, now: float) -> dict[str, str]:
    """What belongs to a planning beside its text: which agents take part, and within which limits."""
    planning = settings.planning
    agent = request.agent or planning.agent
    critic = request.critic or planning.critic or agent
    explorers = planning.explore_agents if request.explorers is None else request.explorers
    timeout = planning.timeout * 60 if request.timeout is None else request.timeout
    check_names(agent, critic, known=NAMES)
    if not 1 <= explorers <= _MOST["explorers"]:
        raise UsageError(f"{explorers} explorers cannot be had", remedy="choose 1 to 10: --explorers 3")
    if timeout < 1:
        raise UsageError(f"{timeout} seconds are no time", remedy="choose at least 1: --timeout 1800")
    return {
        "root": root,
        "agent": agent,
        "critic": critic,
        "model": request.model,
        "explorers": str(explorers),
        "timeout": str(timeout),
        "session": "",
        "created": str(now),
    }


def _sections(path: str, text: str, request: PlanRequest) -> tuple[str, ...]:
    """The sections that the plan has: those a revision must have as well. Other people's plans have not all seven."""
    if not extract_plan(text):
        raise PlanrailError(
            f"no heading of {path} names a section ({', '.join(SECTIONS)}), so a revision of it could not be "
            "told from other text; nothing was changed",
            remedy=f"such plans, and data, are revised by hand, then: planrail approve {quote(path)}",
        )
    present = sections_in(text)
    if not present and (request.rounds or 1) > 1:
        raise UsageError("a plan without sections is refined in one round", remedy="leave out --rounds")
    return present


def sections_in(plan: str) -> tuple[str, ...]:
    return tuple(name for name in SECTIONS if not judge("draft", plan, Bar(sections=(name,), is_final=True)))
