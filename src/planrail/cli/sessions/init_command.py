"""Connect planrail to the agents of this project: a few files, each listed, each given back by `planrail uninstall`."""

import contextlib
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from planrail.base.errors import PlanrailError
from planrail.base.state_folder import state_folder
from planrail.base.wording import Answer, paint
from planrail.git.git import show_committed
from planrail.hook import AGENTS
from planrail.install.files import choose_agents, find_place, install, look, write_interpreter
from planrail.install.records import locked
from planrail.install.secrets import keep_secret
from planrail.install.steps import Keep, LeftAlone, WriteFile
from planrail.install.targets import (
    DIRECT,
    JSON,
    InstallPlace,
    Target,
    add_mcp,
    connection_of,
    make_target,
    settings_target,
)

_SIGNS = {"create": ("+", "green"), "merge": ("~", "yellow"), "update": ("~", "yellow"), "keep": ("=", "dim")}
_WORDS = {
    "create": "new",
    "merge": "added to what you have",
    "update": "brought up to date",
    "keep": "as it should be",
}


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--agent", metavar="NAMES", help=f"of {', '.join(AGENTS)}; without it: claude, and those that have a folder"
    )
    parser.add_argument("--user", action="store_true", help="for every project, in your own settings")
    parser.add_argument(
        "--settings", action="store_true", help="also write a planrail.toml with all settings to choose"
    )
    parser.add_argument("--mcp", action="store_true", help="also let agents find planrail's tools by MCP")
    parser.add_argument(
        "--allow", action="store_true", help="let Claude Code run planrail next, show, check, done and look unasked"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be written, and write nothing")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    state = state_folder()
    place = find_place(os.getcwd(), os.environ, is_user=arguments.user)
    agents = choose_agents(arguments.agent, place, os.environ)
    with contextlib.nullcontext() if arguments.dry_run else locked(state):
        targets = [make_target(agent, place, os.environ, allow=arguments.allow) for agent in agents]
        targets = add_mcp(targets, agents, place, is_wanted=arguments.mcp)
        if arguments.settings and not place.is_user:
            targets.append(settings_target(place))
        looked = look(targets, place, state, os.environ)
        refused = next((step for step in looked if isinstance(step, LeftAlone)), None)
        if refused is not None:  # a file that has to be left alone stops everything before anything is written
            raise PlanrailError(f"{refused.reason}; nothing was written", remedy=refused.remedy)
        steps = [step for step in looked if not isinstance(step, LeftAlone)]
        if not arguments.dry_run:
            write_interpreter(state)
            for target in targets:
                variables = target.entries.get("env")
                if isinstance(variables, dict):
                    keep_secret(place.scope, state, variables[DIRECT])
            kinds = {target.path: target.kind for target in targets}
            install([step for step in steps if isinstance(step, WriteFile)], kinds, place, state)
    by_hand = [connection_of(agent) for agent in agents] if arguments.mcp else []
    notes = [one.mcp_command for one in by_hand if place.is_user or not one.mcp_file]
    return _answer(place, list(zip(targets, steps, strict=True)), notes, is_trial=arguments.dry_run)


def _answer(
    place: InstallPlace, pairs: list[tuple[Target, WriteFile | Keep]], by_hand: list[str], *, is_trial: bool
) -> Answer:
    changed = any(isinstance(step, WriteFile) for _, step in pairs)
    files = [
        {"path": target.path, "agent": target.agent, "action": _action(target, step), "purpose": target.purpose}
        for target, step in pairs
    ]
    scope = "user" if place.is_user else "project"
    told = {"root": place.root, "scope": scope, "dry_run": is_trial, "changed": changed, "files": files}
    where = "your own settings" if place.is_user else place.root
    head = f"planrail {'would connect these' if is_trial else 'is connected'} in {where}:"
    lines = [head if changed else f"planrail is connected in {where} already; nothing was written"]
    for target, step in pairs:
        sign, colour = _SIGNS[_action(target, step)]
        path = target.path if place.is_user else os.path.relpath(target.path, place.root)
        word = step.because if isinstance(step, Keep) and step.because else _WORDS[_action(target, step)]
        name = connection_of(target.agent).title if target.agent in AGENTS else target.agent
        lines.append(f"  {paint(sign, colour)} {path:<29} {name}: {target.purpose} ({word})")
    lines += [f"  planrail's tools by MCP, by hand: {command}" for command in by_hand]
    if changed:
        lines += ["", *dict.fromkeys(_list_notes(place, [target for target, _ in pairs]))]
    return Answer(told, lines, command="planrail init" if is_trial and changed else "planrail doctor")


def _action(target: Target, step: WriteFile | Keep) -> str:
    if isinstance(step, Keep):
        return "keep"
    if step.before is None:
        return "create"
    return "merge" if target.kind == JSON and step.before == step.original else "update"


def _list_notes(place: InstallPlace, targets: list[Target]) -> Iterator[str]:
    for target in targets:
        if target.agent not in AGENTS:
            continue
        yield f"  {connection_of(target.agent).note}"
        path = os.path.relpath(target.path, place.root)
        if not place.is_user and show_committed(place.root, path) is not None:
            yield f"  {path} is tracked by git and now names a path of this machine: do not commit that change."
        if target.agent == "claude" and "permissions" not in target.entries:
            user = " --user" if place.is_user else ""
            yield f"  It asks you before it runs planrail next, show, check … unless: planrail init{user} --allow"
    yield "  Everything is given back by: planrail uninstall" + (" --user" if place.is_user else "")
