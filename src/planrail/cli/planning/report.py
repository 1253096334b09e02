"""What is said at the end of a headless planning: for people, or as one JSON document."""

import os

from planrail.authoring.planning import read_questions
from planrail.cli.authoring.ground import lint_text
from planrail.cli.planning.board import render_tokens
from planrail.cli.planning.delivery import Delivered
from planrail.cli.planning.guard import told_changes
from planrail.cli.refusals import REFUSED
from planrail.cli.screen import paint, plural, print_json, print_next, quote, say
from planrail.errors import PlanrailError
from planrail.records import record
from planrail.repo.plannings import Kept, place_of

EXIT_CODES = {"finished": 0, "exhausted": 1, "failed": 11, "interrupted": 130}  # "unwritten" has that of its error
_MOST = 8


@record
class Report:
    """How a planning ended, and what belongs to that."""

    folder: str
    kept: Kept
    status: str
    delivered: Delivered | None = None
    problems: tuple[str, ...] = ()
    error: str = ""
    failure: PlanrailError | None = None  # what it ended with, where that is an error of the whole command
    result: str = ""  # where the text of the plan is kept, where it could not be put into its file

    @property
    def changes(self) -> str:
        """What was told of changes in the tree."""
        return told_changes(self.folder, self.kept.planning.id)

    @property
    def place(self) -> str:
        """Where everything is kept."""
        return place_of(self.folder, self.kept.planning.id)

    @property
    def following(self) -> str:
        """The next command."""
        if self.failure is not None:
            return self.failure.remedy
        if self.delivered is not None:
            plan = quote(_shown(self.delivered.path))
            return f"planrail approve {plan}" if self.delivered.is_changed else f"planrail next {plan}"
        return f"planrail plan --resume {self.kept.planning.id}"


def report(ended: Report, *, as_json: bool) -> int:
    """Say how it ended; the exit code that belongs to it. An error is raised again, after the document is printed."""
    if as_json:
        print_json(_describe(ended))
    if ended.failure is not None:
        raise ended.failure
    if as_json:
        return EXIT_CODES[ended.status]
    if ended.delivered is not None:
        _say_finished(ended, ended.delivered)
    else:
        _say_stopped(ended)
    return EXIT_CODES[ended.status]


def _say_finished(ended: Report, delivered: Delivered) -> None:
    planning = ended.kept.planning
    if not delivered.is_changed:
        say(f"nothing had to change in {_shown(delivered.path)}; it is as it was")
        print_next(ended.following)
        return
    what = "refined" if planning.original else "written"
    say(f"{paint('the plan is ' + what, 'green')}: {_shown(delivered.path)}")
    errors, warnings = _lint(delivered.path, ended.kept.about["root"])
    say(f"  lint: {plural(errors, 'error')}, {plural(warnings, 'warning')}   used: {_used(ended.kept)}")
    questions = read_questions(planning.plan)
    if questions:
        say(f"  the plan leaves {plural(len(questions), 'question')} open:")
        for question in questions[:_MOST]:
            say(f"    - {question}")
    for note in (delivered.note, ended.changes):
        if note:
            say(f"  {note}")
    print_next(ended.following)


def _say_stopped(ended: Report) -> None:
    progress = ended.kept.planning.progress
    place = f"{progress.phase}, {progress.index + 1} of {len(progress.phases)}"
    told = {
        "exhausted": f"the planning stopped at {place}: {progress.attempts} answers in a row were not good enough",
        "failed": f"the planning stopped at {place}: {ended.error}",
        "interrupted": f"the planning was stopped at {place}",
    }
    say(told[ended.status])
    for problem in ended.problems[:_MOST]:
        say(f"  - {problem}")
    say(f"  no plan was written; everything so far is kept in {ended.place}")
    print_next(ended.following)


def _describe(ended: Report) -> dict[str, object]:
    planning, about, delivered = ended.kept.planning, ended.kept.about, ended.delivered
    progress = planning.progress
    tokens = {"in": int(about.get("tokens_in", "0")), "out": int(about.get("tokens_out", "0"))}
    return {
        "planning": planning.id,
        "status": ended.status,
        "plan": delivered.path if delivered else None,
        "changed": delivered.is_changed if delivered else False,
        "request": delivered.request or None if delivered else None,
        "phases": list(progress.phases),
        "phase": progress.phase,
        "done": len(progress.phases) if ended.status == "finished" else progress.index,
        "problems": list(ended.problems),
        "error": _error(ended) or None,
        "result": ended.result or None,
        "questions": list(read_questions(planning.plan)),
        "tree_changes": ended.changes or None,
        "lint": _lint_counts(ended),
        "tokens": tokens,
        "cost": float(about.get("cost", "0")),
        "folder": ended.place,
        "next": ended.following,
    }


def _error(ended: Report) -> str:
    if ended.failure is not None:
        return ended.failure.message
    return ended.error or (ended.delivered.note if ended.delivered else "")


def blank_document(**known: object) -> dict[str, object]:
    """The document of a planning that has not begun: the same keys, with what is known."""
    return {
        "planning": None,
        "status": REFUSED,
        "plan": None,
        "changed": False,
        "request": None,
        "phases": [],
        "phase": None,
        "done": 0,
        "problems": [],
        "error": None,
        "result": None,
        "questions": [],
        "tree_changes": None,
        "lint": None,
        "tokens": {"in": 0, "out": 0},
        "cost": 0.0,
        "folder": None,
        "next": None,
        **known,
    }


def _lint_counts(ended: Report) -> dict[str, int] | None:
    if ended.delivered is None:
        return None
    errors, warnings = _lint(ended.delivered.path, ended.kept.about["root"])
    return {"errors": errors, "warnings": warnings}


def _lint(path: str, root: str) -> tuple[int, int]:
    """How many errors and warnings lint finds in the plan as it was written."""
    from planrail.plans.source import load
    from planrail.repo.tree import open_folder
    from planrail.settings import load_settings

    try:
        found = lint_text(load(path).text, path, open_folder(root), load_settings(root))
    except PlanrailError:
        return 0, 0
    errors = sum(problem.severity == "error" for problem in found)
    return errors, len(found) - errors


def _used(kept: Kept) -> str:
    about = kept.about
    tokens = int(about.get("tokens_in", "0")) + int(about.get("tokens_out", "0"))
    cost = float(about.get("cost", "0"))
    return (render_tokens(tokens) or "no tokens counted") + (f", ${cost:.2f}" if cost else "")


def _shown(path: str) -> str:
    """A path as one would type it here."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative
