"""A private checkout of the base, provisioned as a run provisions one, in which checks say what holds without the work.

It is made for one judgement and removed after it: nothing in it was ever in anybody's reach, and no earlier result is
believed. The plan lies in it as it is now, on every tree, since no mark in it can be what a check tells apart.
"""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping

from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.base.run_model import CheckOrder, CheckRun, Finding, Workspace
from planrail.git.git_writing import encode_name, run_git
from planrail.git.tree_removal import remove_tree
from planrail.git.workspaces.provisions import decide_provision
from planrail.git.workspaces.workspaces import close_workspace, move_to, open_workspace
from planrail.runs.checks.environment import check_environment
from planrail.runs.checks.provisioning import Provisioned, provision
from planrail.runs.checks.room_places import OWN, choose_rooms, list_names, make_rooms
from planrail.runs.checks.running import CheckPlace, run_checks
from planrail.runs.checks.surroundings import watch_above
from planrail.runs.in_session.cases import Case
from planrail.runs.in_session.working_tree import name_inside

_NAME = "session-"
_PROVISION_SECONDS = 1800


@record
class Room:
    """The checkout. `made.problem` says why nothing can be run in it; "" where all went well."""

    case: Case
    workspace: Workspace
    made: Provisioned
    environment: Mapping[str, str]
    outputs: str
    look: Callable[[], list[Finding]]  # at what stands above
    around: list[Finding]  # what was seen there: why checks prove nothing

    def run(self, checks: tuple[CheckOrder, ...], tree: str, name: str) -> tuple[CheckRun, ...]:
        """What checks say about a tree, each of them on the tree as it is."""
        root, exact = self.case.root, add_plan(self.case, tree)
        outputs = os.path.join(self.outputs, name)
        os.makedirs(outputs, mode=0o700, exist_ok=True)

        def restore() -> None:
            move_to(root, self.workspace, exact, self.made.kept)

        restore()
        place = CheckPlace(root, self.workspace, exact, self.environment, outputs, self.case.minutes * 60, self.look)
        checked = run_checks(checks, place, restore)
        self.around.extend(finding for finding in checked.around if finding not in self.around)
        return checked.runs


@contextlib.contextmanager
def open_room(case: Case, outputs: str) -> Iterator[Room]:
    folder = _make_folder(case)
    place, index = os.path.join(folder, "room"), os.path.join(outputs, "index")
    try:
        workspace = open_workspace(case.root, place, case.base.commit, index)
        yield _fit(case, workspace, outputs)
    finally:
        close_workspace(place, index=index)
        remove_tree(folder)


def add_plan(case: Case, tree: str) -> str:
    """The tree with the plan's file as it is now, where the plan lies in the repository."""
    name = name_inside(case.root, case.paper.place)
    if not name:
        return tree
    place = os.path.join(case.root, name)
    blob = run_git(case.root, "hash-object", "-w", f"--path={name}", "--", place).strip()
    mode = "100755" if os.access(place, os.X_OK) else "100644"
    with tempfile.TemporaryDirectory(prefix="planrail-") as folder:
        index = os.path.join(folder, "index")
        run_git(case.root, "read-tree", tree, index=index)
        line = f"{mode} {blob}\t".encode() + encode_name(name) + b"\0"
        run_git(case.root, "update-index", "--replace", "-z", "--index-info", index=index, data=line)
        return run_git(case.root, "write-tree", index=index).strip()


def _fit(case: Case, workspace: Workspace, outputs: str) -> Room:
    run = case.settings.run
    wanted = decide_provision(set(os.listdir(workspace.path)), run.provision)
    programs = tuple(os.path.join(workspace.path, folder) for folder in wanted.path)
    seen = check_environment(os.environ)
    environment = {**seen, "PATH": os.pathsep.join((*programs, seen["PATH"]))}
    log = os.path.join(outputs, "provision.log")
    made = provision(case.root, workspace.path, wanted, run.include, environment, _PROVISION_SECONDS, log)
    return Room(case, workspace, made, environment, outputs, watch_above(os.path.dirname(workspace.path)), [])


def _make_folder(case: Case) -> str:
    """A folder of this process where rooms lie; what dead processes left there is removed."""
    folder = choose_rooms(case.settings.run.workspaces, f"{_NAME}{os.getpid()}-")
    beside = os.path.dirname(folder)
    try:
        for name in list_names(beside):
            if _is_left(name.removeprefix(OWN)):
                remove_tree(os.path.join(beside, name))
        make_rooms(folder)
        return folder
    except (OSError, ToolFailed):  # an agent's sandbox lets its commands write to few places
        return tempfile.mkdtemp(prefix=f"{OWN}{_NAME}")


def _is_left(name: str) -> bool:
    """Whether a folder belongs to a process that is gone."""
    pid = name.removeprefix(_NAME).partition("-")[0]
    if not name.startswith(_NAME) or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False
