"""The command line for Landlock: the rules of a policy as grants, which only ever add. Pure but for folders' names."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

from planrail.confine import landlock_launcher
from planrail.confine.places import DEVICES
from planrail.confine.policies import HIDDEN, ON, PRIVATE, READ, WRITE, AccessRule, Confinement

_SHARED_MEMORY = "/dev/shm"


def wrap(
    argv: Sequence[str], policy: Confinement, rules: Sequence[AccessRule], list_folder: Callable[[str], list[str]]
) -> list[str]:
    """The launcher with what it grants, then the command. Private places are not there for it but in its scratch."""
    accesses = {rule.source: rule.access for rule in rules if rule.path == rule.source or rule.access != READ}
    accesses |= {"/dev": HIDDEN}
    grants = [f"{'w' if access == WRITE else 'r'}:{path}" for path, access in grant("/", READ, accesses, list_folder)]
    devices = [f"d:{path}" for path in DEVICES]
    memory = [] if policy.is_sealed else [f"w:{_SHARED_MEMORY}"]
    options = ["sealed"] if policy.is_sealed else [] if policy.network == ON else ["offline"]
    launcher = [sys.executable, "-I", "-S", landlock_launcher.__file__]
    return [*launcher, *options, *grants, *devices, *memory, "--", *argv]


def grant(
    path: str, access: str, accesses: Mapping[str, str], list_folder: Callable[[str], list[str]]
) -> Iterator[tuple[str, str]]:
    """What to grant below a path so that the deepest rule wins: a folder with an exception in it by its entries."""
    inner = [place for place in accesses if place.startswith(f"{path.rstrip('/')}/")]
    if access in (HIDDEN, PRIVATE):
        tops = [place for place in inner if not any(place.startswith(f"{other}/") for other in inner)]
        for place in tops:
            yield from grant(place, accesses[place], accesses, list_folder)
    elif not any(accesses[place] != access for place in inner):
        yield path, access
    else:
        for name in list_folder(path):
            place = os.path.join(path, name)
            yield from grant(place, accesses.get(place, access), accesses, list_folder)
