"""Take planrail out of the agents of this project again: every file is as `planrail init` found it."""

import contextlib
import os
from argparse import ArgumentParser, Namespace

from planrail.base.state_folder import state_folder
from planrail.base.wording import Answer, paint
from planrail.install.files import find_place, forget_interpreter, look_back, uninstall
from planrail.install.records import locked
from planrail.install.secrets import forget_secret
from planrail.install.steps import Keep, LeftAlone, Restore


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--user", action="store_true", help="from your own settings, where `planrail init --user` put it"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    state = state_folder()
    place = find_place(os.getcwd(), os.environ, is_user=arguments.user, command="uninstall")
    copies: list[str] = []
    with contextlib.nullcontext() if arguments.dry_run else locked(state):
        steps = look_back(place, state, os.environ)
        if not arguments.dry_run:
            copies = uninstall(steps, place, state)
            forget_secret(place.scope, state)
            forget_interpreter(state)
    refused = any(isinstance(step, LeftAlone) for step in steps)
    files = [{"path": step.path, "action": _action(step), "note": _note(step)} for step in steps]
    told = {"root": place.root, "dry_run": arguments.dry_run, "files": files, "copies": copies}
    where = "your own settings" if place.is_user else place.root
    lines = [f"planrail {'would be' if arguments.dry_run else 'is'} taken out of {where}:"] if steps else []
    for step in steps:
        path = step.path if place.is_user else os.path.relpath(step.path, place.root)
        lines.append(f"  {paint('-', 'yellow')} {path:<29} {_note(step)}")
    lines += [f"  what you had changed in it was kept: {copy}" for copy in copies]
    is_left = refused or (arguments.dry_run and steps)
    command = "planrail uninstall" if is_left else "planrail init   (to connect it again)"
    lines = lines or [f"there is nothing of planrail's in {where}"]
    return Answer(told, lines, command=command, code=1 if refused else 0)


def _action(step: Restore | Keep | LeftAlone) -> str:
    if isinstance(step, Restore):
        return "remove" if step.after is None else "restore"
    return "keep" if isinstance(step, Keep) else "refuse"


def _note(step: Restore | Keep | LeftAlone) -> str:
    match step:
        case Restore():
            if not step.changed:
                return "removed, as there was none before" if step.after is None else "given back, byte for byte"
            if step.after is None:
                return "removed: you had changed it, but nothing in it was yours alone"
            return "planrail's entries taken out; what you changed meanwhile is kept"
        case Keep():
            return f"left alone: {step.because}"
        case LeftAlone():
            return f"{step.reason} → {step.remedy}"
