"""How far is a number in a plan from what was measured, and what follows? Values, reports of agents, one correction."""

import sys
import time
from argparse import ArgumentParser, Namespace

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.wording import Answer, pick, quote
from planrail.cli.screen import show, warn
from planrail.plans.editing.corrections import correct, evaluate, find_bullets, measure, read_actual, refuse_text
from planrail.plans.editing.edits import Edit
from planrail.plans.files.plan_writing import write_text
from planrail.plans.model import Phase, Plan
from planrail.plans.reading import read
from planrail.plans.text.source import load
from planrail.projects.setting import find_phase
from planrail.runs.drift.deciding import decide, read_tokens

_SHOWN = {
    "none": "no drift",
    "correct": "small: it is corrected, and an approval stands",
    "correct_and_note": "a person is asked before it is corrected",
    "abort": "too far: the attempt ends",
}


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments. Numbers may begin with a minus, so two of the parts know no options but `--json`."""
    parts = parser.add_subparsers(dest="part", metavar="PART", required=True)
    for name, what in (("value", "STATED ACTUAL: by how many per cent they differ"), ("eval", "EXPR: a whole sum")):
        plain = parts.add_parser(name, help=what, prefix_chars="\0", add_help=False)
        plain.add_argument("words", nargs="*")
    tokens = parts.add_parser("tokens", help="the drift that a text on standard input reports")
    tokens.add_argument("--json", action="store_true", help="print JSON")
    correct = parts.add_parser("correct", help="put another number into a criterion, and say so behind it")
    correct.add_argument("plan", metavar="PLAN", help="the plan file")
    correct.add_argument("phase", metavar="PHASE", help="the id of the phase")
    correct.add_argument("bullet", metavar="BULLET", help="which of its criteria that have a number, from 1")
    correct.add_argument("new", metavar="NEW", help="the number, or the range, that it should be")
    correct.add_argument("--audit", metavar="OLD", help="what stands there now")
    correct.add_argument("--dry-run", action="store_true", help="say what would change, and write nothing")
    correct.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> int:
    match arguments.part:
        case "value":
            return _value(arguments.words)
        case "eval":
            return _evaluate(arguments.words)
        case "tokens":
            return _tokens(as_json=arguments.json)
        case _:
            return _correct(arguments)


def _take_words(words: list[str], count: int, usage: str) -> tuple[list[str], bool]:
    plain = [word for word in words if word not in ("--json", "--")]
    if len(plain) != count or plain[0] in ("-h", "--help"):
        raise UsageError(f"usage: {usage}", remedy=usage)
    return plain, "--json" in words


def _value(words: list[str]) -> int:
    (stated, actual), as_json = _take_words(words, 2, "planrail drift value STATED ACTUAL [--json]")
    percent = measure(stated, actual)
    if percent is None:
        forms = "a range (340-380), a bound (≤50, at least 3), ~357, exactly 5, or a number above 0"
        is_stated = read_actual(actual) is not None
        why = f"{stated!r} is none of: {forms}" if is_stated else f"{actual!r} does not begin with a whole number"
        raise UsageError(f"no drift can be derived: {why}", remedy="planrail drift value 340-380 277")
    decision = decide(percent)
    told = {"stated": stated, "actual": actual, "percent": percent, "decision": decision}
    return show(Answer(told, [f"{percent} %: {_SHOWN[decision]}"]), as_json=as_json)


def _evaluate(words: list[str]) -> int:
    (expression,), as_json = _take_words(words, 1, "planrail drift eval EXPR")
    value = evaluate(expression)
    if value is None:
        raise UsageError(f"{expression!r} is no sum of whole numbers", remedy="planrail drift eval '417 - 153 + 13'")
    return show(Answer({"expression": expression, "value": value}, [str(value)]), as_json=as_json)


def _tokens(*, as_json: bool) -> int:
    records, errors = read_tokens(sys.stdin.buffer.read().decode("utf-8", "replace"))
    found = [pick(one, "phase bullet field plan=stated stated actual") for one in records]
    lines = [f"phase {one.phase}, bullet {one.bullet}, {one.field}: {one.stated} → {one.actual}" for one in records]
    show(Answer({"records": found, "errors": list(errors)}, lines), as_json=as_json)
    for text in errors:
        warn(f"{text!r}")
    return 1 if errors else 0


def _correct(arguments: Namespace) -> int:
    source = load(arguments.plan)
    plan = read(source)
    edit = _decide_edit(arguments, source.text, plan)
    if not arguments.dry_run:
        write_text(source.path, edit.apply(source.text))
    line = source.line_at(edit.start)
    told = {"plan": source.path, "phase": arguments.phase, "line": line, "old": edit.old, "new": edit.new}
    text = f"{source.path}:{line}: {'would say' if arguments.dry_run else 'says'} now: {edit.new}"
    return show(Answer(told, [text], command=f"planrail lint {quote(source.path)}"), as_json=arguments.json)


def _decide_edit(arguments: Namespace, text: str, plan: Plan) -> Edit:
    phase = _find_phase(plan, arguments.phase)
    bullet = int(arguments.bullet) if arguments.bullet.isascii() and arguments.bullet.isdigit() else 0
    usage = f"planrail drift correct {quote(plan.path)} {quote(arguments.phase)} 1 NEW --audit OLD"
    if bullet < 1:
        raise UsageError(f"{arguments.bullet!r} is no bullet; they are counted from 1", remedy=usage)
    if not arguments.audit:
        raise PlanrailError("what stands there now is not named; nothing was written", remedy=usage)
    problem = refuse_text(arguments.new) or refuse_text(arguments.audit)
    if problem:
        raise UsageError(problem, remedy=usage)
    edit = correct(text, plan, phase, bullet, arguments.audit, arguments.new, today())
    if edit is None:
        raise PlanrailError(
            _not_there(text, phase, bullet, arguments.audit), remedy=f"planrail show {quote(plan.path)}"
        )
    return edit


def _find_phase(plan: Plan, name: str) -> Phase:
    """The phase of this id. A name that is unlike all of them is a slip in the call; another is merely not there."""
    has_digit = any(char.isdigit() for char in name)
    is_alike = any(any(char.isdigit() for char in phase.id) == has_digit for phase in plan.phases)
    return find_phase(plan, name, PlanrailError if is_alike else UsageError)


def _not_there(text: str, phase: Phase, bullet: int, stated: str) -> str:
    bullets = find_bullets(text, phase)
    if bullet > len(bullets):
        return f"phase {phase.id} has {len(bullets)} criteria with a number, not {bullet}; nothing was written"
    said = bullets[bullet - 1].text.split("\n")[0].strip()
    return f"criterion {bullet} of phase {phase.id} does not say {stated!r} in its text; it says: {said}"


def today() -> str:
    return time.strftime("%Y-%m-%d")
