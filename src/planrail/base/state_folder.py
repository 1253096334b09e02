"""Where planrail keeps its own state: sessions, tickets, snapshots, what it remembers of plans."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def state_folder(environment: "Mapping[str, str] | None" = None) -> str:
    """`PLANRAIL_STATE_DIR`, else the folder `planrail` in the user's state folder.

    A relative folder would be another one in each folder that an agent changes to. `PLANRAIL_STATE_DIR` is taken
    relative to the home folder then, and `XDG_STATE_HOME` is left out, as its standard asks.
    """
    values = os.environ if environment is None else environment
    home = values.get("HOME") or os.path.expanduser("~")
    moved = values.get("PLANRAIL_STATE_DIR")
    if moved:
        return os.path.normpath(os.path.join(home, moved))
    base = values.get("XDG_STATE_HOME") or ""
    return os.path.join(base if os.path.isabs(base) else os.path.join(home, ".local", "state"), "planrail")
