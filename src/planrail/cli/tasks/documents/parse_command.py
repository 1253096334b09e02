"""How the words of a call are understood: which tasks, which wishes, which focus. For programs; it changes nothing.

planrail task parse --json -- "7, 22-24 --team look at the cache"

Exit code 1, with the reason, where no task is named or a range is wrong. "tasks" are as often as they were said,
"numbers" has each once.
"""

from argparse import ArgumentParser, Namespace

from planrail.base.errors import UsageError
from planrail.cli.screen import print_json, print_next, say, warn
from planrail.tasks.numbers import TaskCall, read_call


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON; it stands before the words")
    parser.add_argument("words", nargs="...", metavar="WORDS", help="what would stand behind the command")


def run(arguments: Namespace) -> int:
    words = list(arguments.words)
    if words[:1] == ["--"]:
        words = words[1:]
    end = words.index("--") if "--" in words else len(words)
    as_json = arguments.json or "--json" in words[:end]
    words = [*(word for word in words[:end] if word != "--json"), *words[end:]]
    try:
        call = read_call(words)
    except UsageError as error:
        if as_json:
            print_json({"tasks": [], "numbers": [], "error": error.message, "next": error.remedy})
        warn(error.message, error.remedy)
        return 1
    if as_json:
        print_json(describe_call(call))
        return 0
    for name, value in describe_call(call).items():
        say(f"{name:<10} {value}")
    print_next(f"planrail task show {','.join(map(str, call.numbers))}")
    return 0


def describe_call(call: TaskCall) -> dict[str, object]:
    names = ("focus", "effort", "model", "clean", "force", "team", "team_size", "lit", "mode")
    plain = {name: getattr(call, name) for name in names}
    return {"tasks": list(call.said), "numbers": list(call.numbers), **plain, "unknown": list(call.unknown)}
