"""Are checks and agents confined, and by what? Chosen once for a run; each of them is recorded with the answer."""

import os
from collections.abc import Callable, Mapping, Sequence

from planrail.agents.model import AgentConfinement
from planrail.base.errors import ToolFailed, UsageError
from planrail.base.records import record, replace
from planrail.base.run_model import Order, Workspace
from planrail.base.settings import RunSettings
from planrail.base.state_folder import state_folder
from planrail.confine.backends import BUBBLEWRAP, NONE, Backend, ConfinedCommand, confine
from planrail.confine.policies import ON, Confinement, can_see, check_policy, settle
from planrail.confine.trials import find_backend
from planrail.git.checkouts import locate_home
from planrail.git.workspaces.workspace_git import link_folder, object_folders
from planrail.runs.checks.own_environments import list_programs

OVERRULES = "PLANRAIL_CONFINE"
MODES = REQUIRED, AUTO, OFF = "required", "auto", "off"


@record
class Enclosure:
    """What checks are held in. `reason`: why in nothing; `readable` and `writable` are what the settings open and the
    objects that git borrows from the user's repository, `hidden` is what planrail keeps of its own."""

    backend: Backend
    reason: str = ""
    network: str = ON
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    may_open: bool = False  # whether checks may be run outside of it, where the project's tests need that
    is_required: bool = False  # then no agent is started that it does not hold
    temporary: str = ""  # where each check gets a folder for its temporary files; "": where the system has such

    @property
    def told(self) -> str:
        """As it is put on record."""
        if self.backend.name == NONE:
            return f"{NONE}, because {self.reason}"
        return self.backend.name + ("" if self.network == ON else f", network {self.network}")

    @property
    def is_certain(self) -> bool:
        """Whether no check can change what surrounds its workspace, nor see what is put beside it."""
        return self.backend.name == BUBBLEWRAP and not (self.may_open or self.writable)

    @property
    def holds_agents(self) -> bool:
        """Whether no agent can change anything that is not its own."""
        return self.is_required and self.is_certain

    def make_view(self, folder: str, given: Mapping[str, str]) -> Callable[[str], bool]:
        """Whether checks with workspaces in a folder may see a path."""
        if not self.is_certain:
            return lambda path: True
        own = os.path.join(folder, "any")
        rules = settle(self._policy(own, own, given))
        return lambda path: can_see(rules, path)

    def enclose(self, argv: Sequence[str], folder: str, scratch: str, given: Mapping[str, str]) -> ConfinedCommand:
        """The command line for a check that works in a folder, with a scratch folder of its own."""
        if self.backend.name == NONE:
            return ConfinedCommand(list(argv), dict(given))
        return confine(argv, self._policy(folder, scratch, given), self.backend, given)

    def _policy(self, folder: str, scratch: str, given: Mapping[str, str]) -> Confinement:
        opened = {"readable": self.readable, "writable": self.writable, "hidden": self.hidden}
        return check_policy(folder, scratch, given, self.network, **opened)


BARE = Enclosure(Backend(NONE), "it was run where the user works")
OPEN = Enclosure(Backend(NONE), "on the base the project's tests fail when they are confined, and outside they do not")


def choose_enclosure(root: str, run: RunSettings, environment: Mapping[str, str]) -> Enclosure:
    """As the settings say, or the variable that overrules them. Raises where confinement is required and there is none.

    `auto` takes bubblewrap alone: checks that write to `/tmp` by its name would fail under the others.
    """
    mode = environment.get(OVERRULES) or run.confine
    if mode not in MODES:
        raise UsageError(f"{OVERRULES} is {mode!r}; nothing was begun", remedy=f"set it to one of {', '.join(MODES)}")
    if mode == OFF:
        return Enclosure(Backend(NONE), f"{'it' if environment.get(OVERRULES) else '[run] confine'} is off")
    backend = find_backend()
    if backend.name == NONE and mode == REQUIRED:
        message = f"[run] confine asks for checks that are confined, and nothing here can: {backend.reason}"
        raise ToolFailed(f"{message}; nothing was begun", remedy=backend.remedy)
    if backend.name != BUBBLEWRAP and mode == AUTO:
        return Enclosure(Backend(NONE), backend.reason or "bubblewrap is not there")
    common = locate_home(root).common
    hidden = (state_folder(environment), os.path.join(common, "planrail"))
    readable, writable = (
        tuple(os.path.join(root, os.path.expanduser(path)) for path in paths) for paths in (run.readable, run.writable)
    )
    own = map(os.path.dirname, list_programs(root, run))
    return Enclosure(
        *(backend, "", run.network, (*object_folders(common), *own, *readable), writable, hidden),
        may_open=mode == AUTO and run.network == ON,
        is_required=mode == REQUIRED,
    )


def choose_in_session(root: str, run: RunSettings, environment: Mapping[str, str]) -> Enclosure:
    """Checks of a session are run in the user's own folder, as the user would run them, unless they must be confined:
    then they read its git directories, wherever those are."""
    if (environment.get(OVERRULES) or run.confine) != REQUIRED:
        return BARE
    chosen, home = choose_enclosure(root, run, environment), locate_home(root)
    return replace(chosen, readable=(*chosen.readable, home.git_dir, home.common))


def hold_agent(
    held: Enclosure, order: Order, workspace: Workspace, network: str, *, is_reader: bool
) -> AgentConfinement:
    """What an agent in a workspace may reach. A clone borrows the objects of the user's repository, all else of git is
    in it; in a linked working tree git reads the repository, and a commit adds to its objects."""
    if held.backend.name == NONE:  # also where the project's tests need that: agents run them, too
        return AgentConfinement(NONE, reason=held.reason)
    home = locate_home(order.root)
    readable, writable, hidden = held.readable, held.writable, (*held.hidden, home.common)
    scratch = f"{workspace.path}.home"  # removed with the workspaces
    if workspace.path == os.path.realpath(order.root):  # the user's own checkout, in which git only reads
        readable = (*readable, os.path.join(workspace.path, ".git"), home.git_dir, home.common)
        hidden, scratch = held.hidden, os.path.join(order.workspaces, "checkout.home")
    elif order.options.workspace == "worktree" and not is_reader:
        objects, *borrowed = readable
        whole = (os.path.join(objects, name) for name in ("pack", "info"))
        readable, hidden = (home.common, *borrowed, *whole), held.hidden
        writable = (*writable, link_folder(home, workspace.path), objects)
    return AgentConfinement(
        *(held.backend.name, held.backend.program),
        is_required=held.is_required,
        network=network,
        scratch=scratch,
        writable=writable,
        readable=readable,
        hidden=hidden,
    )
