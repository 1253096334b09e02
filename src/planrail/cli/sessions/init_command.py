"""Connect planrail to the agents of this project: a few files, each listed, each given back by `planrail uninstall`."""

import os
from argparse import ArgumentParser, Namespace

from planrail.base.errors import PlanrailError
from planrail.base.state_folder import state_folder
from planrail.base.wording import paint
from planrail.cli.screen import print_json, print_next, say
from planrail.git.git import show_committed
from planrail.install.steps import Keep, Refusal, Write
from planrail.install.targets import AGENTS, JSON, NAMES, Place, Target

_SIGNS = {"create": ("+", "green"), "merge": ("~", "yellow"), "update": ("~", "yellow"), "keep": ("=", "dim")}
_WORDS = {
    "create": "new",
    "merge": "added to what you have",
    "update": "brought up to date",
    "keep": "as it should be",
}
_NOTES = {
    "claude": "Claude Code loads the commands (/planrail:plan …) in folders that you trust; the hooks hold everywhere.",
    "codex": "Codex skips hooks silently until you trust them: start codex here, type /hooks, and trust planrail's.",
    "gemini": "Gemini CLI runs a project's hooks only in a folder that you trust.",
    "opencode": "opencode loads its plugins when it starts: start it again.",
}


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--agent", metavar="NAMES", help=f"of {', '.join(AGENTS)}; without it: claude, and those that have a folder"
    )
    parser.add_argument("--user", action="store_true", help="for every project, in your own settings")
    parser.add_argument(
        "--settings", action="store_true", help="also write a planrail.toml with all settings to choose"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be written, and write nothing")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> int:
    """Write the files that connect planrail."""
    from planrail.install.places import choose_agents, find_place
    from planrail.install.records import locked

    state = state_folder()
    place = find_place(os.getcwd(), os.environ, is_user=arguments.user)
    agents = choose_agents(arguments.agent, place, os.environ)
    if arguments.dry_run:
        targets = _targets(arguments, place, agents)
        steps = _look(targets, place, state)
    else:
        with locked(state):
            targets = _targets(arguments, place, agents)
            steps = _install(targets, place, state)
    return _report(arguments, place, targets, steps)


def _targets(arguments: Namespace, place: Place, agents: list[str]) -> list[Target]:
    from planrail.install.targets import make_target, settings_target

    targets = [make_target(agent, place, os.environ) for agent in agents]
    return [*targets, settings_target(place)] if arguments.settings and not place.is_user else targets


def _look(targets: list[Target], place: Place, state: str) -> list[Write | Keep]:
    """What to do; a file that has to be left alone stops everything before anything is written."""
    from planrail.install.files import look

    steps: list[Write | Keep] = []
    for step in look(targets, place, state, os.environ):
        if isinstance(step, Refusal):
            raise PlanrailError(f"{step.reason}; nothing was written", remedy=step.remedy)
        steps.append(step)
    return steps


def _install(targets: list[Target], place: Place, state: str) -> list[Write | Keep]:
    from planrail.install.files import install, write_interpreter

    steps = _look(targets, place, state)
    write_interpreter(state)
    _keep_secret(targets, place, state)
    kinds = {target.path: target.kind for target in targets}
    install([step for step in steps if isinstance(step, Write)], kinds, place, state)
    return steps


def _keep_secret(targets: list[Target], place: Place, state: str) -> None:
    from planrail.install.secrets import keep_secret
    from planrail.install.targets import DIRECT

    for target in targets:
        variables = target.entries.get("env")
        if isinstance(variables, dict):
            keep_secret(place.scope, state, variables[DIRECT])


def _report(arguments: Namespace, place: Place, targets: list[Target], steps: list[Write | Keep]) -> int:
    pairs = list(zip(targets, steps, strict=True))
    changed = any(isinstance(step, Write) for step in steps)
    if arguments.json:
        files = [
            {"path": target.path, "agent": target.agent, "action": _action(target, step), "purpose": target.purpose}
            for target, step in pairs
        ]
        scope = "user" if place.is_user else "project"
        print_json(
            {"root": place.root, "scope": scope, "dry_run": arguments.dry_run, "changed": changed, "files": files}
        )
        return 0
    say(_headline(place, dry_run=arguments.dry_run, changed=changed))
    for target, step in pairs:
        _print_file(target, step, place)
    if changed:
        _print_notes(place, targets)
    print_next("planrail init" if arguments.dry_run and changed else "planrail doctor")
    return 0


def _headline(place: Place, *, dry_run: bool, changed: bool) -> str:
    where = "your own settings" if place.is_user else place.root
    if not changed:
        return f"planrail is connected in {where} already; nothing was written"
    return f"planrail would connect these in {where}:" if dry_run else f"planrail is connected in {where}:"


def _action(target: Target, step: Write | Keep) -> str:
    if isinstance(step, Keep):
        return "keep"
    if step.before is None:
        return "create"
    return "merge" if target.kind == JSON and step.before == step.original else "update"


def _print_file(target: Target, step: Write | Keep, place: Place) -> None:
    action = _action(target, step)
    sign, colour = _SIGNS[action]
    path = target.path if place.is_user else os.path.relpath(target.path, place.root)
    word = step.because if isinstance(step, Keep) and step.because else _WORDS[action]
    name = NAMES.get(target.agent, target.agent)
    say(f"  {paint(sign, colour)} {path:<29} {name}: {target.purpose} ({word})")


def _print_notes(place: Place, targets: list[Target]) -> None:
    say()
    for target in targets:
        if target.agent in _NOTES:
            say(f"  {_NOTES[target.agent]}")
        path = os.path.relpath(target.path, place.root)
        if target.agent in NAMES and not place.is_user and show_committed(place.root, path) is not None:
            say(f"  {path} is tracked by git and now names a path of this machine: do not commit that change.")
    say("  Everything is given back by: planrail uninstall" + (" --user" if place.is_user else ""))
