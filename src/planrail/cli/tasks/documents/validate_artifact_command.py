"""Is a document of a task in its format? With --fix, what is missing is added, and nothing that was there is lost.

planrail task validate-artifact PATH report|plan|summary [--fix] [--strict]

Exit codes: 0 it is, 1 it is not, 2 it was repaired (what is left is told), 3 there is no such file, 4 wrong call. With
--json: "path", "type", "valid", "problems", "changes".
"""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from planrail.base.errors import PlanrailError, UnreadablePlan
from planrail.base.records import record
from planrail.base.wording import paint, plural, quote
from planrail.cli.screen import print_json, print_next, say, warn
from planrail.plans.files.plan_writing import write_text
from planrail.plans.text.source import load
from planrail.tasks.desk.artifact_places import locate_task
from planrail.tasks.desk.desk import open_desk
from planrail.tasks.documents.repairing import facts_of, repair
from planrail.tasks.documents.validating import ERROR, Problem, has_errors, validate
from planrail.tasks.model import TYPES

OK, WRONG, FIXED, NO_FILE, BAD_CALL = range(5)
_OPTIONS = ("--fix", "--strict", "--json")
_USAGE = "planrail task validate-artifact PATH report|plan|summary [--fix] [--strict] [--json]"


@record
class _Order:
    """What the call asks for."""

    path: str
    type: str
    options: tuple[str, ...]


@record
class _Found:
    """A document, judged: what is wrong with it, and what was added to it."""

    problems: tuple[Problem, ...]
    changes: tuple[str, ...] = ()


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments. They are read by hand: 2 means something else here than a wrong call."""
    parser.usage = _USAGE
    parser.add_argument("--fix", action="store_true", help="add what is missing")
    parser.add_argument("--strict", action="store_true", help="what is only advisable is an error as well")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("words", nargs="...", metavar="ARGUMENT", help="the file, and its type")


def run(arguments: Namespace) -> int:
    """Judge a document."""
    order = _read_order(arguments)
    if isinstance(order, str):
        return _refuse(order, _USAGE, BAD_CALL)
    if not os.path.isfile(order.path):
        return _refuse(f"there is no file {order.path}", "planrail task list", NO_FILE)
    found = _judge(order)
    _tell(order, found)
    return _exit_code(found)


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


def _judge(order: _Order) -> _Found:
    try:
        text = load(order.path).text
    except UnreadablePlan as error:
        return _Found((Problem(ERROR, error.message),))
    is_strict = "--strict" in order.options
    if "--fix" not in order.options:
        return _Found(tuple(validate(text, order.type, strict=is_strict)))
    return _repair(order, text, is_strict=is_strict)


def _repair(order: _Order, text: str, *, is_strict: bool) -> _Found:
    repaired = repair(text, order.type, _facts(order))
    if repaired.text != text:
        write_text(order.path, repaired.text)
    return _Found(tuple(validate(repaired.text, order.type, strict=is_strict)), repaired.changes)


def _facts(order: _Order) -> dict[str, str]:
    """What the ledger knows of the document, where it lies in the folder of a task."""
    try:
        found = locate_task(open_desk(warn), order.path)
    except PlanrailError:
        return {}  # it is repaired all the same
    return facts_of(found.task, order.type, found.path) if found else {}


def _exit_code(found: _Found) -> int:
    if found.changes:
        return FIXED
    return WRONG if has_errors(list(found.problems)) else OK


def _refuse(message: str, remedy: str, code: int) -> int:
    warn(message, remedy)
    return code


def _tell(order: _Order, found: _Found) -> None:
    if "--json" in order.options:
        print_json(_describe(order, found))
        return
    for change in found.changes:
        say(f"{order.path}: {paint('added', 'green')} {change}")
    for problem in found.problems:
        say(f"{order.path}:{problem.line}: {problem.severity} {problem.message}")
    say(f"\n{_verdict(order, found.problems)}")
    _advise(order, found)


def _describe(order: _Order, found: _Found) -> dict[str, object]:
    problems = [{"severity": one.severity, "message": one.message, "line": one.line} for one in found.problems]
    return {
        "path": order.path,
        "type": order.type,
        "valid": not any(one.severity == "error" for one in found.problems),
        "problems": problems,
        "changes": list(found.changes),
    }


def _verdict(order: _Order, problems: Sequence[Problem]) -> str:
    errors = sum(problem.severity == "error" for problem in problems)
    counted = f"{plural(errors, 'error')}, {plural(len(problems) - errors, 'warning')}"
    return f"this {order.type} is {'not ' if errors else ''}in its format: {counted}"


def _advise(order: _Order, found: _Found) -> None:
    call = f"planrail task validate-artifact {quote(order.path)} {order.type}"
    if found.problems and "--fix" not in order.options:
        print_next(f"{call} --fix")
    elif found.problems:
        print_next(f"write what is missing into {order.path}, then: {call}")
    else:
        print_next(f"planrail show {quote(order.path)}" if order.type == "plan" else "planrail task")
