"""The report of a plan: gathered from the ledger and the folders of its runs, written beside the project's files. When
and why did a run come to rest, and how long did it take? The journal knows of steps, a stop has none.
"""

import contextlib
import hashlib
import os
import shutil
import time

from planrail.approval.book import PlanFile
from planrail.base.errors import ToolFailed, refused_as
from planrail.base.identity import safe_name
from planrail.base.records import replace
from planrail.base.run_model import Order
from planrail.base.settings import FILE_NAME, load_settings
from planrail.base.whole_files import write_whole
from planrail.git.git import show_committed
from planrail.projects.proof_reading import hold_facts
from planrail.runs.reporting.attempts import RunPart, gather_attempts
from planrail.runs.reporting.reports import FOLDER, NAME, PlanReport, make_lanes, mark_of, render_index, render_report
from planrail.runs.reporting.timelines import render_timeline
from planrail.store.ledger import has_ledger, open_ledger
from planrail.store.places import ledger_folder
from planrail.store.runs.run_facts import last_event, read_history
from planrail.store.runs.run_folders import ENDING, INTERRUPTED, RUNNING, RunState, is_own, list_runs
from planrail.store.runs.run_history import History, judge_phases

_HEAD = 1000  # characters in which a report says whose it is
_PICTURE = ".png"


def write_report(order: Order, reports: str) -> str:
    """Write the report of an order's plan and its picture, where the settings want it: where it is now.

    Where they name no folder it lies beside the ledger: nothing is left in the tree that nobody asked for.
    """
    report = gather_report(order.root, order.plan, order.path, order.title)
    return save_report(report, order.root, reports or own_folder(order.root), order.slug)


def own_folder(root: str) -> str:
    return os.path.join(ledger_folder(root), FOLDER)


def find_written(root: str, reports: str, slug: str) -> str:
    """The report that the last run has written; "" where there is none."""
    path = os.path.join(root, reports or own_folder(root), f"plan-{safe_name(slug)}.md")
    return path if os.path.isfile(path) else ""


def gather_plan(plan_file: PlanFile) -> PlanReport:
    """The report of a plan as it is now: what is known of its runs beside what the document and the checkout say."""
    phases = tuple((phase.id, phase.title) for phase in plan_file.plan.phases)
    report = gather_report(plan_file.root, plan_file.id, plan_file.path, plan_file.plan.title, phases)
    facts = hold_facts(plan_file, judge_phases(report.history.phases, report.history.evidence))
    return replace(report, facts=facts, stated={phase.id: phase.status.value for phase in plan_file.plan.phases})


def gather_report(
    root: str, plan: str, path: str, title: str, phases: tuple[tuple[str, str], ...] | None = None
) -> PlanReport:
    """All that is known of the runs of a plan. It reads only. `phases` are those of the document, if it was read."""
    runs, history = list_runs(root, plan), History(plan, [], [], [], [], [], [], (), [])
    if has_ledger(root):
        with open_ledger(root) as ledger:
            history = read_history(ledger, plan)
    parts = []
    for run in runs:
        if run.ending is not None:
            ended = (run.ending.text, run.ending.command, run.ending.phase, rested_at(run))
            parts.append(RunPart(run.order, run.lines, run.state, *ended))
        else:
            command, rested = ("", 0) if run.is_live else (f"planrail resume {run.order.path}", rested_at(run))
            parts.append(RunPart(run.order, run.lines, run.state, last_word(run), command, rested=rested))
    attempts, known = gather_attempts(parts, history), runs[0].order.phases if runs else ()
    named = phases or [(phase.id, phase.title) for phase in known] or [(one.phase, one.title) for one in attempts[::-1]]
    places = [attempt.workspace.path for attempt in attempts if attempt.workspace is not None]
    there = tuple(place for place in places if place and os.path.isdir(place))
    stated = {phase.id: phase.state for phase in known} if runs else None
    found = (parts, attempts, history, time.time(), there, stated)
    return PlanReport(plan, title, path, tuple(dict(named).items()), *found)


def gather_all(root: str) -> list[PlanReport]:
    """The reports of all plans of a project that were ever run, the newest first."""
    plans = {run.order.plan: run.order for run in reversed(list_runs(root))}
    return [gather_report(root, order.plan, order.path, order.title) for order in reversed(plans.values())]


def save_index(reports: list[tuple[PlanReport, str]], root: str, place: str) -> str:
    """Write the index of all reports; its path. `reports` come with the files that they were written to."""
    folder = _folder(root, place or FOLDER)
    named = [(report, os.path.basename(file)) for report, file in reports]
    with _told(folder):
        os.makedirs(folder, exist_ok=True)
        _write(os.path.join(folder, NAME), render_index(named, time.time()))
    return os.path.join(folder, NAME)


def save_report(report: PlanReport, root: str, reports: str, slug: str) -> str:
    """Write a report; its path. A file of that name that is not this plan's report is left alone."""
    folder = _folder(root, reports or FOLDER)
    with _told(folder):
        os.makedirs(folder, exist_ok=True)
        # the slug's, unless another plan of that slug, or a person, has a file there
        name, digest = (
            f"plan-{safe_name(slug)}",
            hashlib.sha256(report.plan.encode("utf-8", "surrogatepass")).hexdigest(),
        )
        with (
            contextlib.suppress(FileNotFoundError),
            open(os.path.join(folder, f"{name}.md"), encoding="utf-8", errors="replace") as file,
        ):
            name = name if mark_of(report.plan) in file.read(_HEAD) else f"{name}-{digest[:8]}"
        lanes = make_lanes(report)
        if lanes:
            _write(os.path.join(folder, f"{name}.svg"), render_timeline(report.title, lanes, report.now))
        pictures, picture = _copy_pictures(report, folder, name), f"{name}.svg" if lanes else ""
        _write(os.path.join(folder, f"{name}.md"), render_report(report, picture, pictures))
    return os.path.join(folder, f"{name}.md")


def _told(folder: str) -> refused_as:
    remedy = "make room or check the folder's permissions, then: planrail report PLAN --write"
    return refused_as(f"the report in {folder} could not be written", remedy)


def _folder(root: str, reports: str) -> str:
    """Where reports go. A link that leads out of the project may be an agent's work, and is not followed."""
    folder, top = os.path.join(root, reports), os.path.realpath(root)
    if not os.path.isabs(reports) and os.path.commonpath([os.path.realpath(folder), top]) != top:
        raise ToolFailed(f"{folder} leads out of the project; no report was written", remedy=f"rm {folder}")
    return folder


def _copy_pictures(report: PlanReport, folder: str, name: str) -> dict[str, str]:
    """Screenshots beside the report, so that it can be read anywhere."""
    found: dict[str, str] = {}
    for attempt in report.attempts:
        for picture in attempt.pictures:
            stem, ending = os.path.splitext(os.path.basename(picture))  # it has the phase, the attempt and the tree
            if ending == _PICTURE and os.path.isfile(picture):
                own = f"{safe_name(stem)}{ending}"
                os.makedirs(os.path.join(folder, name), exist_ok=True)
                shutil.copyfile(picture, os.path.join(folder, name, own))
                found[picture] = f"{name}/{own}"
    return found


def _write(path: str, text: str) -> None:
    """Replace a file whole; one that says the same already is not touched."""
    data = text.encode("utf-8", "replace")
    with contextlib.suppress(OSError), open(path, "rb") as file:
        if file.read() == data:
            return
    write_whole(path, data, mode=0o644, durable=False)


def find_folder(root: str) -> str:
    committed = show_committed(root, FILE_NAME)
    return load_settings(root, os.environ, committed=committed).run.reports


_SIGNS = ("events.jsonl", "log", "outcome.json")  # what an agent that works writes to


def rested_at(run: RunState) -> float:
    """When a run that is not at work gave its last sign: its last word, its journal's, or that of its agent.

    In a copy the times of files say when that was made.
    """
    signs = [os.path.join(run.folder, ENDING)]
    at = run.ending.at if run.ending is not None else 0.0
    if run.ending is None and run.agent_folder:
        signs += [os.path.join(run.agent_folder, name) for name in _SIGNS]
    times = [changed_at(sign) for sign in signs] if not at and is_own(run.folder, run.order) else []
    return max([run.last_at, at, *times])


def elapsed(run: RunState, now: float) -> float:
    """How long a run has taken so far, or took until it came to rest."""
    return max(0.0, (now if run.state == RUNNING else rested_at(run)) - run.started)


def changed_at(path: str) -> float:
    """When a file was last written; 0 where there is none."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def last_word(run: RunState) -> str:
    """Why a run ended or rests; of one that an error cut off, the error. "" where it died without a word."""
    if run.ending is not None:
        return run.ending.text
    if run.state != INTERRUPTED or not has_ledger(run.order.root):
        return ""
    with open_ledger(run.order.root) as ledger:
        last = last_event(ledger, run.order.plan, run.order.run)
    return last.text if last is not None and last.event == INTERRUPTED else ""
