"""What is asked of a run, as a value: commands read it from what was typed, rows of the queue keep it as JSON."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from planrail.base.records import record
from planrail.base.settings import LANDINGS
from planrail.base.values import value

SUBCOMMANDS = ("stop", "next", "status")  # in the order of their precedence
_WORDS = (*SUBCOMMANDS, "now", "finish", "finish-auto", "auto", *LANDINGS, "every")
_PLAN_SUFFIXES = (".md", ".markdown", ".mdx", ".json", ".yaml", ".yml")
_USAGE = "planrail run PLAN [PHASE | finish] [auto] [pr | direct] [every SCHEDULE] [now]"

# The words of `planrail run`: a plan, a phase, `finish`, `auto`, `pr`, `direct`, `every SCHEDULE`, `now`. Words are
# taken whole, in any letter case; a file whose name is `finish.md` is a file.


@value
class RunWords:
    """What was asked for. `problem` says why it cannot be done, and `remedy` what to type instead."""

    subcommand: str = ""  # stop, next, status, or now: fire the next scheduled run early
    plan: str = ""
    phase: str = ""  # with `finish`, the phase to begin with
    landing: str = ""  # "": as the settings say
    finish: str = ""  # finish, or finish-auto
    auto: bool = False
    every: str = ""
    now: bool = False
    problem: str = ""
    remedy: str = ""


def parse_run(words: Sequence[str]) -> RunWords:
    """What the words of a call ask for; what they leave open is as the settings say.

    Of several, `stop` comes before `next`, `status`, and `now` alone; `pr` before `direct`; `every` implies `auto`.
    """
    plan, rest = _take_plan(list(words))
    schedule, rest = _take_schedule(rest)
    said = {word.lower() for word in rest}
    names = [word for word in rest if word.lower() not in _WORDS]
    is_auto = bool(said & {"auto", "finish-auto"})
    if not plan and names and not said & set(SUBCOMMANDS):
        plan, names = names[0], names[1:]
    is_finish = bool(said & {"finish", "finish-auto"})
    if len(names) > 1 and names[0].lower() == "phase":
        names = names[1:]
    landing = next((word for word in ("pr", "direct", "cherry-pick") if word in said), "")
    subcommand = next((word for word in SUBCOMMANDS if word in said), "now" if said == {"now"} and not plan else "")
    finish = ("finish-auto" if is_auto else "finish") if is_finish else ""
    problem, remedy = "", ""
    if subcommand == "status" and not plan:
        problem, remedy = "the status of which plan?", "planrail run PLAN status"
    elif not subcommand:
        problem, remedy = _find_problem(names[1:], schedule, finish)
    when = (is_auto or schedule is not None, schedule or "", "now" in said)
    return RunWords(subcommand, plan, names[0] if names else "", landing, finish, *when, problem, remedy)


def _find_problem(extra: list[str], schedule: str | None, finish: str) -> tuple[str, str]:
    """Why words cannot be done, and what to type instead; twice "" where they can."""
    if extra:
        return f"{extra[0]!r} is none of the words of a run", _USAGE
    if schedule == "":
        return "`every` needs a schedule", "planrail run PLAN every 4h"
    if schedule is not None and finish:
        return "finish and every are mutually exclusive", "planrail run PLAN finish auto"
    return "", ""


def _take_plan(words: list[str]) -> tuple[str, list[str]]:
    """The first word that names a plan file, and the others. What stands before it belongs to a name with blanks."""
    at = next((at for at, word in enumerate(words) if word.lower().endswith(_PLAN_SUFFIXES)), -1)
    if at < 0:
        return "", words
    first = at if any(word.lower() in _WORDS for word in words[:at]) else 0
    return " ".join(words[first : at + 1]), words[:first] + words[at + 1 :]


def _take_schedule(words: list[str]) -> tuple[str | None, list[str]]:
    """What stands behind `every`, up to the next word of the language, and the other words. None: no `every`."""
    at = next((at for at, word in enumerate(words) if word.lower() == "every"), -1)
    if at < 0:
        return None, words
    end = at + 1
    while end < len(words) and words[end].lower() not in _WORDS:
        end += 1
    return " ".join(words[at + 1 : end]), words[:at] + words[end:]


T = TypeVar("T")


@record
class Option:
    """A field of a request that is an option as well: what help says of it, and what it calls the value ("": a switch).

    It is declared beside the field, and nowhere else: what is typed, kept, read back and spelled follows from it.
    """

    default: object
    help: str
    metavar: str
    kind: type
    of_tasks: bool  # it makes sense where the plan of a task is run, too


OPTIONS: dict[str, Option] = {}  # by the field, in the order in which they are spelled


def _option(default: object, help: str, metavar: str = "", kind: type = str, *, of_tasks: bool = True) -> Any:
    return Option(default, help, metavar, kind if metavar else bool, of_tasks)


def _with_options(made: type[T]) -> type[T]:
    OPTIONS.update({name: said for name, said in vars(made).items() if isinstance(said, Option)})
    for name, option in OPTIONS.items():
        setattr(made, name, option.default)
    return made


@value
@_with_options
class RunRequest:
    """Run this plan, this way. What is "" or None is left to the settings; in a row, a plan's path is from the root."""

    plan: str = ""
    phase: str = ""
    finish: bool = False
    auto: bool = False
    landing: str = _option("", "cherry-pick, pr or direct", "HOW")
    agent: str = _option("", "who does the work: runbook, claude, codex, gemini, opencode …", "NAME")
    verifier: str = _option("", "who verifies it: another agent sees other things", "NAME")
    model: str = _option("", "the model that the agent uses", "NAME")
    budget: str = _option("", 'such as 5, or "money=5,tokens=200k,minutes=90,attempts=3"', "LIMITS")
    parallel: int | None = _option(None, "how many independent phases run side by side", "N", int)
    again: bool = _option(False, "do the named phase once more, although it has landed", of_tasks=False)
    wait_for_limit: bool = _option(False, "at a usage limit, wait until it has passed and go on")
    with_unpushed: bool = _option(False, "a pull request brings commits along that its remote lacks", of_tasks=False)
    as_committed: bool = _option(False, "run the committed text of an edited plan")


_NOTHING = RunRequest()
_KINDS = {name: type(getattr(_NOTHING, name)) for name in RunRequest.__slots__}  # type: ignore[attr-defined]
_KINDS |= {name: option.kind for name, option in OPTIONS.items()}


def spell(request: RunRequest) -> tuple[str, ...]:
    """The request as one would type it behind `planrail run`."""
    words = (request.plan, request.phase, "finish" if request.finish else "", "auto" if request.auto else "")
    return (*filter(None, words), *spell_options(request))


def spell_options(said: object) -> list[str]:
    """The options of a request, or of a call that has some of them."""
    given = [(name, option, getattr(said, name, None)) for name, option in OPTIONS.items()]
    values = [(f"--{name}", str(found)) for name, option, found in given if option.metavar and found not in ("", None)]
    switches = [spell_name(name) for name, option, found in given if not option.metavar and found]
    return [*(word for pair in values for word in pair), *switches]


def spell_name(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def write_fields(request: RunRequest) -> dict[str, object]:
    """The request for JSON: what is said, and nothing else."""
    given = {name: getattr(request, name) for name in _KINDS}
    return {name: said for name, said in given.items() if said != getattr(_NOTHING, name)}


def read_fields(found: Mapping[str, object]) -> RunRequest:
    """What was written. Raises `ValueError` for what no request has: half a request is another request."""
    for name, said in found.items():
        if type(said) is not _KINDS.get(name):
            raise ValueError(f"no request has {name} = {said!r}")
    return RunRequest(**found)  # type: ignore[arg-type]


def read_spelled(words: Iterable[str]) -> RunRequest:
    """A request that was kept as the words of a call, as planrail did before it kept them as data.

    Raises `ValueError` for words that make no request.
    """
    left, said, given = iter(words), [], dict[str, object]()
    options = {spell_name(name): name for name in OPTIONS}
    for word in left:
        name = options.get(word, "")
        if name:
            given[name] = OPTIONS[name].kind(next(left, "")) if OPTIONS[name].metavar else True
        else:
            said.append(word)
    asked = parse_run(said)
    if asked.problem or not asked.plan or any(word.startswith("--") for word in said):
        raise ValueError(f"{' '.join(said)!r} is nothing that can be run")
    landing = {"landing": asked.landing} if asked.landing else {}
    fields = {"plan": asked.plan, "phase": asked.phase, "finish": bool(asked.finish), "auto": asked.auto}
    return read_fields({**fields, **landing, **given})
