"""An agent inside its policy: its workspace, a home folder of its own with its login, and what its job may reach."""

import os
from collections.abc import Iterator, Mapping, Sequence

from planrail.agents.environment import matches
from planrail.agents.model import AgentConfinement, Assignment
from planrail.base.records import record
from planrail.base.whole_files import read_whole, write_whole
from planrail.confine.backends import BUBBLEWRAP, Backend, ConfinedCommand, confine, make_folder
from planrail.confine.places import BESIDE_TOOLS
from planrail.confine.policies import Confinement, agent_policy
from planrail.git.tree_removal import remove_tree

_MOVED = {"XDG_CONFIG_HOME": ".config", "XDG_DATA_HOME": ".local/share"}


@record
class AgentHome:
    """What an agent program has of the user's environment and home folder. `known` are variables of its own, `login`
    and `copied` files below the home folder, `folders` those that a variable can move."""

    environment: Mapping[str, str]
    known: tuple[str, ...]
    login: tuple[str, ...]
    copied: tuple[str, ...]
    readable: tuple[str, ...]
    folders: Mapping[str, str]


def enclose(command: Sequence[str], assignment: Assignment, home: AgentHome) -> ConfinedCommand:
    """What to start instead of a program. It finds its login where it always is, and copies of its settings."""
    order, given = assignment.confinement, home.environment
    kept = _lay_out_login(home, order)
    readable = (*order.readable, *home.readable, *_named_places(command, given))
    more = Confinement(order.scratch, (*order.writable, *kept), readable, order.hidden, network=order.network)
    tools = os.pathsep.join((given.get("PATH", ""), *(os.path.dirname(path) for path in _spellings(command[0]))))
    is_mounted = order.backend == BUBBLEWRAP
    policy = agent_policy(
        more, assignment.folder, {**given, "PATH": tools}, is_reader=assignment.read_only, has_stores=is_mounted
    )
    inside = confine(command, policy, Backend(order.backend, order.program), given)
    kinds = {name: value for name, value in inside.environment.items() if not name.startswith("XDG_")}
    kinds |= {name: value for name, value in given.items() if matches(name, home.known)}
    kinds |= {"TMPDIR": "/tmp"} if is_mounted else {}  # a socket's path may not be long
    own = os.path.join(order.scratch, "home")
    return ConfinedCommand(
        inside.argv, kinds | {name: os.path.join(own, folder) for name, folder in home.folders.items() if name in kinds}
    )


def _lay_out_login(home: AgentHome, order: AgentConfinement) -> list[str]:
    """The files of its login, which it may write. Where nothing can be mounted in their place, there are links."""
    kept = []
    for name in home.login:
        source, is_moved = _locate(name, home)
        if not os.path.exists(source):
            continue
        kept.append(source)
        if is_moved or order.backend != BUBBLEWRAP:
            os.symlink(source, _make_way(order.scratch, name))
    for name in home.copied:
        source, _ = _locate(name, home)
        if (content := read_whole(source)) is not None:
            write_whole(_make_way(order.scratch, name), content, durable=False)
    return kept


def _make_way(scratch: str, name: str) -> str:
    """A place in its home folder where nothing is, whatever the agent has put there."""
    folder, last = os.path.split(name)
    place = os.path.join(make_folder(scratch, f"home/{folder}"), last)
    remove_tree(place)
    return place


def _locate(name: str, home: AgentHome) -> tuple[str, bool]:
    """Where a file of the home folder is, and whether a variable says so."""
    given = home.environment
    for variable, folder in {**_MOVED, **home.folders}.items():
        if given.get(variable) and name.startswith(f"{folder}/"):
            return os.path.join(given[variable], name.removeprefix(f"{folder}/")), True
    return os.path.join(given.get("HOME", "/"), name), False


def _named_places(command: Sequence[str], given: Mapping[str, str]) -> Iterator[str]:
    """What a command line names, with the folder around it, and the files that variables name."""
    home = given.get("HOME", "/")
    shared = {"/", home, *(os.path.join(home, name) for name in BESIDE_TOOLS)}
    for word in command:
        for path in _spellings(word) if os.path.isabs(word) and os.path.exists(word) else ():
            around = (path,) if os.path.isdir(path) else (path, os.path.dirname(path))
            yield from (place for place in around if place not in shared)
    yield from (value for value in given.values() if os.path.isabs(value) and os.path.isfile(value))


def _spellings(path: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((path, os.path.realpath(path))))
