"""Take over the tasks of a specs/ folder: state.json, TODO.md, the archive and the documents.

Nothing is dropped, and every place where the files disagree is told. A ledger that has tasks keeps its word: new tasks
are added, what differs is listed; --theirs takes the word of the files. Doing it again changes nothing. The files are
kept as they were in the folder of the ledger, then generated anew. With --json: {"tasks", "archived", "added",
"changed", "counts": {KIND: N}, "divergences": [{"kind", "task", "text", "remedy"}], "kept", "commit"}.
"""

import os
from argparse import ArgumentParser, Namespace

from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.wording import Answer, plural, quote
from planrail.cli.screen import warn
from planrail.tasks.book.task_rows import TaskBook, open_book, read_book
from planrail.tasks.book.task_views import write_views
from planrail.tasks.context.context import VIEWS, Context, commit_task
from planrail.tasks.importing.checking import wanted_plans
from planrail.tasks.importing.model import SCREEN, Imported, count_kinds, describe, render_divergences
from planrail.tasks.importing.reading import read_specs
from planrail.tasks.importing.taking import Known, Taking, decide_taking
from planrail.tasks.statuses import COMPLETED
from planrail.tasks.work.specs_files import keep_list, keep_originals, load_specs, load_texts


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--theirs", action="store_true", help="where ledger and files differ, take the files' word")
    parser.add_argument("--dry-run", action="store_true", help="say what would be taken over")


def answer(context: Context, arguments: Namespace) -> Answer:
    imported, is_dry = read_folder(context.root, context.folder), arguments.dry_run
    kept = listed = commit = ""
    if is_dry:
        with read_book(context.root) as book:
            taking = decide_taking(imported, _known(book), theirs=arguments.theirs)
    else:
        kept = keep_originals(context.root, context.folder)  # first, so that nothing can be lost on the way
        taking = _take(context, imported, is_theirs=arguments.theirs)
    # That a plan contradicts a claim is part of the claim.
    claims = {one.number for one in taking.divergences if one.kind == "claimed"}
    own = [one for one in imported.divergences if one.number not in claims or one.kind != "open_phases"]
    found, count = (*own, *taking.divergences), len(taking.added) + len(taking.changed)
    if not is_dry:
        listed = keep_list(kept, found) if len(found) > SCREEN else ""
        for problem in write_views(context.root, archive=bool(imported.archived)).problems:
            warn(problem)
        commit = commit_task(context, f"sync: take over {plural(count, 'task')}") if count else ""
    document = {
        "tasks": len(imported.tasks),
        "archived": len(imported.archived),
        "added": sorted(task.number for task in taking.added if not task.is_archived),
        "added_archived": sum(task.is_archived for task in taking.added),
        "changed": taking.changed,
        "next_number": taking.next_number,
        "counts": count_kinds(found),
        "divergences": [describe(one) for one in found],
        "kept": kept,
        "commit": commit,
        "dry_run": is_dry,
        "next": "planrail task import" if is_dry else "planrail task",
    }
    where = os.path.relpath(listed) if listed else "planrail task import --dry-run --json"
    told = render_divergences(found, all_of_them=where) if found else ["  the files agree with each other"]
    lines = [*_summarise(context.folder, imported, taking, "would be " if is_dry else ""), *told]
    lines += [f"the files as they were: {os.path.relpath(kept)}"] if kept else []
    return Answer(document, lines, command=str(document["next"]))


def _summarise(folder: str, imported: Imported, taking: Taking, would: str) -> list[str]:
    parts = [f"{len(taking.added)} {would}taken over", f"{len(taking.changed)} {would}changed"]
    return [
        f"{folder}/ has {plural(len(imported.tasks), 'task')} and {len(imported.archived)} in the archive",
        f"  {', '.join(parts)}; the next number is {taking.next_number}",
    ]


def read_folder(root: str, folder: str) -> Imported:
    specs = load_specs(root, folder)
    for path in (folder, *(f"{folder}/{name}" for name in VIEWS)):
        why, place = specs.skipped.get(path), os.path.join(root, path)
        # The folder is elsewhere, or a file would be generated anew that nobody could read.
        if why and (path == folder or (os.path.isfile(place) and not os.path.islink(place))):
            raise PlanrailError(f"{path} {why}; nothing was taken over", remedy=f"ls -ld {quote(path)}")
    if specs.state is None and specs.todo is None and specs.archive is None:
        raise PlanrailError(
            f"there is no {folder}/state.json and no {folder}/TODO.md to take over",
            remedy='in planrail.toml: [tasks] folder = "…", or: planrail task new "what is to be done"',
        )
    first = read_specs(specs)
    return read_specs(replace(specs, plans=load_texts(root, wanted_plans([*first.tasks, *first.archived]))))


def _take(context: Context, imported: Imported, *, is_theirs: bool) -> Taking:
    """Keep tasks, each with what happened to it in its history. That one is completed is the word of the files."""
    begin = os.urandom(4).hex()  # ids that ascend: an archive has several of one number, which stay in the file's order
    with open_book(context.root) as book, book.tables.exclusive():
        taking = decide_taking(imported, _known(book), theirs=is_theirs)
        is_first = not book.revision()
        tasks = [replace(task, id=f"{begin}{at:08x}") for at, task in enumerate(taking.added)]
        book.put([task for task in tasks if task.status != COMPLETED], context.note("imported"))
        claimed = context.note("imported", why="completed by the word of the files")
        book.put([task for task in tasks if task.status == COMPLETED], claimed)
        for step in taking.steps:
            book.put([step.task], context.note(step.what, why="the files say so"))
        if is_first or is_theirs:
            book.set_head(imported.head, taking.next_number)
        return taking


def _known(book: TaskBook) -> Known:
    return Known(tuple(book.tasks()), tuple(book.tasks(archived=True)), book.next_number())
