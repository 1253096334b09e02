"""Running the checks of a phase on the working tree as it is. An agent may wait for it: little is imported here."""

import os
import shutil
import time
from collections.abc import Callable

from planrail.base.records import record
from planrail.base.run_model import CheckRun
from planrail.runs.checks.enclosures import choose_in_session
from planrail.runs.checks.own_environments import make_surroundings
from planrail.runs.checks.running import run_check
from planrail.runs.in_session.cases import PhaseCase
from planrail.runs.in_session.working_tree import Tree, session_folder, take_tree

Runs = tuple[CheckRun, ...]
_MOST_KEPT = 20  # outputs of earlier times


@record
class TreeRuns:
    """What the checks said about a tree; `folder` has their outputs."""

    tree: Tree
    folder: str
    runs: Runs


def run_on_tree(
    case: PhaseCase, watch: Callable[[CheckRun], None] = lambda run: None, tree: Tree | None = None
) -> TreeRuns:
    """Run every check on the working tree as it is, whatever the others say. `tree`: it was taken a moment ago."""
    tree = tree or take_tree(case.root, case.plan_file.place)
    place = os.path.join(session_folder(case.root), "outputs")
    folder = os.path.join(place, f"{time.time_ns():020}-{os.getpid()}")
    os.makedirs(place, mode=0o700, exist_ok=True)
    for name in sorted(os.listdir(place))[:-_MOST_KEPT]:  # those of long ago are let go of
        shutil.rmtree(os.path.join(place, name), ignore_errors=True)
    os.mkdir(folder, 0o700)
    environment, found = make_surroundings(case.root, case.settings.run, os.environ), list[CheckRun]()
    enclosure = choose_in_session(case.root, case.settings.run, os.environ)
    for number, check in enumerate(case.checks, 1):
        output = os.path.join(folder, f"{number:02}.log")
        found.append(run_check(check, case.root, tree.id, environment, output, case.seconds, enclosure))
        watch(found[-1])
    return TreeRuns(tree, folder, tuple(found))
