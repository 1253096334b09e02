"""What is asked of a run, as a value: commands read it from what was typed, rows of the queue keep it as JSON."""

from collections.abc import Iterable, Mapping

from planrail.base.values import value
from planrail.runs.request.arguments import parse_run

_VALUES = ("landing", "agent", "verifier", "model", "budget", "parallel")
_SWITCHES = ("again", "wait_for_limit", "with_unpushed", "as_committed")


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
