"""What can be said about a run, by words and options; for `planrail run`, for `resume` and for tasks."""

from argparse import ArgumentParser, Namespace

from planrail.base.errors import UsageError
from planrail.base.records import replace
from planrail.projects.open_plan import resolve_plan
from planrail.runs.request.requests import OPTIONS, RunRequest, RunWords, parse_run, read_fields, spell_name


def add_agents(parser: ArgumentParser) -> None:
    shared = [name for name, option in OPTIONS.items() if option.of_tasks]
    add_options(parser, *(name for name in shared if OPTIONS[name].metavar))
    parser.add_argument("--here", action="store_true", help="with a team's database: run it in this process")
    add_options(parser, *(name for name in shared if not OPTIONS[name].metavar))


def add_options(parser: ArgumentParser, *names: str) -> None:
    """Options that are declared with the fields of a request; all that no task has, where none is named."""
    for name in names or (name for name, option in OPTIONS.items() if not option.of_tasks):
        option = OPTIONS[name]
        if option.metavar:
            parser.add_argument(spell_name(name), metavar=option.metavar, type=option.kind, help=option.help)
        else:
            parser.add_argument(spell_name(name), action="store_true", help=option.help)


def read_words(arguments: Namespace) -> RunWords:
    """What the words ask for; a `UsageError` where they contradict each other."""
    words = parse_run([*arguments.words, *(["every", arguments.every] if arguments.every else [])])
    if words.problem:
        raise UsageError(words.problem, remedy=words.remedy)
    return replace(words, plan=resolve_plan(words.plan)) if words.plan else words


def read_request(arguments: Namespace, words: RunWords) -> RunRequest:
    said: dict[str, object] = {"plan": words.plan, "phase": words.phase}
    said |= {"finish": bool(words.finish), "auto": words.auto, "landing": words.landing}
    return read_fields(said | read_options(arguments))


def read_options(arguments: Namespace) -> dict[str, object]:
    """Those of the options of a request that a call has, where they were given."""
    given = {name: getattr(arguments, name, None) for name in OPTIONS}
    return {name: found for name, found in given.items() if found not in (None, "")}
