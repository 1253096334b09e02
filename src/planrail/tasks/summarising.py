"""What was done for a task, from evidence: phases, commits, checks, files, drift, what is left. No model is asked."""

from collections.abc import Sequence

from planrail.base.records import record
from planrail.base.wording import name_some, plural
from planrail.tasks.model import PLAN, REPORT, Task, latest
from planrail.tasks.statuses import TaskPhase, open_phases

_MOST_FILES = 8  # named in one line
_MOST_CHECKS = 4
_SHORT = 10  # characters of a commit
_DONE, _SKIPPED, _PROVEN, _ADOPTED = "done", "skipped", "proven", "adopted"


@record
class PhaseWork:
    """A phase, and what speaks for it: its commit, the checks that planrail ran itself, the files that it changed."""

    phase: TaskPhase
    commit: str = ""
    by: str = ""  # run or session
    checks: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    drift: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what the checks brought to light, and does not speak against it


@record
class WorkDone:
    task: Task
    plan: str
    phases: Sequence[PhaseWork]
    started: str = ""
    completed: str = ""
    why: str = ""


def summarise(work: WorkDone) -> dict[str, Sequence[str]]:
    files, commits = _all_files(work), dict.fromkeys(f"commit {one.commit}" for one in work.phases if one.commit)
    left = open_phases([one.phase for one in work.phases])
    decisions: list[str] = []
    for one in work.phases:
        decisions += [f"Phase {one.phase.id}: {text}" for text in one.drift]
        decisions += [f"Phase {one.phase.id} was left out"] if one.phase.status == _SKIPPED else []
    decisions += [f"Completed by force: {work.why}"] if work.why else []
    evidence = [f"evidence: planrail report {work.plan}"] if work.plan else []
    return {
        "Overview": [_overview(work)],
        "What Changed": [_change(done) for done in work.phases],
        "Decisions": decisions,
        "Impacts": [f"{plural(len(files), 'file')} changed: {name_some(files, 3 * _MOST_FILES)}"] if files else [],
        "Follow-ups": [
            *(f"Phase {one.id} {one.title}: {one.status.replace('_', ' ')}, {one.proof or 'no proof'}" for one in left),
            *(f"Phase {one.phase.id}: {note}" for one in work.phases for note in one.notes),
        ],
        "References": [*list_plan_files(work.task), *commits, *evidence],
    }


def list_plan_files(task: Task) -> list[str]:
    return [artifact.path for type_ in (REPORT, PLAN) if (artifact := latest(task, type_)) is not None]


def describe_completion(work: WorkDone) -> str:
    files, phases = _all_files(work), list(work.phases)
    parts = [plural(sum(one.phase.status == _DONE for one in phases), "phase") + " done" if phases else "no plan"]
    parts += [f"{plural(len(files), 'file')} changed ({name_some(files, 3)})"] if files else []
    parts += [f"completed by force: {work.why}"] if work.why else []
    return "; ".join(parts)


def _overview(work: WorkDone) -> str:
    if not work.phases:
        return f"Task {work.task.number} was completed without a plan: {work.why or 'by force'}."
    states = [(one.phase.status, one.phase.proof) for one in work.phases]
    told = [
        (states.count((_DONE, _PROVEN)), "proven by checks that planrail ran itself"),
        (states.count((_DONE, _ADOPTED)), "adopted as done before"),
        (sum(status == _SKIPPED for status, _ in states), "left out on purpose"),
        (len(open_phases([one.phase for one in work.phases])), "open, or claimed by nobody's proof"),
    ]
    words = ", ".join(f"{count} {what}" for count, what in told if count)
    return f"The work followed {work.plan}, which has {plural(len(work.phases), 'phase')}: {words}."


def _change(done: PhaseWork) -> str:
    phase = done.phase
    name = f"Phase {phase.id}" + (f" ({phase.title})" if phase.title else "")
    if phase.status == _SKIPPED:
        return f"{name}: left out"
    parts = [f"{phase.status.replace('_', ' ')}, {phase.proof or 'proven by nobody'}"]
    if done.commit:
        parts.append(f"commit {done.commit[:_SHORT]}" + (", in a session" if done.by == "session" else ""))
    parts += [f"files: {name_some(done.files, _MOST_FILES)}"] if done.files else []
    parts += [f"checks: {name_some([f'`{check}`' for check in done.checks], _MOST_CHECKS)}"] if done.checks else []
    return f"{name}: {'; '.join(parts)}"


def _all_files(work: WorkDone) -> list[str]:
    return sorted({name for one in work.phases for name in one.files})
