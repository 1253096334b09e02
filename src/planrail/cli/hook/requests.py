"""What the full package does for the hook, but for the comparison of a tree: see `heavy`, which asks."""

import contextlib

from planrail.plans.files.plan_files import IN_PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Request = dict[str, str]
    Reply = dict[str, object]

_WEEK = 7 * 86_400


def read_settings(request: "Request") -> "Reply":
    """The settings of a project, as plain values."""
    from planrail.base.settings import FILE_NAME, load_settings
    from planrail.base.wording import pick
    from planrail.git.git import show_committed

    root = request["root"]
    settings = load_settings(root, committed=show_committed(root, FILE_NAME))
    return {
        **pick(settings.guard, "block allow_tools"),
        **pick(settings.planning, "propose workflow auto_mode explore_agents plan_agents"),
        **pick(settings.context, "warn hold window"),
        **pick(settings.session, "at_stop=hold hold_seconds"),
        **pick(settings.run, "main_protected target"),
        "prime": settings.tasks.prime,
        "consent": _find_consent(root),
    }


def _find_consent(root: str) -> str:
    """What an approval in a session has to be, to be enough: a strength, or that it is the lead's."""
    from os import environ

    from planrail.approval.book import load_policy
    from planrail.approval.policy import is_person
    from planrail.hook.deciding.consent import LEAD

    policy = load_policy(root, environ)
    if policy.leads:
        from planrail.approval.people.terminals import read_who

        if not all(is_person(read_who(environ), lead) for lead in policy.leads):
            return LEAD
    return policy.in_session


def prepare(request: "Request") -> "Reply":
    """Make ready for planning: a plan file where one is wanted, and a snapshot of the tree. What fails is said."""
    from planrail.git.embedded import find_foreign_module

    complaints = []
    plan = request["plan"]
    words, refusal = _words_of(request) if request["wants_plan"] and request["text"] else ("", "")
    if refusal:
        return {"refusal": refusal}
    if request["wants_plan"] and not plan:
        plan, complaint = _choose_plan({**request, "text": words})
        complaints.append(complaint)
    begun = begin_planning({**request, "plan": plan}) if words else {}
    complaints.append(str(begun.get("complaint") or ""))
    snapshot, complaint = _take_snapshot(request)
    complaints.append(complaint)
    embedded = find_foreign_module(request["root"])
    if embedded:
        complaints.append(
            f"planrail: git is refused while planning: settings in the submodule {embedded} name programs"
        )
    said = "\n".join(filter(None, complaints))
    return {**begun, "plan": plan, "snapshot": snapshot, "complaint": said, "embedded": embedded}


def _words_of(request: "Request") -> tuple[str, str]:
    """What a person wants planned, without options; or why it cannot be planned like that."""
    from planrail.base.errors import UsageError
    from planrail.planning.in_session.session import read_request

    try:
        return read_request(request)[1], ""
    except UsageError as error:
        return "", f"planrail: {error.message}; {error.remedy}"


def _choose_plan(request: "Request") -> tuple[str, str]:
    import os
    import random

    from planrail.base.errors import PlanrailError
    from planrail.plans.files.plan_files import FileRefusal, reserve
    from planrail.projects.listing import Project, locate_project

    complaint = ""
    try:
        project = locate_project(request["root"], os.environ)
    except PlanrailError as error:
        fallback = f"{request['root']}/{IN_PROJECT}"
        project = Project(request["root"], fallback, [fallback], request["folder"])
        complaint = f"planrail: {error.message}; the plan goes to {IN_PROJECT}/ for now ({error.remedy})"
    # Claude Code writes to its own folder as well; the others write nowhere but inside the project.
    is_inside = project.directory in project.folders or request["agent"] != "claude"
    folder = project.directory if project.directory in project.folders else f"{project.root}/{IN_PROJECT}"
    made = reserve(
        folder if is_inside else project.directory,
        request["text"],
        choose=random.SystemRandom().randrange,
        kept_in=f"{request['folder']}/reservations",
        now=float(request["now"]),
        root=project.root if is_inside else None,
    )
    if isinstance(made, FileRefusal):
        return "", f"planrail: no plan file could be made: {made.reason}; {made.remedy}"
    _remember(made, request)
    return made, complaint


def _remember(plan: str, request: "Request") -> None:
    """Note whose plan this is: agents keep those of all projects in one folder."""
    from planrail.plans.files.lifecycle import PlanRecord, save

    new = PlanRecord(plan, request["root"], session=request["session"], agent=request["agent"], at=int(request["now"]))
    save(request["folder"], plan, lambda known: known or new)


def _take_snapshot(request: "Request") -> tuple[str, str]:
    from planrail.git.snapshots.snapshots import take_snapshot
    from planrail.hook.sessions.store import file_name

    name = f"{request['agent']}-{file_name(request['session'])}-{request['now']}".replace("%", "x")
    about = {"session": request["session"], "agent": request["agent"]}
    try:
        _drop_old(f"{request['folder']}/snapshots", float(request["now"]))
        taken = take_snapshot(
            request["root"], f"{request['folder']}/snapshots", name, taken_at=float(request["now"]), **about
        )
    except Exception as error:  # planning goes on all the same: the guard holds, and the person is told
        return "", f"planrail: changes cannot be detected while planning: {error}"
    return taken.name, "\n".join(f"planrail: {note}" for note in taken.notes)


def _drop_old(folder: str, now: float) -> None:
    """Let go of snapshots that nobody has asked for in a week. What was parked stays on its branch."""
    from planrail.base.errors import PlanrailError
    from planrail.git.snapshots.model import list_snapshots
    from planrail.git.snapshots.snapshots import drop_snapshot

    for snapshot in list_snapshots(folder):
        if now - snapshot.taken_at > _WEEK:
            try:
                drop_snapshot(snapshot)
            except (PlanrailError, OSError):
                continue


def give_opinion(request: "Request") -> "Reply":
    from planrail.guard.judging import GuardPolicy, judge_tree
    from planrail.guard.repositories import Repositories
    from planrail.guard.second_opinion import parse

    tree = parse(request["command"])
    if tree is None:
        reason = "this command is beyond what planrail can prove to be read-only; use simple commands, one by one"
        return {"decision": "deny", "reason": reason}
    repositories = Repositories(request["root"], lambda: request["embedded"])
    verdict = judge_tree(request["command"], tree, GuardPolicy((), request["cwd"], request["home"], repositories))
    return {"decision": verdict.decision, "reason": verdict.reason}


def summarise_plan(request: "Request") -> "Reply":
    from planrail.cli.hook.plan_summary import summarise

    return {"summary": summarise(request["plan"])}


def assign_phase(request: "Request") -> "Reply":
    from planrail.runs.in_session.assigning import assign

    return assign(request)


def examine_plan(request: "Request") -> "Reply":
    from planrail.cli.hook.plan_summary import examine

    return {"problems": examine(request["text"], request["root"])}


def look_at_phase(request: "Request") -> "Reply":
    """What a stop comes to. Who says that work is not done, or asks, is believed: nothing more is loaded for them."""
    from planrail.plans.words.endings import read_ending

    ending = read_ending(request["message"])
    if ending.opens and not ending.claims:
        return {}
    from planrail.runs.in_session.holding import look

    return look(request, ending)


def gate_command(request: "Request") -> "Reply":
    from planrail.runs.in_session.gating import gate

    return gate(request)


def find_plan(request: "Request") -> "Reply":
    """The plan that a name means among the project's, or that is meant without one; and which there are."""
    import os

    from planrail.projects.meant_plan import find_meant

    found = find_meant(request["root"], request["cwd"], request["name"], request["session"], os.environ)
    return dict(zip(("plan", "names"), found, strict=True))


def record_stage(request: "Request") -> "Reply":
    """Note that a plan is being written, was proposed or approved; from then on with the hash of its text."""
    from planrail.plans.files.lifecycle import APPROVED, DRAFT, PROPOSED, ReachedStage, hash_of, take_step
    from planrail.plans.text.source import load
    from planrail.projects.open_plan import open_plan

    plan = request["plan"]
    if request["stage"] == DRAFT:
        _remember(plan, request)
        return {}
    digest = hash_of(open_plan(plan), load(plan).text)
    stages = (PROPOSED, APPROVED) if request["stage"] == APPROVED else (request["stage"],)
    for stage in stages:
        step = ReachedStage(stage, digest, int(request["now"]), request["session"], request["agent"])
        take_step(request["folder"], plan, request["root"], step)
    _put_on_record(request)
    return {}


def _put_on_record(request: "Request") -> None:
    """A proposal goes to the queue, an approval that the hook heard into the ledger's spool, with the text's hashes."""
    from planrail.approval.records import propose, record_dialog
    from planrail.base.errors import PlanrailError
    from planrail.plans.files.lifecycle import PROPOSED

    plan, agent, session, now = request["plan"], request["agent"], request["session"], int(request["now"])
    if request["stage"] == PROPOSED:
        with contextlib.suppress(PlanrailError):  # rejected and unchanged: the agent is told by the hook
            propose(plan, agent=agent, session=session, root=request["root"], now=now)
    else:
        record_dialog(
            plan, agent=agent, session=session, root=request["root"], at=now, edited=bool(request["is_edited"])
        )
        from planrail.runs.in_session.assigning import note_approved

        with contextlib.suppress(PlanrailError):  # the approval stands, whatever can be read of the plan
            note_approved(request)


def find_writer(request: "Request") -> "Reply":
    from planrail.plans.files.lifecycle import load

    known = load(request["folder"], request["plan"])
    return {"session": known.session if known else ""}


def begin_planning(request: "Request") -> "Reply":
    """Begin a planning for what the user said, in a session that is in plan mode; with a plan file, if it has none."""
    from planrail.planning.in_session.session import begin

    words, refusal = _words_of(request)
    if refusal:
        return {"refusal": refusal}
    plan, complaint = (request["plan"], "") if request["plan"] else _choose_plan({**request, "text": words})
    begun = begin({**request, "plan": plan})
    return {**begun, "complaint": "\n".join(filter(None, (complaint, str(begun.get("complaint") or ""))))}


def go_on_planning(request: "Request") -> "Reply":
    """What the planning of a session asks of the agent, what an answer did to it, and its end."""
    from planrail.planning.in_session import session

    return {"answer": session.answer, "phase": session.ask, "end_planning": session.end}[request["do"]](request)


REQUESTS: "dict[str, Callable[[Request], Reply]]" = {
    "settings": read_settings,
    "prepare": prepare,
    "opinion": give_opinion,
    "summary": summarise_plan,
    "examine": examine_plan,
    "find": find_plan,
    "assignment": assign_phase,
    "look": look_at_phase,
    "gate": gate_command,
    "stage": record_stage,
    "writer": find_writer,
    "begin": begin_planning,
    **dict.fromkeys(("answer", "phase", "end_planning"), go_on_planning),
}
