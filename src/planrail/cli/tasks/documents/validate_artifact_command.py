"""Is a document of a task in its format? With --fix, what is missing is added, and nothing that was there is lost.

planrail task validate-artifact PATH report|plan|summary [--fix] [--strict]

Exit codes: 0 it is, 1 it is not, 2 it was repaired (what is left is told), 3 there is no such file, 4 wrong call. With
--json: "path", "type", "valid", "problems", "changes".
"""

import contextlib
import os
from argparse import ArgumentParser, Namespace

from planrail.base.errors import PlanrailError, UnreadablePlan
from planrail.base.wording import Answer, paint, plural, quote
from planrail.cli.screen import show, warn
from planrail.plans.files.plan_writing import write_text
from planrail.plans.text.source import load
from planrail.tasks.context.context import open_context
from planrail.tasks.context.files import locate_task
from planrail.tasks.documents.rendering import facts_of, repair
from planrail.tasks.documents.validating import ERROR, DocumentProblem, validate
from planrail.tasks.model import TYPES

OK, WRONG, FIXED, NO_FILE, BAD_CALL = range(5)
_OPTIONS = ("--fix", "--strict", "--json")
_USAGE = "planrail task validate-artifact PATH report|plan|summary [--fix] [--strict] [--json]"


def configure(parser: ArgumentParser) -> None:
    parser.usage = _USAGE
    parser.add_argument("--fix", action="store_true", help="add what is missing")
    parser.add_argument("--strict", action="store_true", help="what is only advisable is an error as well")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("words", nargs="...", metavar="ARGUMENT", help="the file, and its type")


def run(arguments: Namespace) -> int:
    words = [word for word in arguments.words if not word.startswith("--")]
    options = {word for word in arguments.words if word.startswith("--")}
    options |= {name for name in _OPTIONS if getattr(arguments, name[2:])}
    if len(words) != 2 or options - set(_OPTIONS):
        return _refuse("a file and its type are needed, and nothing else", _USAGE, BAD_CALL)
    path, type_ = words
    if type_ not in TYPES:
        known = f"{type_!r} is no type of a document; there are: {', '.join(TYPES)}"
        return _refuse(known, _USAGE, BAD_CALL)
    if not os.path.isfile(path):
        return _refuse(f"there is no file {path}", "planrail task list", NO_FILE)
    problems, changes = _judge(path, type_, options)
    errors = sum(problem.severity == ERROR for problem in problems)
    told = [{"severity": one.severity, "message": one.message, "line": one.line} for one in problems]
    document = {"path": path, "type": type_, "valid": not errors, "problems": told, "changes": list(changes)}
    lines = [f"{path}: {paint('added', 'green')} {change}" for change in changes]
    lines += [f"{path}:{problem.line}: {problem.severity} {problem.message}" for problem in problems]
    counted = f"{plural(errors, 'error')}, {plural(len(problems) - errors, 'warning')}"
    lines.append(f"\nthis {type_} is {'not ' if errors else ''}in its format: {counted}")
    command = f"planrail task validate-artifact {quote(path)} {type_}"
    if not problems:
        command = f"planrail show {quote(path)}" if type_ == "plan" else "planrail task"
    elif "--fix" in options:
        command = f"write what is missing into {path}, then: {command}"
    else:
        command += " --fix"
    code = FIXED if changes else WRONG if errors else OK
    return show(Answer(document, lines, command=command, code=code), as_json="--json" in options)


def _judge(path: str, type_: str, options: set[str]) -> tuple[list[DocumentProblem], tuple[str, ...]]:
    """What is wrong with a document, and what was added to it, as the ledger knows the task of its folder."""
    changes: tuple[str, ...] = ()
    try:
        text = load(path).text
    except UnreadablePlan as error:
        return [DocumentProblem(ERROR, error.message)], changes
    if "--fix" in options:
        found = None
        with contextlib.suppress(PlanrailError):  # it is repaired all the same
            context = open_context(warn)
            found = locate_task(context.root, context.folder, path)
        repaired = repair(text, type_, facts_of(found[1], type_, found[0]) if found else {})
        if repaired.text != text:
            write_text(path, repaired.text)
        text, changes = repaired.text, repaired.changes
    return validate(text, type_, strict="--strict" in options), changes


def _refuse(message: str, remedy: str, code: int) -> int:
    warn(message, remedy)
    return code
