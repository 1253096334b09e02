"""Rooms: the private working trees of a run. The implementer works in one; checks are run in another, which no agent
ever saw, with an environment made from the base."""

import json
import os
from collections.abc import Callable, Mapping
from functools import partial

from planrail.base.errors import ToolFailed
from planrail.base.records import record, replace
from planrail.base.run_model import Baseline, CheckOrder, CheckRun, PhaseOrder, Workspace
from planrail.git.workspaces.provisions import decide_provision
from planrail.git.workspaces.work_snapshots import tree_of
from planrail.git.workspaces.workspaces import move_to, open_workspace, open_worktree, remove_index, remove_index_alone
from planrail.runs.checks.environment import check_environment
from planrail.runs.checks.provisioning import Provisioned, provision
from planrail.runs.checks.room_places import list_names, make_rooms, make_seal
from planrail.runs.checks.running import Checked, CheckPlace, run_checks
from planrail.runs.checks.surroundings import Surroundings
from planrail.runs.steps.site import ROOM, Site, confirm_record
from planrail.runs.workshop import At

_PROVISION_SECONDS = 1800


@record
class Fitted:
    """What a working tree was provisioned with, from which base; `programs` are folders for the PATH."""

    base: str
    made: Provisioned
    programs: tuple[str, ...]


@record
class Stage:
    """A room that shows the work. `problem` says why it could not be made."""

    folder: str
    environment: Mapping[str, str]
    problem: str = ""


class Rooms:
    """Opens rooms, and runs checks in them."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._tested: dict[str, CheckRun] = {}  # by tree: what the project's tests said of it in this very process
        self._fitted: dict[str, Fitted] = {}  # by room
        self._seals: dict[str, str] = {}  # by room: how this process left it
        record = os.path.join(site.folder, "surroundings.json")
        given = check_environment(site.environment)
        confirm = partial(confirm_record, site, "surroundings")
        self._surroundings = Surroundings(site.root, given, record, confirm, site.rooms)
        if site.order.rooms:
            self._begin_anew(site.order.rooms)

    def _begin_anew(self, folder: str) -> None:
        """Nothing of the rooms of an earlier process is used again."""
        for name in list_names(folder):
            remove_index(os.path.join(self._site.folder, f"index-{name}"))
        make_rooms(folder)

    def distrust(self) -> None:
        """An agent is at work, and may change what checks depend on."""
        self._surroundings.distrust()

    # ---- where agents work ----

    def open_workspace(self, phase: PhaseOrder, at: At, base: str) -> Workspace:
        """See `Workshop.open_workspace`. It is provisioned as the room of the checks is, and apart from it."""
        workspace = self._open("work", phase.id, base)
        made = self._provision(workspace)
        if made.problem:
            raise ToolFailed(f"the workspace could not be provisioned: {made.problem}", remedy="[run] provision = …")
        return workspace

    def made_in(self, workspace: Workspace) -> tuple[str, ...]:
        return self._recall(workspace).made.kept

    def programs_of(self, workspace: Workspace) -> tuple[str, ...]:
        return self._recall(workspace).programs

    def open_copy(self, phase: PhaseOrder, commit: str) -> Workspace:
        return self._open("copy", phase.id, commit)

    def _open(self, kind: str, phase: str, base: str, keep: tuple[str, ...] = ()) -> Workspace:
        named = self.name_workspace(kind, phase, base)
        opens = open_worktree if self._site.order.options.workspace == "worktree" and kind == "work" else open_workspace
        return opens(self._site.root, named.path, base, named.index, keep)

    # ---- where checks are run ----

    def measure_base(self, phase: PhaseOrder, at: At, base: str) -> Baseline:
        room, made, is_exact = self._open_room(phase, base)
        if made.problem:
            return Baseline(base, (), made.what, made.problem)
        tree = tree_of(self._site.root, base)
        checked = self._check(phase.checks, self._at(at, room, tree, "base"), base, made, is_exact=is_exact)
        return Baseline(base, checked.runs, made.what)

    def check(self, phase: PhaseOrder, at: At, commit: str, tree: str, base: str, name: str) -> Checked:
        """Run the phase's checks and the project's tests on a commit, with the environment of the base."""
        room, made, _ = self._open_room(phase, base)
        return self._check(phase.checks, self._at(at, room, tree, name), commit, made)

    def try_checks(
        self, phase: PhaseOrder, at: At, checks: tuple[CheckOrder, ...], tree: str, base: str, name: str
    ) -> Checked:
        """Run some checks on a tree that was put together for them."""
        room, made, _ = self._open_room(phase, base)
        restore = self._restorer(room, tree, made)
        restore()
        checked = run_checks(checks, self._at(at, room, tree, name), restore)
        self._seal(room)
        return checked

    def open_stage(self, phase: PhaseOrder, commit: str, base: str) -> Stage:
        """The room of the checks with the work in it, for a server that shows it. The next check cleans up."""
        room, made, _ = self._open_room(phase, base)
        if not made.problem:
            self._restorer(room, commit, made)()
            self._seal(room)
        return Stage(room.path, self._environment(self._recall(room).programs), made.problem)

    def _open_room(self, phase: PhaseOrder, base: str) -> tuple[Workspace, Provisioned, bool]:
        """The room of a phase at its base, provisioned; made once for each base. True where that was at this moment, so
        that it holds the base and nothing else."""
        room = self.name_workspace(ROOM, phase.id, base)
        known = self._fitted.get(room.path)
        if known is None or self._seals.get(room.path) != make_seal(room.path, known.made.kept, room.index):
            known = Fitted("", Provisioned((), "", 0.0, ""), ())  # somebody was here: nothing of it is used again
            remove_index_alone(room.index)
        if known.base == base and os.path.isdir(room.path):
            return room, known.made, False
        room = self._open(ROOM, phase.id, base, known.made.kept)
        made = self._provision(room)
        self._seal(room)
        return room, made, not (known.made.kept or made.kept or made.what)

    def _seal(self, room: Workspace) -> None:
        """Remember how a room was left, so that it is seen if anybody else touches it."""
        self._seals[room.path] = make_seal(room.path, self._recall(room).made.kept, room.index)

    def name_workspace(self, kind: str, phase: str, base: str) -> Workspace:
        """A working tree of planrail's own, as it would be named; nothing is made."""
        place = self._site.place(kind, phase)
        return Workspace(place, base, os.path.join(self._site.folder, f"index-{os.path.basename(place)}"))

    def _provision(self, room: Workspace) -> Provisioned:
        """Make a working tree fit to run tests, and remember how: a run that is resumed need not do it again."""
        run = self._site.settings.run
        wanted = decide_provision(set(os.listdir(room.path)), run.provision)
        programs = tuple(os.path.join(room.path, folder) for folder in wanted.path)
        log = f"{room.index}.log"  # of its own: rooms are provisioned side by side
        environment = self._environment(programs)
        made = provision(self._site.root, room.path, wanted, run.include, environment, _PROVISION_SECONDS, log)
        if not made.problem:
            self._remember(room, Fitted(room.base, made, programs))
        return made

    def _environment(self, programs: tuple[str, ...]) -> dict[str, str]:
        """What a check sees: the programs that were provisioned come first."""
        environment = check_environment(self._site.environment)
        return {**environment, "PATH": os.pathsep.join((*programs, self._surroundings.path))}

    def _remember(self, room: Workspace, fitted: Fitted) -> None:
        self._fitted[room.path] = fitted
        made = fitted.made
        told = {"base": fitted.base, "paths": made.kept, "what": made.what, "programs": fitted.programs}
        with open(f"{room.index}.made", "w", encoding="utf-8", errors="surrogateescape") as file:
            json.dump(told, file)

    def _recall(self, room: Workspace) -> Fitted:
        """How a working tree was provisioned, by this process or one before it."""
        if room.path not in self._fitted:
            self._fitted[room.path] = recall_fitting(room.index)
        return self._fitted[room.path]

    def _at(self, at: At, room: Workspace, tree: str, name: str) -> CheckPlace:
        """A room that is to hold this tree, and where the outputs go."""
        outputs = self._site.outputs(at, name)
        seconds = self._site.order.options.check_minutes * 60
        environment = self._environment(self._recall(room).programs)
        return CheckPlace(self._site.root, room, tree, environment, outputs, seconds, self._surroundings.judge)

    def _restorer(self, room: Workspace, tree: str, made: Provisioned) -> Callable[[], None]:
        return lambda: move_to(self._site.root, room, tree, made.kept)

    def _check(
        self,
        checks: tuple[CheckOrder, ...],
        place: CheckPlace,
        commit: str,
        made: Provisioned,
        *,
        is_exact: bool = False,
    ) -> Checked:
        """The phase's checks, then the project's tests; those were perhaps run on this very tree a moment ago."""
        restore = self._restorer(place.workspace, commit, made)
        if not is_exact:
            restore()
        command = self._site.order.test_command
        known = self._tested.get(place.tree)
        tests = (CheckOrder(command, 0, "tests"),) if command and known is None else ()
        checked = run_checks((*checks, *tests), place, restore)
        self._seal(place.workspace)
        checked = replace(checked, findings=(*checked.around, *checked.findings))
        if command and known is not None:
            return replace(checked, runs=(*checked.runs, known))
        if tests and not any(finding.is_failure for finding in checked.around):
            self._tested[place.tree] = checked.runs[-1]
        return checked


def recall_fitting(index: str) -> Fitted:
    """How a working tree was provisioned, by the record beside its index; from no base where nobody knows."""
    try:
        with open(f"{index}.made", encoding="utf-8", errors="surrogateescape") as file:
            told = json.load(file)
        made = Provisioned(tuple(told["paths"]), "", 0.0, told["what"])
        return Fitted(told["base"], made, tuple(told["programs"]))
    except (OSError, ValueError, KeyError):
        return Fitted("", Provisioned((), "", 0.0, ""), ())
