"""Take over the tasks of a specs/ folder: state.json, TODO.md, the archive, errors.json and the documents.

Nothing is dropped, and every place where the files disagree is told. A ledger that has tasks keeps its word: new tasks
are added, what differs is listed; --theirs takes the word of the files. Doing it again changes nothing. The files are
kept as they were in the folder of the ledger, then generated anew. With --json: {"tasks", "archived", "added",
"changed", "errors", "counts": {KIND: N}, "divergences": [{"kind", "task", "text", "remedy"}], "kept", "commit"}.
"""

import hashlib
import json
import os
from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime

from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.base.wording import Answer, plural, quote
from planrail.cli.screen import warn
from planrail.tasks.book.task_rows import TaskBook, open_book, read_book
from planrail.tasks.book.task_views import write_views
from planrail.tasks.context.context import VIEWS, Context, commit_task
from planrail.tasks.context.error_records import keep_error
from planrail.tasks.error_log import from_entry
from planrail.tasks.importing.checking import wanted_plans
from planrail.tasks.importing.model import (
    SCREEN,
    Divergence,
    Imported,
    Specs,
    count_kinds,
    describe,
    render_divergences,
)
from planrail.tasks.importing.reading import read_specs
from planrail.tasks.importing.taking import Known, Taking, decide_taking
from planrail.tasks.statuses import COMPLETED
from planrail.tasks.work.specs_files import keep_list, keep_originals, load_specs, load_texts


@record
class _Done:
    imported: Imported
    taking: Taking
    errors: int
    kept: str = ""
    listed: str = ""
    commit: str = ""

    @property
    def divergences(self) -> tuple[Divergence, ...]:
        """Those of the files, then those against the ledger. That a plan contradicts a claim is part of the claim."""
        claims = {one.number for one in self.taking.divergences if one.kind == "claimed"}
        own = [one for one in self.imported.divergences if one.number not in claims or one.kind != "open_phases"]
        return (*own, *self.taking.divergences)


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--theirs", action="store_true", help="where ledger and files differ, take the files' word")
    parser.add_argument("--dry-run", action="store_true", help="say what would be taken over")


def answer(context: Context, arguments: Namespace) -> Answer:
    imported = read_folder(context.root, context.folder)
    if arguments.dry_run:
        with read_book(context.root) as book:
            done = _Done(imported, decide_taking(imported, _known(book), theirs=arguments.theirs), len(imported.errors))
    else:
        done = _take(context, imported, arguments)
    following = "planrail task import" if arguments.dry_run else "planrail task"
    document = {**_describe(done), "dry_run": arguments.dry_run, "next": following}
    lines = _tell(context, done, is_dry=arguments.dry_run)
    return Answer(document, lines, command=following)


def read_folder(root: str, folder: str) -> Imported:
    specs = load_specs(root, folder)
    _refuse_unread(root, folder, specs)
    if specs.state is None and specs.todo is None and specs.archive is None:
        raise PlanrailError(
            f"there is no {folder}/state.json and no {folder}/TODO.md to take over",
            remedy='in planrail.toml: [tasks] folder = "…", or: planrail task new "what is to be done"',
        )
    first = read_specs(specs)
    return read_specs(replace(specs, plans=load_texts(root, wanted_plans([*first.tasks, *first.archived]))))


def _refuse_unread(root: str, folder: str, specs: Specs) -> None:
    """Raise where the folder is elsewhere, or where a file would be generated anew that nobody could read."""
    for path in (folder, *(f"{folder}/{name}" for name in VIEWS)):
        why = specs.skipped.get(path)
        place = os.path.join(root, path)
        if why and (path == folder or (os.path.isfile(place) and not os.path.islink(place))):
            raise PlanrailError(f"{path} {why}; nothing was taken over", remedy=f"ls -ld {quote(path)}")


def _take(context: Context, imported: Imported, arguments: Namespace) -> _Done:
    """The originals are kept first, so that nothing can be lost on the way; then the ledger, the views, a commit."""
    kept = keep_originals(context.root, context.folder)
    with open_book(context.root) as book, book.tables.exclusive():
        taking = decide_taking(imported, _known(book), theirs=arguments.theirs)
        is_first = not book.revision()
        _keep(context, book, taking)
        if is_first or arguments.theirs:
            book.set_head(imported.head, taking.next_number)
        errors = _put_errors(book, imported)
    done = _Done(imported, taking, errors, kept)
    listed = keep_list(kept, done.divergences) if len(done.divergences) > SCREEN else ""
    for problem in write_views(context.root, archive=bool(imported.archived)).problems:
        warn(problem)
    count = len(taking.added) + len(taking.changed)
    message = f"sync: take over {plural(count, 'task')}"
    commit = commit_task(context, message) if count else ""
    return _Done(imported, taking, errors, kept, listed, commit)


def _keep(context: Context, book: TaskBook, taking: Taking) -> None:
    """Keep tasks, each with what happened to it in its history. That one is completed is the word of the files."""
    begin = os.urandom(4).hex()  # ids that ascend: an archive has several of one number, which stay in the file's order
    tasks = [replace(task, id=f"{begin}{at:08x}") for at, task in enumerate(taking.added)]
    book.put([task for task in tasks if task.status != COMPLETED], context.note("imported"))
    claimed = context.note("imported", why="completed by the word of the files")
    book.put([task for task in tasks if task.status == COMPLETED], claimed)
    for step in taking.steps:
        book.put([step.task], context.note(step.what, why="the files say so"))


def _known(book: TaskBook) -> Known:
    return Known(tuple(book.tasks()), tuple(book.tasks(archived=True)), book.next_number())


def _put_errors(book: TaskBook, imported: Imported) -> int:
    added = 0
    for fields in imported.errors:
        entry = from_entry(fields)
        if not entry.id:
            digest = hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()
            entry = replace(entry, id=f"err_{int(digest[:15], 16)}")
        added += keep_error(book, entry, _seconds(entry.at))
    return added


def _seconds(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _tell(context: Context, done: _Done, *, is_dry: bool) -> list[str]:
    imported, taking = done.imported, done.taking
    would = "would be " if is_dry else ""
    parts = [f"{len(taking.added)} {would}taken over", f"{len(taking.changed)} {would}changed"]
    parts += [f"{plural(done.errors, 'error')} {would}kept"] if done.errors else []
    listed = os.path.relpath(done.listed) if done.listed else "planrail task import --dry-run --json"
    found = render_divergences(done.divergences, all_of_them=listed)
    return [
        f"{context.folder}/ has {plural(len(imported.tasks), 'task')} and {len(imported.archived)} in the archive",
        f"  {', '.join(parts)}; the next number is {taking.next_number}",
        *(found if done.divergences else ["  the files agree with each other"]),
        *([f"the files as they were: {os.path.relpath(done.kept)}"] if done.kept else []),
    ]


def _describe(done: _Done) -> dict[str, object]:
    return {
        "tasks": len(done.imported.tasks),
        "archived": len(done.imported.archived),
        "added": sorted(task.number for task in done.taking.added if not task.is_archived),
        "added_archived": sum(task.is_archived for task in done.taking.added),
        "changed": done.taking.changed,
        "errors": done.errors,
        "next_number": done.taking.next_number,
        "counts": count_kinds(done.divergences),
        "divergences": [describe(one) for one in done.divergences],
        "kept": done.kept,
        "commit": done.commit,
    }
