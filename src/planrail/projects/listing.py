"""The plans of one project: which files they are, at what stage each is, and which one is meant.

Agents keep the plans of all projects in one folder. A file there is this project's only if a record or a session says
so; another project's plan is never shown as ours.
"""

import os
from collections.abc import Iterable, Mapping

from planrail.base.errors import PlanrailError, UnreadablePlan, UsageError
from planrail.base.records import record, replace
from planrail.base.wording import quote
from planrail.git.git import DiskSurroundings
from planrail.hook.sessions import store
from planrail.hook.sessions.state import APPROVED, Session
from planrail.plans.files import lifecycle, plan_files
from planrail.plans.files.lifecycle import PlanRecord, Situation
from planrail.plans.files.plan_files import ARCHIVE, FileRefusal
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.states import PlanStatus, ProofKind
from planrail.plans.text.source import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@record
class Project:
    """Where the user stands: the project's root, where its plans lie, and planrail's own state."""

    root: str
    directory: str  # of new plans
    folders: list[str]  # inside the project: whatever lies there is its own
    state: str


@record
class ListedPlan:
    path: str
    stage: str
    title: str
    modified: float
    done: int = 0
    total: int = 0
    phase: str = ""
    phase_title: str = ""
    item: str = ""
    hash: str = ""
    session: str = ""  # the one that has it in its hands
    agent: str = ""
    is_changed: bool = False  # since it was proposed or approved
    is_held: bool = False  # a session plans with it or runs it
    problem: str = ""  # why it cannot be read

    @property
    def name(self) -> str:
        """What a person calls it."""
        return os.path.basename(self.path).removesuffix(plan_files.SUFFIX)


def locate_project(folder: str, environment: Mapping[str, str]) -> Project:
    """The project that a folder lies in, or a `UsageError` where its settings put plans in a place they must not be."""
    from planrail.base.projects import find_project
    from planrail.base.settings import load_settings
    from planrail.base.state_folder import state_folder
    from planrail.hook.agent_plans import plan_folders

    root = find_project(folder)
    home = environment.get("HOME") or os.path.expanduser("~")
    agents = plan_folders("claude", root, home, environment)  # its own settings last
    directory = plan_files.decide_directory(
        load_settings(root, environment).plans.directory,
        root=root,
        default=agents[-1],
        resolve=plan_files.resolve_folder,
    )
    if isinstance(directory, FileRefusal):
        raise UsageError(directory.reason, remedy=directory.remedy)
    folders = [place for place in dict.fromkeys([directory, *agents]) if plan_files.is_inside(place, root)]
    return Project(root, directory, folders, state_folder(environment))


def list_project_plans(project: Project, now: float, others: Iterable[str] = ()) -> list[ListedPlan]:
    """Every plan of the project, archived ones and those of sub-agents included, newest first.

    `others` are files of the project that lie outside its folders of plans, and may be plans.
    """
    records = {known.path: known for known in lifecycle.list_records(project.state)}
    sessions = _sessions(project, now)
    ours = {path for path, known in records.items() if known.project == project.root} | set(sessions)
    listed = []
    folders = [folder for place in project.folders for folder in (place, os.path.join(place, ARCHIVE))]
    inside = [folder for folder in folders if plan_files.is_inside(os.path.realpath(folder), project.root)]
    lying = {os.path.realpath(os.path.join(place, name)) for place in inside for name in plan_files.list_plans(place)}
    for path in lying | ours | set(map(os.path.realpath, others)):
        plan = _describe(project, path, records.get(path), sessions.get(path))
        # Where plans lie among the project's other documents, one has to look like a plan.
        is_among_plans = path in lying and os.path.dirname(path) != project.root
        if plan is not None and (path in ours or plan.total or is_among_plans):
            listed.append(plan)
    return sorted(listed, key=lambda plan: (-plan.modified, plan.path))


def hold_to_proofs(plans: list[ListedPlan]) -> list[ListedPlan]:
    """The plans as `status` has them: what the ledger proves of one counts, and not its document alone."""
    from planrail.projects.open_plan import open_known_plan
    from planrail.projects.plan_proofs import may_be_known

    held = []
    for listed in plans:
        is_read = not listed.problem and listed.stage != lifecycle.ARCHIVED and may_be_known(listed.path)
        plan = open_known_plan(listed.path) if is_read else None
        if plan is not None and any(phase.proof is ProofKind.PROVEN for phase in plan.phases):
            stage = lifecycle.decide_proven(listed.stage, is_complete=plan.status is PlanStatus.COMPLETE)
            listed = replace(listed, stage=stage, **_how_far(plan))
        held.append(listed)
    return held


def unwritten_plan(project: Project, now: float) -> str:
    """The path that a session has for a plan of which nothing is written yet; "" where there is none."""
    return next((path for path in _sessions(project, now) if not os.path.exists(path)), "")


def main_plans(plans: list[ListedPlan]) -> list[ListedPlan]:
    """The plans that people mean: not archived, and not a sub-agent's."""
    paths = [plan.path for plan in plans]
    return [
        plan
        for plan in plans
        if plan.stage != lifecycle.ARCHIVED and not plan_files.is_sub_agent_file(plan.path, paths)
    ]


def count_work(plan: Plan) -> tuple[int, int]:
    """How many work items are done, and of how many; a phase without items counts as one."""
    done = total = 0
    for phase in plan.phases:
        total += len(phase.items) or 1
        closed = sum(1 for item in phase.items if item.is_closed)
        done += (len(phase.items) or 1) if phase.status.is_terminal else closed
    return done, total


def _how_far(plan: Plan) -> "dict[str, Any]":
    done, total = count_work(plan)
    upcoming = plan.phase(plan.next.phase) if plan.next else None
    phase, title = (upcoming.id, upcoming.title) if upcoming else ("", "")
    item = (plan.next.item or "") if plan.next else ""
    return {"done": done, "total": total, "phase": phase, "phase_title": title, "item": item}


def _sessions(project: Project, now: float) -> dict[str, Session]:
    """The living sessions of this project by their plan; of several with one plan, one that is at work on it."""
    found: dict[str, Session] = {}
    for _, place in store.list_sessions(project.state):
        try:
            session = store.load_file(place)
            is_living = now - os.stat(place).st_mtime <= store.DAY
        except (store.UnreadableState, OSError):
            continue
        if is_living and session.plan and os.path.realpath(session.project) == project.root:
            path = os.path.realpath(session.plan)
            if path not in found or not _is_at_work(found[path]):
                found[path] = session
    return found


def _is_at_work(session: Session) -> bool:
    return session.planning or session.stage == APPROVED


def _describe(project: Project, path: str, known: PlanRecord | None, session: Session | None) -> ListedPlan | None:
    """The plan at a path; None where there is no file, or no longer."""
    folder = os.path.dirname(path)
    is_archived = os.path.basename(folder) == ARCHIVE and folder not in project.folders
    try:
        modified = os.stat(path).st_mtime
    except OSError:
        return None
    try:
        source = load(path)
    except UnreadablePlan as error:
        stage = lifecycle.ARCHIVED if is_archived else lifecycle.DRAFT
        return ListedPlan(path, stage, os.path.basename(path), modified, problem=error.message)
    plan = read(source, DiskSurroundings(path))
    text_hash = lifecycle.hash_of(plan, source.text)
    is_complete = bool(plan.phases) and plan.status is PlanStatus.COMPLETE
    stage, is_planning = (session.stage, session.planning) if session else ("", False)
    now = Situation(text_hash, stage, is_planning, is_complete, is_archived)
    found = ListedPlan(path, lifecycle.decide_stage(known, now), plan.title, modified, **_how_far(plan))
    found = replace(found, hash=text_hash, is_changed=lifecycle.has_changed(known, text_hash))
    return replace(found, session=session.id, agent=session.agent, is_held=_is_at_work(session)) if session else found


def choose_plan(plans: list[ListedPlan], name: str | None) -> ListedPlan:
    """The plan that is meant, archived or not; without a name the newest that is not. Else an error that lists them."""
    if not name:
        current = main_plans(plans)
        if not current:
            raise PlanrailError("no plan written yet", remedy='planrail plans new "what is to be done"')
        return current[0]
    lying_open = [plan for plan in plans if plan.stage != lifecycle.ARCHIVED]
    return _one(_matches(lying_open, name) or _matches(plans, name), name, "planrail plans --all")


def choose_archived(plans: list[ListedPlan], name: str) -> ListedPlan:
    archived = [plan for plan in plans if plan.stage == lifecycle.ARCHIVED]
    return _one(_matches(archived, name), name, "see which are archived: planrail plans --all")


def _matches(plans: list[ListedPlan], name: str) -> list[ListedPlan]:
    """Names select among the project's plans; so does the path of one of them. Nothing else is ever opened."""
    by_path = [plan for plan in plans if plan.path == os.path.realpath(name)]
    if by_path:
        return by_path
    meant = set(plan_files.match_names([os.path.basename(plan.path) for plan in plans], name))
    return [plan for plan in plans if os.path.basename(plan.path) in meant]


def _one(matches: list[ListedPlan], name: str, remedy: str) -> ListedPlan:
    if not matches:
        raise UsageError(f"this project has no such plan: {name!r}", remedy=remedy)
    if len(matches) > 1:
        paths = "".join(f"\n    {quote(plan.path)}" for plan in matches[:12])
        raise UsageError(f"{name!r} means {len(matches)} plans; name one", remedy=f"the newest first:{paths}")
    return matches[0]
