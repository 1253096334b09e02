"""Is a document of a task in its format? With --fix, what is missing is added, and nothing that was there is lost.

planrail task validate-artifact PATH report|plan|summary [--fix] [--strict]

Exit codes: 0 it is, 1 it is not, 2 it was repaired (what is left is told), 3 there is no such file, 4 wrong call. With
--json: "path", "type", "valid", "problems", "changes".
"""

import os
from argparse import ArgumentParser, Namespace

from planrail.base.errors import PlanrailError, UnreadablePlan
from planrail.base.records import record
from planrail.base.wording import Answer, paint, plural, quote
from planrail.cli.screen import show, warn
from planrail.plans.files.plan_writing import write_text
from planrail.plans.text.source import load
from planrail.tasks.desk.artifact_places import locate_task
from planrail.tasks.desk.desk import open_desk
from planrail.tasks.documents.repairing import facts_of, repair
from planrail.tasks.documents.validating import ERROR, Problem, validate
from planrail.tasks.model import TYPES

OK, WRONG, FIXED, NO_FILE, BAD_CALL = range(5)
_OPTIONS = ("--fix", "--strict", "--json")
_USAGE = "planrail task validate-artifact PATH report|plan|summary [--fix] [--strict] [--json]"


@record
class _Order:
    path: str
    type: str
    options: tuple[str, ...]


def configure(parser: ArgumentParser) -> None:
    parser.usage = _USAGE
    parser.add_argument("--fix", action="store_true", help="add what is missing")
    parser.add_argument("--strict", action="store_true", help="what is only advisable is an error as well")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("words", nargs="...", metavar="ARGUMENT", help="the file, and its type")


def run(arguments: Namespace) -> int:
    order = _read_order(arguments)
    if isinstance(order, str):
        return _refuse(order, _USAGE, BAD_CALL)
    if not os.path.isfile(order.path):
        return _refuse(f"there is no file {order.path}", "planrail task list", NO_FILE)
    problems, changes = _judge(order)
    errors = sum(problem.severity == ERROR for problem in problems)
    told = [{"severity": one.severity, "message": one.message, "line": one.line} for one in problems]
    document = {"path": order.path, "type": order.type, "valid": not errors, "problems": told, "changes": list(changes)}
    lines = [f"{order.path}: {paint('added', 'green')} {change}" for change in changes]
    lines += [f"{order.path}:{problem.line}: {problem.severity} {problem.message}" for problem in problems]
    counted = f"{plural(errors, 'error')}, {plural(len(problems) - errors, 'warning')}"
    lines.append(f"\nthis {order.type} is {'not ' if errors else ''}in its format: {counted}")
    code = FIXED if changes else WRONG if errors else OK
    return show(Answer(document, lines, command=_advise(order, problems), code=code), as_json="--json" in order.options)


def _read_order(arguments: Namespace) -> _Order | str:
    words = [word for word in arguments.words if not word.startswith("--")]
    given = {word for word in arguments.words if word.startswith("--")}
    given |= {name for name in _OPTIONS if getattr(arguments, name[2:])}
    if len(words) != 2 or given - set(_OPTIONS):
        return "a file and its type are needed, and nothing else"
    path, type_ = words
    if type_ not in TYPES:
        return f"{type_!r} is no type of a document; there are: {', '.join(TYPES)}"
    return _Order(path, type_, tuple(given))


def _judge(order: _Order) -> tuple[list[Problem], tuple[str, ...]]:
    """What is wrong with a document, and what was added to it."""
    changes: tuple[str, ...] = ()
    try:
        text = load(order.path).text
    except UnreadablePlan as error:
        return [Problem(ERROR, error.message)], changes
    if "--fix" in order.options:
        repaired = repair(text, order.type, _facts(order))
        if repaired.text != text:
            write_text(order.path, repaired.text)
        text, changes = repaired.text, repaired.changes
    return validate(text, order.type, strict="--strict" in order.options), changes


def _facts(order: _Order) -> dict[str, str]:
    """What the ledger knows of the document, where it lies in the folder of a task."""
    try:
        found = locate_task(open_desk(warn), order.path)
    except PlanrailError:
        return {}  # it is repaired all the same
    return facts_of(found[1], order.type, found[0]) if found else {}


def _refuse(message: str, remedy: str, code: int) -> int:
    warn(message, remedy)
    return code


def _advise(order: _Order, problems: list[Problem]) -> str:
    call = f"planrail task validate-artifact {quote(order.path)} {order.type}"
    if problems:
        is_fixed = "--fix" in order.options
        return f"write what is missing into {order.path}, then: {call}" if is_fixed else f"{call} --fix"
    return f"planrail show {quote(order.path)}" if order.type == "plan" else "planrail task"
