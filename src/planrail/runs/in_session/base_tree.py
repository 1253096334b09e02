"""A private checkout of the base, provisioned as a run provisions one, in which checks say what holds without the work.

Made for one judgement and removed after it: nothing in it was in reach of an agent or a user, and no earlier result is
believed. The plan lies in it as it is now, on every tree, since no mark in it can be what a check tells apart.
"""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator

from planrail.base.errors import ToolFailed
from planrail.base.records import record, replace
from planrail.base.run_model import CheckOrder, CheckRun, Finding
from planrail.git.exact_commits import describe_files
from planrail.git.git_writing import run_git
from planrail.git.tree_removal import remove_tree
from planrail.git.workspaces.workspaces import close_workspace, open_workspace
from planrail.runs.checks.check_places import OWN, choose_check_folder, list_names, make_check_folder
from planrail.runs.checks.enclosures import choose_in_session
from planrail.runs.checks.own_environments import make_surroundings
from planrail.runs.checks.provisioning import CheckTree, fit
from planrail.runs.checks.surroundings import watch_above
from planrail.runs.in_session.cases import BaseCase
from planrail.runs.in_session.working_tree import name_inside

_NAME = "session-"


@record
class BaseTree:
    """The checkout. `fitted.made.problem` says why nothing can be run in it; "" where all went well."""

    case: BaseCase
    fitted: CheckTree
    outputs: str
    look: Callable[[], list[Finding]]  # at what stands above
    around: list[Finding]  # what was seen there: why checks prove nothing

    def run(self, checks: tuple[CheckOrder, ...], tree: str, name: str) -> tuple[CheckRun, ...]:
        """What checks say about a tree, each of them on the tree as it is."""
        outputs, exact = os.path.join(self.outputs, name), _add_plan(self.case, tree)
        os.makedirs(outputs, mode=0o700, exist_ok=True)
        checked = self.fitted.run(checks, exact, exact, outputs, self.case.seconds, self.look)
        self.around.extend(finding for finding in checked.around if finding not in self.around)
        return checked.runs


@contextlib.contextmanager
def open_base_tree(case: BaseCase, outputs: str) -> Iterator[BaseTree]:
    folder = _make_folder(case)
    place, index = os.path.join(folder, "room"), os.path.join(outputs, "index")
    log = os.path.join(outputs, "provision.log")
    try:
        workspace = open_workspace(case.root, place, case.base.commit, index)
        given = make_surroundings(case.root, case.settings.run, os.environ)
        fitted = fit(case.root, workspace, case.settings.run, given, log)
        held = replace(fitted, enclosure=choose_in_session(case.root, case.settings.run, os.environ))
        yield BaseTree(case, held, outputs, watch_above(folder), [])
    finally:
        close_workspace(place, index=index)
        remove_tree(folder)


def _add_plan(case: BaseCase, tree: str) -> str:
    """The tree with the plan's file as it is now, where the plan lies in the repository."""
    name = name_inside(case.root, case.own_file)
    if not name or not case.own_file:
        return tree
    with tempfile.TemporaryDirectory(prefix="planrail-") as folder:
        index, lines = os.path.join(folder, "index"), b"".join(describe_files(case.root, [name]))
        run_git(case.root, "read-tree", tree, index=index)
        run_git(case.root, "update-index", "--replace", "-z", "--index-info", index=index, data=lines)
        return run_git(case.root, "write-tree", index=index).strip()


def _make_folder(case: BaseCase) -> str:
    """A folder of this process where workspaces lie; what dead processes left there is removed."""
    folder = choose_check_folder(case.settings.run.workspaces, f"{_NAME}{os.getpid()}-")
    beside = os.path.dirname(folder)
    try:
        for name in list_names(beside):
            own = name.removeprefix(OWN)
            pid = own.removeprefix(_NAME).partition("-")[0]
            try:
                if own.startswith(_NAME) and pid.isdigit():
                    os.kill(int(pid), 0)
            except ProcessLookupError:
                remove_tree(os.path.join(beside, name))
            except (OSError, OverflowError):
                continue
        make_check_folder(folder)
        return folder
    except (OSError, ToolFailed):  # an agent's sandbox lets its commands write to few places
        return tempfile.mkdtemp(prefix=f"{OWN}{_NAME}")
