"""What is asked of a run, as a value: commands read it from what was typed, rows of the queue keep it as JSON."""

from collections.abc import Iterable, Mapping, Sequence

from planrail.base.settings import LANDINGS, RunSettings
from planrail.base.values import value

SUBCOMMANDS = ("stop", "next", "status")  # in the order of their precedence
_WORDS = (*SUBCOMMANDS, "now", "finish", "finish-auto", "auto", *LANDINGS, "every")
_PLAN_SUFFIXES = (".md", ".markdown", ".mdx", ".json", ".yaml", ".yml")
_USAGE = "planrail run PLAN [PHASE | finish] [auto] [pr | direct] [every SCHEDULE] [now]"

_VALUES = ("landing", "agent", "verifier", "model", "budget", "parallel")
_SWITCHES = ("again", "wait_for_limit", "with_unpushed", "as_committed")


# The words of `planrail run`: a plan, a phase, `finish`, `auto`, `pr`, `direct`, `every SCHEDULE`, `now`. Words are
# taken whole, in any letter case; a file whose name is `finish.md` is a file.


@value
class RunWords:
    """What was asked for. `problem` says why it cannot be done, and `remedy` what to type instead."""

    subcommand: str = ""  # stop, next, status, or now: fire the next scheduled run early
    plan: str = ""
    phase: str = ""  # with `finish`, the phase to begin with
    landing: str = ""  # "": neither the words nor the settings say it
    finish: str = ""  # finish, or finish-auto
    auto: bool = False
    every: str = ""
    now: bool = False
    problem: str = ""
    remedy: str = ""


def parse_run(words: Sequence[str], settings: RunSettings | None = None) -> RunWords:
    """What the words of a call ask for; where they leave something open, the settings say it.

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
    settled = (settings.landing or LANDINGS[0]) if settings is not None else ""
    if len(names) > 1 and names[0].lower() == "phase":
        names = names[1:]
    landing = next((word for word in ("pr", "direct", "cherry-pick") if word in said), settled)
    subcommand = next((word for word in SUBCOMMANDS if word in said), "now" if said == {"now"} and not plan else "")
    finish = ("finish-auto" if is_auto else "finish") if is_finish else ""
    problem, remedy = "", ""
    if subcommand == "status" and not plan:
        problem, remedy = "the status of which plan?", "planrail run PLAN status"
    elif not subcommand:
        is_protected = settings is not None and settings.main_protected
        problem, remedy = _find_problem(names[1:], schedule, finish, landing, is_protected=is_protected)
    return RunWords(
        subcommand,
        plan,
        names[0] if names else "",
        landing if landing in LANDINGS else "",
        finish,
        is_auto or schedule is not None,
        schedule or "",
        "now" in said,
        problem,
        remedy,
    )


def _find_problem(
    extra: list[str], schedule: str | None, finish: str, landing: str, *, is_protected: bool
) -> tuple[str, str]:
    """Why words cannot be done, and what to type instead; twice "" where they can."""
    if extra:
        return f"{extra[0]!r} is none of the words of a run", _USAGE
    if schedule == "":
        return "`every` needs a schedule", "planrail run PLAN every 4h"
    if schedule is not None and finish:
        return "finish and every are mutually exclusive", "planrail run PLAN finish auto"
    if landing and landing not in LANDINGS:
        return f"unknown landing mode {landing!r}", f"use one of: {', '.join(LANDINGS)}"
    if landing == "direct" and is_protected:
        problem = "direct mode is incompatible with main_protected: true"
        return problem, "planrail run PLAN pr (or change main_protected in planrail.toml)"
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


@value
class RunRequest:
    """Run this plan, this way. What is "" or None is left to the settings; in a row, a plan's path is from the root."""

    plan: str = ""
    phase: str = ""
    finish: bool = False
    auto: bool = False
    landing: str = ""
    agent: str = ""
    verifier: str = ""
    model: str = ""
    budget: str = ""
    parallel: int | None = None
    again: bool = False
    wait_for_limit: bool = False
    with_unpushed: bool = False
    as_committed: bool = False  # an edited plan runs as it is committed


_NOTHING = RunRequest()
_KINDS = {name: type(getattr(_NOTHING, name)) for name in RunRequest.__slots__} | {"parallel": int}  # type: ignore[attr-defined]


def spell(request: RunRequest) -> tuple[str, ...]:
    """The request as one would type it behind `planrail run`."""
    said = [request.plan, request.phase, "finish" if request.finish else "", "auto" if request.auto else ""]
    for name in _VALUES:
        given = getattr(request, name)
        said += [f"--{name}", str(given)] if given not in ("", None) else []
    return tuple(filter(None, [*said, *(_option(name) for name in _SWITCHES if getattr(request, name))]))


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
    options = {_option(name): name for name in (*_VALUES, *_SWITCHES)}
    for word in left:
        name = options.get(word, "")
        if name in _SWITCHES:
            given[name] = True
        elif name:
            given[name] = _KINDS[name](next(left, ""))
        else:
            said.append(word)
    asked = parse_run(said)
    if asked.problem or not asked.plan or any(word.startswith("--") for word in said):
        raise ValueError(f"{' '.join(said)!r} is nothing that can be run")
    landing = {"landing": asked.landing} if asked.landing else {}
    fields = {"plan": asked.plan, "phase": asked.phase, "finish": bool(asked.finish), "auto": asked.auto}
    return read_fields({**fields, **landing, **given})


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
