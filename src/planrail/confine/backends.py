"""A command inside a policy, by one of the ways of confining."""

import os
from collections.abc import Mapping, Sequence

from planrail.base.records import record
from planrail.confine import bubblewrap
from planrail.confine.policies import PRIVATE, READ, WRITE, AccessRule, Confinement, inner_environment, settle

BUBBLEWRAP, LANDLOCK, SEATBELT, NONE = "bubblewrap", "landlock", "seatbelt", "none"


@record
class Backend:
    """A way of confining, or NONE. `reason`: why none, or no better one, works here; `remedy`: what to do about it."""

    name: str
    program: str = ""
    reason: str = ""
    remedy: str = ""


@record
class ConfinedCommand:
    """What to start instead of a command, with which variables."""

    argv: list[str]
    environment: dict[str, str]


def confine(argv: Sequence[str], policy: Confinement, backend: Backend, given: Mapping[str, str]) -> ConfinedCommand:
    """The command that runs another one inside a policy. Its scratch folder is made ready for it."""
    for name in ("home", "tmp"):
        make_folder(policy.scratch, name)
    os.chmod(os.path.join(policy.scratch, "tmp"), 0o1777)  # it may become another user there
    rules = settle(policy)
    home = f"{os.path.realpath(policy.home)}/" if policy.home else "//"
    for rule in rules:
        if rule.access == PRIVATE and rule.path.startswith(home):
            make_folder(policy.scratch, f"home/{rule.path.removeprefix(home)}")
    if backend.name == BUBBLEWRAP:
        words = bubblewrap.wrap(backend.program, argv, policy, rules, is_root=os.geteuid() == 0)
        return ConfinedCommand(words, inner_environment(policy, given, moves_home=False))
    _link_caches(policy, rules)
    from planrail.confine import landlock, seatbelt  # with ctypes; a check that is not confined pays for none of this

    words = landlock.wrap(argv, policy, rules, os.listdir)
    if backend.name == SEATBELT:
        words = seatbelt.wrap(argv, policy, rules)
    return ConfinedCommand(words, inner_environment(policy, given, moves_home=True))


def _link_caches(policy: Confinement, rules: Sequence[AccessRule]) -> None:
    """Where nothing can be mounted, the home folder is another one, with links to what is open in the real one."""
    home = os.path.realpath(policy.home) if policy.home else ""
    for rule in rules:
        if home and rule.access in (READ, WRITE) and rule.path.startswith(f"{home}/"):
            link = os.path.join(policy.scratch, "home", os.path.relpath(rule.path, home))
            make_folder(policy.scratch, os.path.dirname(os.path.relpath(link, policy.scratch)))
            if not os.path.lexists(link):
                os.symlink(rule.source, link)


def make_folder(top: str, name: str) -> str:
    """A real folder below a scratch folder: what a process that was held there has put in its place is gone."""
    place = top
    for part in filter(None, name.split("/")):
        place = os.path.join(place, part)
        if os.path.lexists(place) and (os.path.islink(place) or not os.path.isdir(place)):
            os.unlink(place)
        os.makedirs(place, 0o700, exist_ok=True)
    return place
