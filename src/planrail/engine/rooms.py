"""Rooms: the private working trees of a run. The implementer works in one; checks are run in another, which no agent
ever saw, with an environment made from the base."""

import os

from planrail.repo.check_environment import check_environment
from planrail.repo.check_running import CheckPlace, run_checks
from planrail.repo.provisioning import provision
from planrail.repo.work_snapshots import tree_of
from planrail.repo.workspaces import move_to, open_workspace, open_worktree
from planrail.runs.model import Baseline, CheckOrder, CheckRun, Workspace
from planrail.runs.provisions import decide_provision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from planrail.engine.site import Site
    from planrail.repo.check_running import Checked
    from planrail.repo.provisioning import Provisioned
    from planrail.runs.model import PhaseOrder
    from planrail.runs.workshop import At

_PROVISION_SECONDS = 1800


class Rooms:
    """Opens rooms, and runs checks in them."""

    def __init__(self, site: "Site") -> None:
        self._site = site
        self._tested: dict[str, CheckRun] = {}  # by tree: what the project's tests said of it in this very process
        self._provisioned: dict[str, tuple[str, Provisioned]] = {}  # by room: what for, and what was made
        self._programs: dict[str, tuple[str, ...]] = {}  # by room: folders of programs

    # ---- where agents work ----

    def open_workspace(self, phase: "PhaseOrder", at: "At", base: str) -> Workspace:
        """See `Workshop.open_workspace`."""
        return self._open("work", phase.id, base)

    def open_copy(self, phase: "PhaseOrder", commit: str) -> Workspace:
        """A copy of the work for the verifier to read."""
        return self._open("copy", phase.id, commit)

    def _open(self, kind: str, phase: str, base: str, keep: tuple[str, ...] = ()) -> Workspace:
        place = self._site.place(kind, phase)
        index = os.path.join(self._site.folder, f"index-{os.path.basename(place)}")
        opens = open_worktree if self._site.order.options.workspace == "worktree" and kind == "work" else open_workspace
        return opens(self._site.root, place, base, index, keep)

    # ---- where checks are run ----

    def measure_base(self, phase: "PhaseOrder", at: "At", base: str) -> Baseline:
        """See `Workshop.measure_base`."""
        room, made = self._open_room(phase, base)
        if made.problem:
            return Baseline(base, (), made.what, made.problem)
        checked = self._check(phase, at, room, base, "base", made.paths_kept)
        return Baseline(base, checked.runs, made.what)

    def check(self, phase: "PhaseOrder", at: "At", commit: str, base: str, name: str) -> "Checked":
        """Run the phase's checks and the project's tests on a commit, with the environment of the base."""
        room, made = self._open_room(phase, base)
        return self._check(phase, at, room, commit, name, made.paths_kept)

    def _open_room(self, phase: "PhaseOrder", base: str) -> "tuple[Workspace, Provisioned]":
        """The room of a phase at its base, provisioned; made once for each base and process."""
        place = self._site.place("room", phase.id)
        known = self._provisioned.get(place)
        if known is not None and known[0] == base:
            return self._workspace("room", phase.id, base), known[1]
        room = self._open("room", phase.id, base, known[1].paths_kept if known else ())
        made = self._provision(room)
        self._provisioned[place] = (base, made)
        return room, made

    def _workspace(self, kind: str, phase: str, base: str) -> Workspace:
        place = self._site.place(kind, phase)
        return Workspace(place, base, os.path.join(self._site.folder, f"index-{os.path.basename(place)}"))

    def _provision(self, room: Workspace) -> "Provisioned":
        run = self._site.settings.run
        wanted = decide_provision(set(os.listdir(room.path)), run.provision)
        self._programs[room.path] = tuple(os.path.join(room.path, folder) for folder in wanted.path)
        log = os.path.join(self._site.folder, "provision.log")
        return provision(
            self._site.root, room.path, wanted, run.include, self._environment(room), _PROVISION_SECONDS, log
        )

    def _environment(self, room: Workspace) -> "dict[str, str]":
        """What a check sees: the programs that were provisioned come first."""
        environment = check_environment(self._site.environment)
        path = os.pathsep.join((*self._programs.get(room.path, ()), environment["PATH"]))
        return {**environment, "PATH": path}

    def _check(
        self, phase: "PhaseOrder", at: "At", room: Workspace, commit: str, name: str, keep: tuple[str, ...]
    ) -> "Checked":
        def restore() -> None:
            move_to(self._site.root, room, commit, keep)

        restore()
        tree = tree_of(self._site.root, commit)
        outputs = os.path.dirname(self._site.output(at, os.path.join(name, "x")))
        os.makedirs(outputs, exist_ok=True)
        minutes = self._site.order.options.check_minutes
        place = CheckPlace(self._site.root, room, tree, self._environment(room), outputs, minutes * 60)
        return self._run(phase.checks, place, restore)

    def _run(self, checks: tuple[CheckOrder, ...], place: CheckPlace, restore: "Callable[[], None]") -> "Checked":
        """The phase's checks, then the project's tests; those were perhaps run on this very tree a moment ago."""
        command = self._site.order.test_command
        known = self._tested.get(place.tree)
        tests = (CheckOrder(command, 0, "tests"),) if command and known is None else ()
        checked = run_checks((*checks, *tests), place, restore)
        if command and known is not None:
            return type(checked)((*checked.runs, known), checked.findings)
        if tests:
            self._tested[place.tree] = checked.runs[-1]
        return checked

