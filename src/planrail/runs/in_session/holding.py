"""What does a stop come to in a session that executes a plan? A phase is proven and marked, or what is missing is said.

How far planrail goes depends on who wanted the phase: one that was handed out is looked at whenever something has
changed, one that is approved or offered only where the agent claims that work is done. Where the checks were neither
approved nor asked for, nothing is run: a claim is told to the person.

An agent waits for the answer. So what proves a phase is loaded only where its checks have passed.
"""

import hashlib
import os
import time
from collections.abc import Mapping

from planrail.approval.book import list_facts, load_policy, open_plan_file
from planrail.base.errors import Held, PlanrailError, UsageError
from planrail.base.records import record, replace
from planrail.base.wording import clip
from planrail.plans.model import Phase, Plan
from planrail.plans.states import ProofKind, State
from planrail.plans.words.endings import LastWords, names_unit
from planrail.projects.open_plan import open_known_plan
from planrail.runs.in_session.cases import (
    TESTS,
    PhaseCase,
    load_handed_out,
    locate_work,
    make_case,
    open_case,
    refuse_held,
    stand_on_base,
    why_unapproved,
)
from planrail.runs.in_session.tree_checks import TreeRuns, run_on_tree
from planrail.runs.in_session.working_tree import Tree, take_tree
from planrail.store.runs.run_facts import PHASE

Request = Mapping[str, object]
Reply = dict[str, object]
TOLD, MISSING, PROVEN = "told", "missing", "proven"
_BY_WHOLE = "it has no check of its own; the plan's verification does not pass yet"
_PROVES_NOTHING = "what would prove it passes without the work as well"
_UNCHANGED = "no file has changed since it was begun"
_LONGEST = 180  # characters of one thing that is missing


@record
class _Open:
    """The phase that a stop is about. `why_told`: why nothing is run for it; `began`: the tree that it began with."""

    case: PhaseCase
    phase: Phase
    is_handed: bool
    began: str
    why_told: str


def look(request: Request, ending: LastWords) -> Reply:
    """The fields of `hook.sessions.world.StopLook`: nothing where the stop is none of planrail's business."""
    plan = open_known_plan(str(request["plan"]))
    if not plan.phases:
        return _tell("", "", "planrail finds no phase in it") if ending.claims else {}
    try:
        found = _find(plan, request)
    except PlanrailError as error:  # an agent that claims nothing need not hear of it
        return _refuse(plan, ending, error) if ending.claims else {}
    if found is None:
        return _close(plan, request)
    is_ticked = found.phase.status is State.DONE or any(item.is_closed for item in found.phase.items)
    ending = replace(ending, is_vague=ending.is_vague and not is_ticked)
    claims = ending.claims or is_ticked
    if not claims and not (found.is_handed and request["at_stop"] == "checks"):
        return {}
    if found.why_told:
        return _tell(found.phase.id, found.phase.title, found.why_told) if claims else {}
    return _answer(found, ending, request, claims=claims)


def _refuse(plan: Plan, ending: LastWords, error: PlanrailError) -> Reply:
    """Nothing can be run. What is wrong with settings an agent can have written, and can repair; else it is told."""
    why, phase = clip(error.message, _LONGEST), choose_phase(plan, "")
    if not isinstance(error, UsageError) or phase is None:
        return _tell("", "", why)
    about = {"phase": phase.id, "title": phase.title, "mark": f"{phase.id} {why}", "is_mixed": ending.opens}
    return {**about, "verdict": MISSING, "missing": [why]}


def _close(plan: Plan, request: Request) -> Reply:
    """No phase is open. One that was held has its work back as it was proven once: then it is told as proven."""
    from planrail.runs.in_session.finishing import stand_at

    held = plan.phase(str(request["mark"]).partition(" ")[0]) if request["missing"] else None
    if held is None or not is_settled(held):
        return {}
    about: Reply = {"phase": held.id, "title": held.title, "verdict": PROVEN, "mark": ""}
    return about | {"is_complete": stand_at(plan).is_complete}


def is_settled(phase: Phase) -> bool:
    """Whether nothing is left to prove of a phase. A box that an agent ticked settles nothing."""
    return phase.status is State.SKIPPED or (
        phase.status is State.DONE and phase.proof in (ProofKind.PROVEN, ProofKind.ADOPTED)
    )


def choose_phase(plan: Plan, handed: str) -> Phase | None:
    """The phase that is open: the one handed out, else the first behind it that is not settled, else one before it
    that nobody says is done; else the next one."""
    ids = [phase.id for phase in plan.phases]
    if handed in ids:
        at = ids.index(handed)
        behind = (phase for phase in plan.phases[at:] if not is_settled(phase))
        before = (phase for phase in plan.phases[:at] if not phase.status.is_terminal)
        return next(behind, None) or next(before, None)
    return plan.phase(plan.next.phase) if plan.next else None


def _find(plan: Plan, request: Request) -> _Open | None:
    """The open phase, and what is known of how it was handed out."""
    plan_file = open_plan_file(str(request["plan"]), str(request["root"]))
    known = load_handed_out(plan_file, locate_work(plan_file))
    phase = choose_phase(plan, str(known[-1].get("phase")) if known else "")
    if phase is None:
        return None
    earlier = (one for one in plan.phases[: plan.phases.index(phase)] if not one.status.is_terminal)
    phase = next((one for one in earlier if _is_named(one, request)), phase)  # its work may have been undone
    case = replace(make_case(plan_file, phase.id), deadline=time.monotonic() + _limit(request))
    own = [value for value in known if value.get("phase") == phase.id]
    why = why_unapproved(case)
    if why:
        why = f"it is not approved ({why}), so nothing was run"
    elif not own and not load_policy(case.plan_file.root, os.environ).required:
        why = "it was not handed out here, so nothing was run"
    elif not case.order.checks:
        why = "it has no check, so nobody has proven it"
    is_handed = any(not value.get("is_offered") for value in own)
    return _Open(case, phase, is_handed, str(own[-1].get("tree") or "") if own else "", why)


def _answer(found: _Open, ending: LastWords, request: Request, *, claims: bool) -> Reply:
    case = found.case
    try:
        refuse_held(case)
    except Held:
        return {}  # a run is at work on it, which says itself what it finds
    tree = take_tree(case.root, case.plan_file.place)
    text = hashlib.sha256(case.plan_file.source.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    mark = f"{case.order.id} {tree.id} {text}"
    about = {"phase": case.order.id, "title": case.order.title, "mark": mark, "is_mixed": ending.opens}
    if ending.is_vague and tree.id == found.began:  # it may speak of how things were before
        return _tell(case.order.id, case.order.title, _UNCHANGED)
    if mark == request["mark"]:  # this very tree was answered before
        return {**about, "verdict": MISSING, "missing": request["missing"]} if claims and request["missing"] else {}
    if (not claims and tree.id == found.began) or _speaks_of_last(found, ending, request, tree):
        return {}
    case = stand_on_base(case)
    missing, note = _try(case, tree, _limit(request))
    if missing == [_PROVES_NOTHING]:  # which no agent may change
        return _tell(case.order.id, case.order.title, _PROVES_NOTHING) if claims else {}
    is_of_it = ending.is_whole or _is_named(found.phase, request) or tree.id == found.began
    if missing and not is_of_it and (beside := _untouched(case, tree)):  # the agent did something else, and says so
        return _tell(case.order.id, case.order.title, beside)
    is_last = case.plan_file.plan.phases[-1].id == case.order.id
    is_part = case.is_by_whole and not (ending.is_whole or is_last) and _is_named(found.phase, request)
    if missing and is_part and not _untouched(case, tree):
        return _tell(case.order.id, case.order.title, _BY_WHOLE)
    if missing:
        return {**about, "verdict": MISSING, "missing": missing}
    to_end = ending.is_whole or (case.is_by_whole and not is_part)
    after = _go_on(case, replace(ending, is_whole=to_end), request)
    return {**after, "note": after.get("note") or note}


def _speaks_of_last(found: _Open, ending: LastWords, request: Request, tree: Tree) -> bool:
    """Whether a claim is about the phase that was proven last: this one was not asked for, and nothing has changed."""
    if found.is_handed or ending.is_whole or _is_named(found.phase, request):
        return False
    facts = list_facts(found.case.plan_file.root, PHASE, found.case.plan_file.id)
    return bool(facts) and facts[-1].value.get("tree") == tree.id


def _is_named(phase: Phase, request: Request) -> bool:
    """Whether the agent speaks of this very phase: by its title, or as the first of two, change 1, step 1."""
    said = str(request["message"]).lower()
    return phase.title.lower() in said or names_unit(said, phase.id)


def _untouched(case: PhaseCase, tree: Tree) -> str:
    from planrail.git.workspaces.work_snapshots import changed_paths
    from planrail.runs.in_session.proving import find_untouched

    return find_untouched(case, changed_paths(case.root, case.base.tree, tree.id)) if case.base.tree else ""


def _limit(request: Request) -> int:
    return int(str(request["hold_seconds"]))


def _try(case: PhaseCase, tree: Tree, limit: int) -> tuple[list[str], str]:
    """What is missing; where nothing is, the phase is marked now. And what there is to say about changed files."""
    ran = run_on_tree(case, tree=tree)
    failed = [run for run in ran.runs if run.exit and run.origin != TESTS]
    if time.monotonic() > case.deadline:
        return [_late(case, limit)], ""
    if failed:
        return [
            clip(f"`{' '.join(run.command.split())}` ended with exit code {run.exit}", _LONGEST) for run in failed
        ], ""
    return _prove(case, ran, limit)


def _prove(case: PhaseCase, ran: TreeRuns, limit: int) -> tuple[list[str], str]:
    from planrail.runs.evidence.scope import CHANGED, UNACCOUNTED
    from planrail.runs.in_session.finishing import finish
    from planrail.runs.in_session.proving import NO_BASE, NOTHING_DONE, prove, proves_nothing

    proof = prove(case, ran=ran)
    if time.monotonic() > case.deadline:  # the checks on the base were cut off, and nobody knows what they say there
        return [_late(case, limit)], ""
    failures = proof.evidence.failures
    if proves_nothing(failures):
        return [_untouched(case, ran.tree) or _PROVES_NOTHING], ""
    if failures:
        idle = [finding for finding in failures if finding.kind == NOTHING_DONE]  # which says all
        return [clip(" ".join(finding.text.split()), _LONGEST) for finding in idle or failures], ""
    try:
        finish(case, proof, request=None)
    except PlanrailError as error:
        return [clip(error.message, _LONGEST)], ""
    told = (NO_BASE, *(() if case.is_by_whole else (UNACCOUNTED, CHANGED)))  # what other phases name is theirs
    noted = [finding.text for finding in proof.evidence.findings if finding.kind in told]
    return [], clip(" ".join(noted), _LONGEST)


def _late(case: PhaseCase, limit: int) -> str:
    return f"the checks did not end within {limit} s: run `planrail done {case.name} {case.id}` yourself"


def _go_on(case: PhaseCase, ending: LastWords, request: Request) -> Reply:
    """A phase was proven. The next is offered; where the agent speaks of the whole plan, it has to be proven too."""
    from planrail.runs.in_session.assigning import note_start
    from planrail.runs.in_session.finishing import stand_at

    plan = open_known_plan(case.plan_file.place)
    following = choose_phase(plan, case.order.id)
    boundary = stand_at(plan)
    told: Reply = {"phase": case.order.id, "title": case.order.title, "verdict": PROVEN, "mark": ""}
    if following is None:
        broken = _find_broken(case, plan) if boundary.is_complete else ""
        return {**told, "is_complete": boundary.is_complete, **({"note": broken} if broken else {})}
    if following.id == case.order.id:  # it is proven, and still open: its own mark made another text of it
        return told
    told |= {"next": following.id, "next_title": following.title}
    after = replace(open_case(case.plan_file.place, following.id, str(request["root"])), deadline=case.deadline)
    if why_unapproved(after):
        return told
    about = {name: str(request[name]) for name in ("agent", "session", "now")}
    # an agent that speaks of all has begun it already, on the same base, and may have committed it
    note_start(after, about, is_offered=True, begun_on=case.base.commit if ending.is_whole else None)
    if not ending.is_whole or not after.order.checks:
        return told
    found = _Open(after, following, is_handed=False, began="", why_told="")
    answer = _answer(found, ending, request, claims=True)
    if not answer:
        return told
    before = answer.get("proven")
    return {**answer, "proven": [case.order.id, *(before if isinstance(before, list) else ())]}


def _find_broken(case: PhaseCase, plan: Plan) -> str:
    """A check of an earlier phase that fails on the tree which ends the plan: later work may be meant to do that, and
    may not. "" where none does in the time that is left."""
    known = {check.command for check in case.checks}
    for phase in plan.phases:
        other = make_case(case.plan_file, phase.id)
        checks = [check for check in other.order.own_checks if check.command not in known]
        if phase.proof is not ProofKind.PROVEN or not checks or time.monotonic() > case.deadline:
            continue
        known |= {check.command for check in checks}
        settings = replace(case.settings, testing=replace(case.settings.testing, command=""))  # they were run
        order = replace(other.order, checks=tuple(checks))
        failed = [run for run in run_on_tree(replace(case, order=order, settings=settings)).runs if run.exit > 0]
        if failed:
            return clip(f"A check of phase {phase.id} fails by now: `{' '.join(failed[0].command.split())}`", _LONGEST)
    return ""


def _tell(phase: str, title: str, why: str) -> Reply:
    return {"verdict": TOLD, "phase": phase, "title": title, "why": why}
