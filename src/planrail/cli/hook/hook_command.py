"""Answer one event of an agent: its JSON on standard input, the answer in that agent's own format.

Agents call it through the wrapper in the plugin, which starts it in a cheaper way.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def configure(parser: "ArgumentParser") -> None:
    parser.add_argument("agent", metavar="AGENT", help="claude, codex, gemini or opencode")
    parser.add_argument("event", metavar="EVENT", nargs="?", default="", help="what the agent calls the event")


def run(arguments: "Namespace") -> int:
    """Answer the event. The exit code is the agents': 0 goes on, 2 denies."""
    import os

    from planrail.hook.idle import run as answer
    from planrail.hook.steering import NAMES, find_steering

    for name in find_steering(os.getcwd(), os.environ.get("HOME", "")):
        if name in NAMES:
            os.environ.pop(name, None)
    return answer([arguments.agent, arguments.event])
