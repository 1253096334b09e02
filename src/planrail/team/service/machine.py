"""The machine as the service sees it: its user, its folders and what it calls itself. Read once, then a value."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence

from planrail.approval.channels import ProcessFacts
from planrail.approval.people.processes import list_lineage
from planrail.approval.people.terminals import read_login
from planrail.base.records import record
from planrail.base.state_folder import state_folder


@record
class Machine:
    """All that the service needs to know of where it is."""

    environment: Mapping[str, str]
    platform: str  # as `sys.platform` has it
    release: str  # of the kernel, which tells WSL from other Linux
    user: str
    uid: int
    python: str  # the interpreter that runs this planrail; of a virtual environment, its own
    lineage: Callable[[], Sequence[ProcessFacts]]  # this process and its ancestors

    @property
    def home(self) -> str:
        """The user's home folder."""
        return self.environment.get("HOME") or os.path.expanduser("~")

    @property
    def state(self) -> str:
        """planrail's state folder."""
        return state_folder(self.environment)

    @property
    def folder(self) -> str:
        """Where the service keeps what is its own."""
        return os.path.join(self.state, "service")

    @property
    def log(self) -> str:
        """Where what the worker prints is kept, by kinds that have no journal."""
        return os.path.join(self.folder, "worker.log")

    @property
    def is_wsl(self) -> bool:
        """Whether this is Linux inside Windows."""
        return "microsoft" in self.release.lower() or bool(self.environment.get("WSL_DISTRO_NAME"))


def open_machine() -> Machine:
    """The machine that this process runs on."""
    return Machine(
        environment=os.environ,
        platform=sys.platform,
        release=os.uname().release,
        user=read_login(),
        uid=os.getuid(),
        python=os.path.abspath(sys.executable),
        lineage=list_lineage,
    )
