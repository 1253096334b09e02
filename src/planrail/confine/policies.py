"""What may a process of each role reach? As data: everything can be read unless a rule says otherwise, nothing can be
written, and of two rules the one for the deeper path wins.
"""

import os
from collections.abc import Iterable, Mapping

from planrail.base.records import record, replace
from planrail.confine.places import (
    BESIDE_TOOLS,
    CACHES,
    OF_SYSTEMS,
    OWN_PLACES,
    RUNNING,
    SECRETS,
    SHARED_PLACES,
    SOCKETS,
    STORES,
    SYSTEM,
    TOOL_FOLDERS,
    VARIABLES,
)

OFF, LOOPBACK, ON = "off", "loopback", "on"
# Access to a path and all below it. PRIVATE: empty at first, writable, and gone with the process.
HIDDEN, PRIVATE, READ, WRITE = "hidden", "private", "read", "write"


@record
class Confinement:
    """What a process may reach: a policy. `scratch` is a folder of its own, for its home and its temporary files."""

    scratch: str
    writable: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    home: str = ""
    network: str = OFF

    @property
    def is_sealed(self) -> bool:
        """Whether nothing but its own scratch folder may be changed, not even the mode of a file."""
        return not self.writable and self.network == OFF


@record
class AccessRule:
    """The access to one path. `source` is what is seen there: the path itself, unless that is a link."""

    path: str
    access: str
    source: str
    is_folder: bool


def check_policy(
    workspace: str,
    scratch: str,
    environment: Mapping[str, str],
    network: str,
    *,
    readable: Iterable[str] = (),
    writable: Iterable[str] = (),
    hidden: Iterable[str] = (),
) -> Confinement:
    """For a check: its workspace is writable, all above it is empty, and what a person opens is no secret."""
    opened, own = {*readable, *writable}, set(hidden)
    policy = _build(scratch, environment, network, (workspace, *({*writable} - own)), readable, ())
    above = _top_above(workspace, policy.private)
    kept = (place for place in policy.hidden if place not in opened)
    return replace(policy, hidden=(*kept, *hidden, *([above] if above else [])))


def agent_policy(
    more: Confinement, workspace: str, environment: Mapping[str, str], *, is_reader: bool, has_stores: bool
) -> Confinement:
    """For an agent: as for a check, with what it may reach besides (`more`); one that only reads writes no file there.

    `has_stores`: it may add packages, so the stores that it would add them to are its own.
    """
    own = () if is_reader else (workspace,)
    policy = _build(more.scratch, environment, more.network, (*own, *more.writable), (), ())
    secrets = [place for place in policy.hidden if place not in {*more.readable, *more.writable}]  # unless opened
    stores = [os.path.join(policy.home, name) for name in STORES if policy.home and has_stores]
    # a program of the workspace stands on the PATH, and can be written all the same
    tools = [place for place in policy.readable if place not in stores and not place.startswith(f"{workspace}/")]
    above = _top_above(workspace, policy.private)
    return replace(
        policy,
        readable=(*tools, *([workspace] if is_reader else []), *more.readable),
        hidden=(*secrets, *more.hidden, *([above] if above else [])),
        private=(*policy.private, *stores),
    )


def look_policy(
    folders: Iterable[str], scratch: str, environment: Mapping[str, str], hidden: Iterable[str]
) -> Confinement:
    """For `planrail look`: these folders, the tools and the rest of the machine can be read, and nothing is written."""
    return _build(scratch, environment, OFF, (), folders, hidden)


def inner_environment(policy: Confinement, given: Mapping[str, str], *, moves_home: bool) -> dict[str, str]:
    """The variables of a confined process: none that leads to a socket or a key, and its own temporary folder."""
    kept = {name: value for name, value in given.items() if not name.startswith(VARIABLES) or _is_open(policy, value)}
    kept["TMPDIR"] = os.path.join(policy.scratch, "tmp")
    return kept | ({"HOME": os.path.join(policy.scratch, "home")} if moves_home and policy.home else {})


def _is_open(policy: Confinement, value: str) -> bool:
    """Whether a variable leads to a socket that may be used."""
    return any(place in value for place in policy.writable)


def _build(
    scratch: str,
    environment: Mapping[str, str],
    network: str,
    writable: Iterable[str],
    readable: Iterable[str],
    hidden: Iterable[str],
) -> Confinement:
    home = os.path.normpath(environment.get("HOME") or "/")
    home = home if os.path.isabs(home) and home not in SYSTEM else ""
    caches, secrets = ([os.path.join(home, name) for name in names if home] for names in (CACHES, SECRETS))
    away = () if network == ON else (RUNNING,)
    return Confinement(
        scratch,
        tuple(writable),
        (*caches, *_tool_folders(environment, home), *OF_SYSTEMS, *readable),
        (*secrets, *SOCKETS, *away, *hidden),
        (*SHARED_PLACES, *([home] if home else [])),
        home,
        network,
    )


def _tool_folders(environment: Mapping[str, str], home: str) -> Iterable[str]:
    """Where programs and what they load lie: the folders of the PATH with what stands beside them, and those that
    variables name."""
    shared = {"/", home, *(os.path.join(home, name) for name in BESIDE_TOOLS)}
    for name in ("PATH", *TOOL_FOLDERS):
        for folder in filter(os.path.isabs, environment.get(name, "").split(os.pathsep)):
            place = os.path.normpath(folder)
            beside = [os.path.dirname(place)] if name == "PATH" else []
            yield from (found for found in (place, *beside) if found not in shared)


def _top_above(workspace: str, private: Iterable[str]) -> str:
    """The highest folder above a workspace in which this user could plant a file; "" where all above is private."""
    above, empty = os.path.realpath(workspace), [os.path.realpath(place) for place in private]
    found = ""
    while (above := os.path.dirname(above)) not in SYSTEM:
        if above in empty:
            return ""
        if os.access(above, os.W_OK):
            found = above
    return found


def settle(policy: Confinement) -> list[AccessRule]:
    """The rules of a policy for what is there now, with links resolved, parents before what is in them; none that says
    what the one above it says already."""
    wanted: dict[str, AccessRule] = {}
    resolved: dict[str, str] = {}  # many of them are in the same folder
    # A path that stands in several lists: the later list wins.
    lists = ((PRIVATE, policy.private), (READ, policy.readable), (HIDDEN, policy.hidden), (WRITE, policy.writable))
    for access, paths in (*lists, (WRITE, (policy.scratch,))):
        for path in filter(os.path.exists, paths):
            folder, name = os.path.split(path)
            if folder not in resolved:
                resolved[folder] = os.path.realpath(folder)
            place = os.path.join(resolved[folder], name)
            real = os.path.realpath(place) if os.path.islink(place) else place
            for spelt in {place, real} - {*OWN_PLACES} if access in (READ, WRITE) else {real} - {*OWN_PLACES}:
                wanted[spelt] = AccessRule(spelt, access, real, os.path.isdir(real))
    return [rule for rule in map(wanted.__getitem__, sorted(wanted)) if _says_more(rule, wanted)]


def can_see(rules: Iterable[AccessRule], path: str) -> bool:
    """Whether what others have at a path can be read."""
    around = [rule for rule in rules if f"{path}/".startswith(f"{rule.path}/")]
    return not around or max(around, key=lambda rule: len(rule.path)).access in (READ, WRITE)


def _says_more(rule: AccessRule, wanted: Mapping[str, AccessRule]) -> bool:
    """Whether something is different with a rule: a link need not be made where it can be seen, and nothing is hidden
    in a folder that begins empty."""
    above = os.path.dirname(rule.path)
    while above != "/" and above not in wanted:
        above = os.path.dirname(above)
    inherited = wanted[above].access if above in wanted else READ
    is_empty = inherited in (HIDDEN, PRIVATE)
    if rule.source != rule.path:
        return is_empty
    return rule.access == PRIVATE or not (inherited == rule.access or (is_empty and rule.access == HIDDEN))
