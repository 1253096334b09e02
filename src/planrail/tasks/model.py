"""A task, as the ledger keeps it and as `specs/state.json` shows it. What a file says beyond that is kept as it was."""

from collections.abc import Iterable, Mapping

from planrail.base.records import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")

RESEARCH = "research"
REPORT, PLAN, SUMMARY = "report", "plan", "summary"
TYPES = (REPORT, PLAN, SUMMARY)  # of artifacts; a closed set
FOLDERS = {REPORT: "reports", PLAN: "plans", SUMMARY: "summaries"}


@record
class Numbered:
    """The number of a document, and what `next_artifact_number` says afterwards (None: it says nothing still)."""

    number: int
    next_after: int | None


@record
class Artifact:
    """A document of a task. `path` is from the root of the repository on, `round` the round that it belongs to."""

    type: str
    path: str
    summary: str = ""
    round: int = 0


@record
class Column:
    """How a field of a task stands in files: `key` is its name in state.json, `label` in TODO.md, "" for not there.

    `of` is what each item of a list is, `shift` what the number in the file is ahead by. One that readers rely on is
    written `is_always`, the others where they have a value.
    """

    default: object = None
    key: str = ""
    label: str = ""
    of: type | None = None
    shift: int = 0
    is_always: bool = False
    option: tuple[str, str] = ("", "")  # what `task new` and `task edit` call its value, and say of it
    name: str = ""


def column(default: "T", **about: object) -> "T":
    """A field with its column, in the class below; type checkers see the default."""
    return Column(default, **about)  # type: ignore[return-value, arg-type]


COLUMNS: "dict[str, Column]" = {}  # all of a task's, by key, in the order of state.json
_FIRST = ("project_number", "project_name", "status", "task_type", "created", "last_updated")
_KEYS = {"number": "project_number", "name": "project_name"}  # of those that have to be given
_ASIDE = ("is_archived", "id", "extra")  # beside the fields of an entry


def _declare(cls: "type[T]") -> "type[T]":
    """Take the columns out of a class, which is left with plain defaults."""
    found: list[Column] = []
    for name in cls.__annotations__:
        said = cls.__dict__.get(name, "")
        one = said if isinstance(said, Column) else Column(said)
        if name in cls.__dict__:
            setattr(cls, name, one.default)
        found += [replace(one, name=name, key=one.key or _KEYS.get(name, name))] if name not in _ASIDE else []
    for one in sorted(found, key=lambda one: (*_FIRST, one.key).index(one.key)):
        COLUMNS[one.key] = one
    return cls


def list_options() -> "list[Column]":
    return [one for one in COLUMNS.values() if one.option[0]]


@record
@_declare
class Task:
    """A task, and the one place that says which fields it has: rows, state.json, TODO.md and imports follow.

    `name` is its slug; `round` the last round that research opened, 0 before the first. Times are as the view has them
    (`2026-07-01T12:00:00Z`). `before` is the status that a blocked task goes back to. `extra` are fields of an imported
    file that planrail has no use for, and keeps.
    """

    number: int
    name: str
    title: str
    status: str = column("not_started", label="Status", is_always=True)
    task_type: str = column("general", label="Task Type", is_always=True)
    description: str = ""
    effort: str = column("", label="Effort", option=("TEXT", 'an estimate, such as "2-3 hours"'))
    topic: str = column("", label="Topic", option=("NAME", "what it is grouped under"))
    created: str = ""
    last_updated: str = ""
    dependencies: tuple[int, ...] = column((), label="Dependencies", of=int, is_always=True)
    artifacts: tuple[Artifact, ...] = column((), of=Artifact, is_always=True)
    round: int = column(0, key="next_artifact_number", shift=1, is_always=True)
    session_id: str = ""
    resume_phase: str = ""
    before: str = column("", key="status_before")
    why: str = column("", key="reason")  # it is blocked or abandoned
    completion_summary: str = ""
    subtasks: tuple[int, ...] = column((), of=int)
    parent_task: int = 0
    roadmap_items: tuple[str, ...] = column((), of=str)
    memory_candidates: tuple[Mapping[str, object], ...] = column((), of=dict)
    is_archived: bool = False
    id: str = ""  # one that no other task has, archived ones included; their numbers may be the same
    extra: Mapping[str, object] = {}


@record
class Brief:
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


def move_documents(task: Task, old: str, new: str) -> tuple[Artifact, ...]:
    return tuple(
        replace(one, path=new + one.path.removeprefix(old)) if one.path.startswith(f"{old}/") else one
        for one in task.artifacts
    )


def number_in(name: str) -> int:
    """The number of the task that a folder of this name belongs to; -1 for none."""
    first, _, rest = name.replace("-", "_").partition("_")
    digits = rest.partition("_")[0] if first.isalpha() else first
    return int(digits) if rest and digits.isascii() and digits.isdigit() and len(digits) < 10 else -1


def number_for(operation: str, next_number: int | None, files: Iterable[str] = ()) -> Numbered:
    """The number of a document: research takes the next one, a plan or a summary that of the round before it.

    Only a report opens a round, so only reports count of the files on the disk: one that nobody has linked is not
    written over, and where the number was never kept they say it. A plan never moves to another round because of them.
    """
    opened = max((number_of(path) for path in files if ("reports" in path.split("/")[:-1])), default=0)
    if operation == RESEARCH:
        number = max(next_number or 1, opened + 1)
        return Numbered(number, number + 1)
    if next_number is None:
        return Numbered(max(opened, 1), opened + 1 if opened else None)
    return Numbered(max(next_number - 1, 1), next_number)


def round_for(task: Task, operation: str, files: Iterable[str] = ()) -> int:
    return number_for(operation, task.round + 1, files).number


def number_of(path: str) -> int:
    """The round that a file name states: `02_short-slug.md`, in older trees `research-002.md`; 0 where none does."""
    stem = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    digits = stem[: len(stem) - len(stem.lstrip("0123456789"))]
    if digits and stem[len(digits) :][:1] in ("", "_", "-"):
        return _small(digits)
    return _small(stem.rsplit("-", 1)[-1]) if "-" in stem else 0


def _small(digits: str) -> int:
    """A number of at most three digits: what is longer is a year, a date, or no number at all."""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 3 else 0


def link(task: Task, artifact: Artifact) -> Task:
    """The task with a document linked, as its last. It takes the place of one at its path, or of that round's plan."""
    plans = artifact.round if artifact.type == PLAN else None  # of this round
    kept = (
        one for one in task.artifacts if not (one.path == artifact.path or (one.type == PLAN and one.round == plans))
    )
    return replace(task, artifacts=(*kept, artifact))
