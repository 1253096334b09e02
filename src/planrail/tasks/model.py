"""A task, as the ledger keeps it and as `specs/state.json` shows it. What a file says beyond that is kept as it was."""

from collections.abc import Mapping

from planrail.base.records import record

REPORT, PLAN, SUMMARY = "report", "plan", "summary"
TYPES = (REPORT, PLAN, SUMMARY)  # of artifacts; a closed set
FOLDERS = {REPORT: "reports", PLAN: "plans", SUMMARY: "summaries"}


@record
class Artifact:
    """A document of a task. `path` is from the root of the repository on, `round` the round that it belongs to."""

    type: str
    path: str
    summary: str = ""
    round: int = 0


@record
class Task:
    """A task. `name` is its slug; `round` the last round that research opened, 0 before the first.

    Times are as the view has them (`2026-07-01T12:00:00Z`). `before` is the status that a blocked task goes back to.
    `extra` are fields of an imported file that planrail has no use for, and keeps.
    """

    number: int
    name: str
    title: str
    status: str = "not_started"
    task_type: str = "general"
    description: str = ""
    effort: str = ""
    topic: str = ""
    created: str = ""
    last_updated: str = ""
    session_id: str = ""
    dependencies: tuple[int, ...] = ()
    subtasks: tuple[int, ...] = ()
    parent_task: int = 0
    artifacts: tuple[Artifact, ...] = ()
    round: int = 0
    resume_phase: str = ""
    before: str = ""
    why: str = ""  # it is blocked or abandoned
    completion_summary: str = ""
    roadmap_items: tuple[str, ...] = ()
    memory_candidates: tuple[Mapping[str, object], ...] = ()
    is_archived: bool = False
    id: str = ""  # one that no other task has, archived ones included; their numbers may be the same
    extra: Mapping[str, object] = {}


@record
class Brief:
    """A task in the few fields that lists and waves need."""

    number: int
    title: str
    status: str
    topic: str = ""
    dependencies: tuple[int, ...] = ()


def latest(task: Task, type_: str) -> Artifact | None:
    """The newest document of a type: of the highest round, the one that was linked last."""
    found = [artifact for artifact in task.artifacts if artifact.type == type_]
    return max(reversed(found), key=lambda artifact: artifact.round) if found else None


def folder_of(task: Task, base: str = "specs") -> str:
    """The folder of a task, from the root on: the one that its newest document lies in, else `specs/007_slug`.

    Older projects have folders such as `OC_007_slug` and `7_slug`, or gave a task another name later.
    """
    for artifact in reversed(task.artifacts):
        name = artifact.path.removeprefix(f"{base}/").partition("/")[0]
        if artifact.path.startswith(f"{base}/{name}/") and number_in(name) == task.number:
            return f"{base}/{name}"
    return f"{base}/{task.number:03d}_{task.name}"


def number_in(name: str) -> int:
    """The number of the task that a folder of this name belongs to; -1 for none."""
    first, _, rest = name.replace("-", "_").partition("_")
    digits = rest.partition("_")[0] if first.isalpha() else first
    return int(digits) if rest and digits.isascii() and digits.isdigit() and len(digits) < 10 else -1
