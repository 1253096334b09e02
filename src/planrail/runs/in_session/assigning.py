"""Handing the current phase of a plan to the agent of a session: its text word for word, and the rules."""

import contextlib
import os
from collections.abc import Mapping

from planrail.base.errors import PlanrailError
from planrail.base.wording import quote
from planrail.git.git_writing import ask_git
from planrail.projects.open_plan import open_known_plan
from planrail.runs.in_session.cases import ASSIGNMENT, PhaseCase, list_handed_out, open_case, why_unapproved
from planrail.runs.in_session.handed_out import find_change
from planrail.runs.in_session.working_tree import take_tree
from planrail.store.spool import append_spool

LIMIT = 8_000  # characters: agents cut what a hook says at about 10,000, and it says more than this
_NOT_APPROVED = """
**NOT APPROVED:** {why}. Do not begin. Tell the user to approve it in a terminal of their own: `planrail approve {plan}`
"""
_PROVABLE = """\
1. Work on this phase alone. What belongs to another one waits; what the plan does not foresee you ask about.
2. `planrail check {names}` runs its checks on the working tree, as often as you like.
3. When the work is finished: `planrail done {names}` (with `--commit` only if the user asked for commits). It runs the
   checks itself, and on the base as well: what passes without the work proves nothing, and tests must not get weaker.
   If it refuses, the phase is not done: fix what it names, or tell the user why you cannot.
4. Tick no box, mark no phase, and change no check in the plan: planrail marks what is proven, and an edited phase
   loses its approval.
5. After that, stop: tell the user in two lines what was done and what the checks said, and what `planrail done` offers.
"""
_CLAIMED = """\
1. Work on this phase alone. What belongs to another one waits; what the plan does not foresee you ask about.
2. This phase names no check, so nothing can prove it. Tell the user that a fenced block ```` ```sh check ```` in it
   would; do not add one by yourself.
3. When the work is finished, tick its boxes or run `planrail set {names} done`. That is a claim, and shown as one.
4. After that, stop: tell the user in two lines what was done, and how they can see that it is.
"""


def assign(request: Mapping[str, str]) -> dict[str, object]:
    """What the agent of a session is told about the current phase, and what its user is. That it was handed out is put
    on record: from then on its text counts as it is now, also where it was another one the last time."""
    path = request["plan"]
    plan = open_known_plan(path)
    if plan.next is None:
        return {"text": f"The plan {path} has no open phase. Tell the user; `planrail show {quote(path)}` lists them."}
    case = open_case(path, plan.next.phase, request["root"])
    why = why_unapproved(case)
    changed = "" if why else find_change(case)
    if not why:
        note_start(case, request)
    notice = (
        f"planrail: phase {case.order.id} is handed out with another text than before: {changed}." if changed else ""
    )
    return {"text": render(case, why), "notice": notice}


def note_approved(request: Mapping[str, str]) -> None:
    """A plan that was approved in a session is carried out there: its next phase is handed out by that."""
    plan = open_known_plan(request["plan"])
    case = open_case(request["plan"], plan.next.phase, request["root"]) if plan.next else None
    if case is not None and not why_unapproved(case):
        note_start(case, request)


def render(case: PhaseCase, why_not: str) -> str:
    """The assignment: which phase, the rules, its text; where the text is too long, where it stands."""
    path, order = case.plan_file.place, case.order
    names = f"{quote(path)} {quote(order.id)}"
    rules = (_PROVABLE if order.own_checks else _CLAIMED).format(names=names)
    not_approved = _NOT_APPROVED.format(why=why_not, plan=quote(path)) if why_not else ""
    head = f"{not_approved}\nYou carry out phase {order.id} ({order.title[:200]}), here in this session:\n\n{rules}\n"
    whole = f"{head}The phase, word for word:\n\n---\n\n{order.text}"
    if len(whole) <= LIMIT:
        return whole
    return f"{head}The phase is too long to repeat here: read {path} from line {case.line} on before you begin."


def note_start(
    case: PhaseCase, request: Mapping[str, str], *, is_offered: bool = False, begun_on: str | None = None
) -> None:
    """Note what a phase begins with: the commit that its work is told from, the tree, which no commit of it must
    contain, and its words, which it is held to. Offered: nobody has asked for it yet. `begun_on`: its work was begun
    on that commit ("" where there is none), and nobody saw the tree then. Failing to note it is no failure.
    """
    with contextlib.suppress(PlanrailError):
        order, root = case.order, os.path.realpath(case.root)
        tree = take_tree(case.root, case.plan_file.place).id if begun_on is None else ""
        base = begun_on or (ask_git(case.root, "rev-parse", "--verify", "--quiet", "HEAD") or "").strip()
        value: dict[str, object] = {"phase": order.id, "root": case.root, "base": base, "text": order.canonical}
        value |= {"tree": tree, "words": order.text, "is_offered": is_offered}
        value |= {"agent": request["agent"], "session": request["session"]}
        before = list_handed_out(case)
        known = str(before[-1].get("text")) if before else ""  # a text that is handed out once more counts again
        about = (order.id, order.canonical, base, root, "offered" if is_offered else "", known)
        key = f"{ASSIGNMENT}:{case.plan_file.id}/{'/'.join(about)}"
        append_spool(case.plan_file.root, ASSIGNMENT, case.plan_file.id, value, id=key, at=int(request["now"]))
