"""Where planrail keeps its own state: sessions, tickets, snapshots, what it remembers of plans."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def state_folder(environment: "Mapping[str, str] | None" = None) -> str:
    """`PLANRAIL_STATE_DIR`, else the folder `planrail` in the user's state folder."""
    values = os.environ if environment is None else environment
    moved = values.get("PLANRAIL_STATE_DIR")
    if moved:
        return os.path.abspath(moved)
    base = values.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(base, "planrail")
