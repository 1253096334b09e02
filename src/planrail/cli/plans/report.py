"""What is said at the end of a headless planning: for people, or as one JSON document."""

import os

from planrail.base.errors import PlanrailError
from planrail.base.settings import load_settings
from planrail.base.wording import Answer, paint, pick, plural, quote
from planrail.cli.refusals import REFUSED, refusal_as_json
from planrail.git.working_files import open_folder
from planrail.planning.answers.questions import open_questions
from planrail.planning.headless.board import render_tokens
from planrail.planning.headless.delivery import Delivered, told_changes
from planrail.planning.headless.working import PlanEnd
from planrail.planning.in_session.facts import lint_text
from planrail.planning.options import describe_size
from planrail.planning.plannings import KeptPlanning, place_of
from planrail.plans.text.source import load

EXIT_CODES = {"finished": 0, "exhausted": 1, "failed": 11, "interrupted": 130}  # "unwritten" has that of its error
_MOST = 8


def answer(ended: PlanEnd, *, as_json: bool) -> Answer:
    """How a planning ended; an error of the whole request is raised, with the same document."""
    with refusal_as_json(lambda error: describe(ended), as_json=as_json):
        if ended.failure is not None:
            raise ended.failure
    code, following = EXIT_CODES[ended.status], _following(ended)
    if ended.delivered is None:
        return Answer(describe(ended), _render_stopped(ended), command=following, code=code)
    path, root = ended.delivered.path, ended.kept.about["root"]
    try:
        found = lint_text(load(path).text, path, open_folder(root), load_settings(root))
    except PlanrailError:
        found = []
    errors = sum(problem.severity == "error" for problem in found)
    lint = {"errors": errors, "warnings": len(found) - errors}
    lines = _render_finished(ended, ended.delivered, lint)
    return Answer({**describe(ended), "lint": lint}, lines, command=following, code=code)


def _render_finished(ended: PlanEnd, delivered: Delivered, lint: dict[str, int]) -> list[str]:
    planning = ended.kept.planning
    if not delivered.is_changed:
        return [f"nothing had to change in {_shown(delivered.path)}; it is as it was"]
    what = "refined" if planning.original else "written"
    lines = [f"{paint('the plan is ' + what, 'green')}: {_shown(delivered.path)}"]
    problems = f"{plural(lint['errors'], 'error')}, {plural(lint['warnings'], 'warning')}"
    lines += [f"  lint: {problems}   used: {_used(ended.kept)}"]
    questions = open_questions(planning.plan)
    if questions:
        lines += [f"  the plan leaves {plural(len(questions), 'question')} open:"]
        lines += [f"    - {question}" for question in questions[:_MOST]]
    return lines + [f"  {note}" for note in (delivered.note, _changes(ended)) if note]


def _render_stopped(ended: PlanEnd) -> list[str]:
    progress = ended.kept.planning.progress
    place = f"{progress.phase}, {progress.index + 1} of {len(progress.phases)}"
    told = {
        "exhausted": f"the planning stopped at {place}: {progress.attempts} answers in a row were not good enough",
        "failed": f"the planning stopped at {place}: {ended.error}",
        "interrupted": f"the planning was stopped at {place}",
    }
    problems = [f"  - {problem}" for problem in ended.problems[:_MOST]]
    kept = f"  no plan was written; everything so far is kept in {_place(ended)}"
    return [told[ended.status], *problems, kept]


def describe(ended: PlanEnd) -> dict[str, object]:
    planning, about, delivered = ended.kept.planning, ended.kept.about, ended.delivered
    progress = planning.progress
    return blank_document(
        planning=planning.id,
        status=ended.status,
        **(pick(delivered, "plan=path changed=is_changed request?") if delivered else {}),
        size=describe_size(planning.options) or None,
        phases=list(progress.phases),
        phase=progress.phase,
        done=len(progress.phases) if ended.status == "finished" else progress.index,
        problems=list(ended.problems),
        error=_error(ended) or None,
        result=ended.result or None,
        questions=list(open_questions(planning.plan)),
        tree_changes=_changes(ended) or None,
        tokens={"in": int(about.get("tokens_in", "0")), "out": int(about.get("tokens_out", "0"))},
        cost=float(about.get("cost", "0")),
        folder=_place(ended),
        next=_following(ended),
    )


def _changes(ended: PlanEnd) -> str:
    return told_changes(ended.folder, ended.kept.planning.id)


def _place(ended: PlanEnd) -> str:
    return place_of(ended.folder, ended.kept.planning.id)


def _following(ended: PlanEnd) -> str:
    if ended.failure is not None:
        return ended.failure.remedy
    if ended.delivered is not None:
        plan = quote(_shown(ended.delivered.path))
        return f"planrail approve {plan}" if ended.delivered.is_changed else f"planrail next {plan}"
    return f"planrail plan --resume {ended.kept.planning.id}"


def _error(ended: PlanEnd) -> str:
    if ended.failure is not None:
        return ended.failure.message
    return ended.error or (ended.delivered.note if ended.delivered else "")


def blank_document(**known: object) -> dict[str, object]:
    """What is said of every planning, also of one that has not begun, with what is known of this one."""
    names = "planning status plan changed request size phases phase done problems error result questions tree_changes"
    nothing: dict[str, object] = dict.fromkeys((*names.split(), "lint", "tokens", "cost", "folder", "next"))
    began = {"phases": [], "done": 0, "problems": [], "questions": [], "tokens": {"in": 0, "out": 0}, "cost": 0.0}
    return {**nothing, **began, "status": REFUSED, "changed": False, **known}


def _used(kept: KeptPlanning) -> str:
    about = kept.about
    tokens = int(about.get("tokens_in", "0")) + int(about.get("tokens_out", "0"))
    cost = float(about.get("cost", "0"))
    return (render_tokens(tokens) or "no tokens counted") + (f", ${cost:.2f}" if cost else "")


def _shown(path: str) -> str:
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative
