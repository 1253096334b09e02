"""Take planrail out of the agents of this project again: every file is as `planrail init` found it."""

import os
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from planrail.base.state_folder import state_folder
from planrail.base.wording import paint
from planrail.cli.screen import print_json, print_next, say
from planrail.install.steps import Keep, Refusal, Restore

if TYPE_CHECKING:
    from planrail.install.targets import Place


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--user", action="store_true", help="from your own settings, where `planrail init --user` put it"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: "Namespace") -> int:
    """Give back what was there."""
    from planrail.install.files import forget_interpreter, look_back, uninstall
    from planrail.install.places import find_place
    from planrail.install.records import locked
    from planrail.install.secrets import forget_secret

    state = state_folder()
    place = find_place(os.getcwd(), os.environ, is_user=arguments.user)
    copies: list[str] = []
    if arguments.dry_run:
        steps = look_back(place, state, os.environ)
    else:
        with locked(state):
            steps = look_back(place, state, os.environ)
            copies = uninstall(steps, place, state)
            forget_secret(place.scope, state)
            forget_interpreter(state)
    return _report(arguments, place, steps, copies)


def _report(
    arguments: "Namespace", place: "Place", steps: "list[Restore | Keep | Refusal]", copies: "list[str]"
) -> int:
    refused = any(isinstance(step, Refusal) for step in steps)
    if arguments.json:
        files = [{"path": step.path, "action": _action(step), "note": _note(step)} for step in steps]
        print_json({"root": place.root, "dry_run": arguments.dry_run, "files": files, "copies": copies})
        return 1 if refused else 0
    where = "your own settings" if place.is_user else place.root
    say(f"planrail {'would be' if arguments.dry_run else 'is'} taken out of {where}:" if steps else "")
    for step in steps:
        path = step.path if place.is_user else os.path.relpath(step.path, place.root)
        say(f"  {paint('-', 'yellow')} {path:<29} {_note(step)}")
    for copy in copies:
        say(f"  what you had changed in it was kept: {copy}")
    if not steps:
        say(f"there is nothing of planrail's in {where}")
    print_next(
        "planrail uninstall" if refused or (arguments.dry_run and steps) else "planrail init   (to connect it again)"
    )
    return 1 if refused else 0


def _action(step: "Restore | Keep | Refusal") -> str:
    match step:
        case Restore():
            return "remove" if step.after is None else "restore"
        case Keep():
            return "keep"
        case Refusal():
            return "refuse"


def _note(step: "Restore | Keep | Refusal") -> str:
    match step:
        case Restore():
            if not step.changed:
                return "removed, as there was none before" if step.after is None else "given back, byte for byte"
            if step.after is None:
                return "removed: you had changed it, but nothing in it was yours alone"
            return "planrail's entries taken out; what you changed meanwhile is kept"
        case Keep():
            return f"left alone: {step.because}"
        case Refusal():
            return f"{step.reason} → {step.remedy}"
