"""Find out in which environment and by which command the project's tests run, and prove that on the base.

planrail setup          look, try, show; at a terminal you are asked before anything is written
planrail setup --yes    write planrail.toml and commit it

The tests are run in a private checkout of the last commit. Your own environment is used as it is, and never changed.
With --json: {"test_command", "environment", "suite": {"collected", "passed"}, "cause", "settings", "written"}.
Exit code 1 where the tests do not run or do not pass there, with the line of their output that says why.
"""

import os
from argparse import ArgumentParser, Namespace

from planrail.approval.book import project_root
from planrail.base.settings import FILE_NAME
from planrail.base.wording import Answer
from planrail.cli.screen import warn
from planrail.runs.setup.setting_up import ask_to_write, render_setup, set_up, set_up_with_person, write_settings


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="write what was found, and commit it")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    root = project_root(os.getcwd())
    tell = (lambda _: None) if arguments.json else warn
    setup = set_up(root, tell) if arguments.json or arguments.yes else set_up_with_person(root, tell)
    lines = render_setup(setup)
    is_meant = arguments.yes or (not arguments.json and setup.may_write and ask_to_write(lines) is True)
    is_written = is_meant and setup.may_write
    if is_written:
        write_settings(setup)
        lines.append(f"{FILE_NAME} is written and committed")
    command = "planrail setup --yes" if setup.may_write and not is_written else "planrail next"
    warnings = [(setup.cause, setup.advice)] if setup.cause else []
    told = setup.describe(is_written=is_written)
    return Answer(told, lines, warnings, "" if setup.cause else command, code=1 if setup.cause else 0)
