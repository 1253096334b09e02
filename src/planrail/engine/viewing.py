"""What people see: the project's server started on the work, and pictures taken of it by a real browser."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.engine.rooms import Rooms
    from planrail.engine.site import Site
    from planrail.runs.model import PhaseOrder, Snapshot
    from planrail.runs.workshop import At


class Viewing:
    """Takes the pictures that the settings ask for."""

    def __init__(self, site: "Site", rooms: "Rooms") -> None:
        self._site, self._rooms = site, rooms

    def look_at(self, phase: "PhaseOrder", at: "At", snapshot: "Snapshot") -> tuple[str, ...]:
        """See `Workshop.look_at`."""
        return ()
