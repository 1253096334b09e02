"""Time zones by name: the rules of one, and the name of the machine's own."""

import contextlib
import os
from collections.abc import Callable, Mapping
from datetime import UTC, tzinfo
from functools import lru_cache

from planrail.base.errors import UsageError
from planrail.base.settings import FILE_NAME, load_settings
from planrail.base.whole_files import read_whole
from planrail.git.git import show_committed, top_level

_UTC_NAMES = ("UTC", "Etc/UTC")
_NO_NAMES = frozenset(("localtime", "posixrules", "Factory"))  # another zone on each machine, or none at all


@lru_cache(maxsize=256)
def find_zone(name: str) -> tzinfo:
    """The rules of a zone. Raises `UsageError` for a name that there is not, or where the machine has no rules."""
    from zoneinfo import ZoneInfo

    try:
        if name not in _NO_NAMES:
            return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # no such name; none that could be; a folder such as `Europe`
        if name in _UTC_NAMES:
            return UTC
    raise _refuse_zone(name)


def _refuse_zone(name: str) -> UsageError:
    from difflib import get_close_matches
    from zoneinfo import available_timezones

    known = available_timezones() - _NO_NAMES
    if "Europe/Berlin" not in known:
        return UsageError("this machine has no time zone data", remedy="pip install tzdata")
    by_fold = {zone.lower(): zone for zone in known}
    by_city = {zone.lower().rpartition("/")[2]: zone for zone in sorted(known) if "/" in zone}
    word = name.strip().lower().replace(" ", "_")[:60]
    near = [by_fold[close] for close in get_close_matches(word, by_fold, 3, 0.75)]
    near += [by_city[close] for close in get_close_matches(word, by_city, 2, 0.75)]
    remedy = " or ".join(dict.fromkeys(near[:3])) or "a name such as Europe/Berlin or America/New_York"
    return UsageError(f"{name[:60]!r} is no time zone", remedy=remedy)


def local_zone_name(
    environment: Mapping[str, str] = os.environ,
    read_link: Callable[[str], str] = os.path.realpath,
    read: Callable[[str, int], bytes | None] = read_whole,
) -> str:
    """The name of the machine's zone: `TZ`, then /etc/localtime, then /etc/timezone, else UTC."""
    said = environment.get("TZ")
    if said == "":
        return "UTC"  # as the C library has it
    candidates = (
        _name_of(said or ""),
        _name_of(read_link("/etc/localtime")),
        (read("/etc/timezone", 200) or b"").decode("utf-8", "replace").strip(),
    )
    for name in filter(None, candidates):
        with contextlib.suppress(UsageError):
            find_zone(name)
            return name
    return "UTC"


def _name_of(path: str) -> str:
    """The zone that a path of the zone files names, or a value of `TZ` does."""
    name = path.removeprefix(":")
    if "zoneinfo" in name:
        name = name.rpartition("zoneinfo")[2].partition("/")[2]
    return name.removeprefix("posix/").removeprefix("right/")


def find_project_zone(folder: str) -> str:
    """The zone that times of day are meant in: the setting `[schedule] timezone`, else the machine's own."""
    root = top_level(folder)
    settings = load_settings(root, committed=show_committed(root, FILE_NAME) if root else None)
    return settings.schedule.timezone or local_zone_name()
