"""The kinds of services, and what is known of one that runs."""

from planrail.base.records import record

MARK = "# Written by `planrail service install`"
SYSTEMD, LAUNCHD, CRON = "systemd", "launchd", "cron"
TITLES = {SYSTEMD: "a systemd user unit", LAUNCHD: "a launchd agent", CRON: "a line in your crontab"}


@record
class Facts:
    """A service as its keeper sees it. None: that is not known."""

    is_installed: bool
    is_running: bool = False
    pid: int = 0
    since: float | None = None
    is_enabled: bool | None = None  # it starts again after a reboot
    survives_logout: bool | None = None  # it runs also while nobody is logged in
    said: str = ""  # the state in the keeper's own word
    places: tuple[str, ...] = ()  # what was written
