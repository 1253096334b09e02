"""Are checks confined, and by what? Chosen once for a run; each check is recorded with the answer."""

import os
from collections.abc import Mapping, Sequence

from planrail.base.errors import ToolFailed, UsageError
from planrail.base.records import record
from planrail.base.settings import RunSettings
from planrail.base.state_folder import state_folder
from planrail.confine.backends import BUBBLEWRAP, NONE, Backend, ConfinedCommand, confine, find_backend
from planrail.confine.policies import ON, check_policy
from planrail.git.checkouts import locate_home
from planrail.git.workspaces.workspace_git import object_folders

OVERRULES = "PLANRAIL_CONFINE"
MODES = REQUIRED, AUTO, OFF = "required", "auto", "off"


@record
class Enclosure:
    """What checks are held in. `reason`: why in nothing; `readable` are the objects that git borrows from the user's
    repository, `hidden` is what planrail keeps of its own."""

    backend: Backend
    reason: str = ""
    network: str = ON
    readable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    temporary: str = ""  # where each check gets a folder for its temporary files; "": where the system has such

    @property
    def told(self) -> str:
        """As it is put on record."""
        return self.backend.name if self.backend.name != NONE else f"{NONE}, because {self.reason}"

    def enclose(self, argv: Sequence[str], folder: str, scratch: str, given: Mapping[str, str]) -> ConfinedCommand:
        """The command line for a check that works in a folder, with a scratch folder of its own."""
        if self.backend.name == NONE:
            return ConfinedCommand(list(argv), dict(given))
        policy = check_policy(folder, scratch, given, self.network, readable=self.readable, hidden=self.hidden)
        return confine(argv, policy, self.backend, given)


BARE = Enclosure(Backend(NONE), "it was run where the user works")


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
    return Enclosure(backend, "", run.network, tuple(object_folders(common)), hidden)
