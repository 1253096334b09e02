"""Mark a phase as done, on evidence: planrail runs its checks on the working tree, and refuses where one fails.

It runs them on the base as well: where they pass there too, or nothing has changed, nothing is proven. What an earlier
`planrail check` said is not taken for it: the tree may be another one by now, and a row in the ledger is no proof. Only
on evidence are the phase's mark and the boxes of its work items changed, by planrail and not one other byte. With
--commit exactly the files of the phase are committed: those that changed since it was handed out, or those named.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from planrail.base.errors import UsageError
from planrail.base.wording import Answer, name_some, paint, pick, quote_file
from planrail.cli.refusals import refusal_as_json
from planrail.cli.screen import say
from planrail.projects.next_step import next_command
from planrail.projects.open_plan import open_known_plan
from planrail.runs.in_session.cases import (
    PhaseCase,
    open_case,
    refuse_held,
    refuse_unapproved,
    refuse_unchecked,
    stand_on_base,
)
from planrail.runs.in_session.committing import CommitRequest, read_names, refuse_commit, select_files
from planrail.runs.in_session.finishing import Boundary, Finished, finish, set_ticket, stand_at
from planrail.runs.in_session.proving import PhaseProof, prove
from planrail.runs.in_session.results import describe, next_step, render_head, render_judgement, telling
from planrail.runs.in_session.working_tree import find_head, take_tree

_MOST_NAMED = 8
_NOTHING_DONE = {"done": False, "commit": None, "committed": (), "left_out": ()}


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", help="the plan file")
    parser.add_argument("phase", metavar="PHASE", help="the id of the phase, as `planrail show` prints it")
    parser.add_argument(
        "--commit",
        nargs="*",
        metavar="FILE",
        help="commit the files of the phase, and the plan's mark: what changed since it was handed out, or these",
    )
    parser.add_argument("--all", action="store_true", help="with --commit: all that has changed")
    parser.add_argument("-m", "--message", metavar="TEXT", default="", help="what the commit says first")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    nothing = {"path": arguments.plan, "phase": arguments.phase, "ok": False, "checks": [], **_NOTHING_DONE}
    with refusal_as_json(nothing, as_json=arguments.json):
        case, request = _open(arguments)
        if not arguments.json:
            say(render_head(case))
        proof = prove(case) if arguments.json else prove(case, *telling(say))
        if not proof.ok:
            following = next_step(case, proof)
            document = {**describe(case, proof), **_NOTHING_DONE, "next": following}
            return Answer(document, render_judgement(case, proof), command=following, code=1)
        finished = finish(case, proof, request=request)
    return _answer(arguments, case, proof, finished)


def _open(arguments: Namespace) -> tuple[PhaseCase, CommitRequest | None]:
    """The phase, if it may be marked at all, and the commit that was asked for; what speaks against either is said
    before anything is run."""
    if arguments.commit is None and (arguments.message or arguments.all):
        option = "-m says what a commit says" if arguments.message else "--all says what a commit has"
        raise UsageError(f"{option}, and none was asked for", remedy="add --commit")
    if arguments.commit and arguments.all:
        raise UsageError("--all and the names of files contradict each other", remedy="leave out one of them")
    case = open_case(arguments.plan, arguments.phase)
    refuse_unchecked(case)
    refuse_unapproved(case)
    refuse_held(case)
    case = stand_on_base(case)
    if arguments.commit is None:
        return case, None
    request = CommitRequest(arguments.message, read_names(case.root, arguments.commit), arguments.all)
    refuse_commit(case.root)
    select_files(case, find_head(case.root), take_tree(case.root, case.plan_file.place).id, request)
    return case, request


def _answer(arguments: Namespace, case: PhaseCase, proof: PhaseProof, finished: Finished) -> Answer:
    plan = open_known_plan(case.plan_file.source.path)
    boundary, made = stand_at(plan), finished.committed
    sessions = set_ticket(case.plan_file.place, boundary)
    told: dict[str, object] = {"done": True, "commit": finished.commit or None, "ticked": finished.ticked}
    told |= pick(made, "committed=paths left_out") if made else {"committed": [], "left_out": []}
    told |= {"complete": boundary.is_complete, "claimed": list(boundary.claimed), "next": next_command(plan)}
    lines = [*render_judgement(case, proof), *_render(case, proof, finished, wants_commit=arguments.commit is not None)]
    lines += _render_boundary(boundary, has_session=bool(sessions))
    return Answer({**describe(case, proof), **told}, lines, command=next_command(plan))


def _render(case: PhaseCase, proof: PhaseProof, finished: Finished, *, wants_commit: bool) -> Iterator[str]:
    boxes = f", {finished.ticked} {'box' if finished.ticked == 1 else 'boxes'} ticked" if finished.ticked else ""
    yield f"{paint('✔', 'green')} phase {case.order.id} is done, and proven (evidence {proof.hash[:12]}){boxes}"
    if finished.note:
        yield paint(f"  {finished.note}", "yellow")
    made = finished.committed
    if made is None:
        if wants_commit:
            yield f"  nothing to commit{f': it is {finished.commit[:12]}' if finished.commit else ''}"
        return
    yield f"  committed as {made.commit[:12]}: {name_some(made.paths, _MOST_NAMED)}"
    if made.left_out:
        yield paint(f"  not committed, though the checks saw it: {name_some(made.left_out, _MOST_NAMED)}", "yellow")
    if made.mixed:
        names = " ".join(quote_file(case.root, path) for path in made.mixed)
        yield paint(f"  changed before the phase began and since: {name_some(made.mixed, _MOST_NAMED)}", "yellow")
        yield paint(f"  to commit them whole: git commit --only -- {names}", "yellow")


def _name_all(phases: int) -> str:
    return "its one phase is" if phases == 1 else f"all {phases} phases are"


def _render_boundary(boundary: Boundary, *, has_session: bool) -> Iterator[str]:
    total = boundary.proven + boundary.adopted + len(boundary.claimed) + len(boundary.open)
    if boundary.is_complete:
        how = f"{boundary.proven} proven" + (f", {boundary.adopted} adopted" if boundary.adopted else "")
        yield f"{paint('PLAN COMPLETE', 'bold')}: {_name_all(total)} finished ({how})"
        return
    if boundary.claimed:
        yield paint(f"  marked done, but proven by nobody: {', '.join(boundary.claimed)}", "yellow")
    if boundary.next and has_session:
        yield (
            f"Next is phase {boundary.next}. This is a good place to clear the context: tell the user to run /clear;"
            " the plan comes back by itself. Without a clear, the user says `execute plan`."
        )
