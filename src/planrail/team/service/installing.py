"""Installing the service and taking it out again: the files, the secrets, the repository one stands in."""

import os
from collections.abc import Callable

from planrail.base.errors import UsageError
from planrail.base.wording import paint
from planrail.store.addresses import hide_password
from planrail.store.team import check_url
from planrail.team import registry
from planrail.team.service import starting
from planrail.team.service.choosing import choose_kind, find_installed, plan_file
from planrail.team.service.machine import SYSTEMD, TITLES, Machine
from planrail.team.service.systemd import has_manager
from planrail.team.waking import wake_workers

Say = Callable[[str], None]
_HEAD = '# Variables for planrail\'s worker, one NAME="value" in a line; keys of agents belong here as well.\n'


def install(machine: Machine, say: Say, *, slots: int | None, database: str | None, is_dry: bool) -> str:
    """Install the service, or bring it up to date; a second time changes nothing. What to type next."""
    if machine.uid == 0 and os.path.isdir(machine.home) and os.stat(machine.home).st_uid != 0:
        raise UsageError(  # root would leave files there that their owner can neither use nor remove
            f"you are root, and {machine.home} is the home of another user",
            remedy="planrail service install   (without sudo: it is the service of one user)",
        )
    is_mac = machine.platform == "darwin"
    kind = choose_kind(machine.platform, has_manager=not is_mac and has_manager(machine), is_wsl=machine.is_wsl)
    call = starting.plan_call(machine, slots)
    file = plan_file(kind, machine, call)
    secrets, whose = _plan_secrets(machine, database), ""
    if machine.uid == 0:
        whose = "; it is root's own, and not one for the whole machine"
    say(f"the service of {machine.user}: {TITLES[kind.name]}{whose}")
    is_changed = _write(file, secrets, say, is_dry=is_dry)
    if is_dry:
        return "planrail service install"
    notes = _register_here(machine)
    say(f"{paint('✔', 'green')} {kind.switch_on(machine, is_changed=is_changed)}")
    if kind.name == SYSTEMD and kind.look(machine).survives_logout is False:
        text = "after a reboot nothing runs before you log in, and nothing once you have logged out"
        notes.append(f"{text}; to change that: loginctl enable-linger")
    for note in [*notes, *_name_keys(machine, call)]:
        say(note)
    return "planrail service status"


def _write(file: registry.ServiceFile, secrets: registry.ServiceFile | None, say: Say, *, is_dry: bool) -> bool:
    """Write the files, or only say so; whether one of them is new."""
    if secrets is not None and not is_dry:
        registry.write_file(secrets)
        url = hide_password(starting.find_value(os.fsdecode(secrets.data), starting.DATABASE) or "")
        say(f"{paint('✔', 'green')} wrote {secrets.path}, which you alone can read: {starting.DATABASE} is {url}")
    is_new = is_dry or registry.write_file(file)
    done = f"{paint('✔', 'green')} {'wrote' if is_new else 'is so already:'} {file.path}"
    say(f"would write {file.path}:" if is_dry else done)
    for line in os.fsdecode(file.data).splitlines() if is_new else ():
        say(paint(f"    {line}", "dim"))
    if secrets is not None and is_dry:
        say(f"would write {secrets.path}, for your eyes only")
    return is_new or secrets is not None


def uninstall(machine: Machine, say: Say, *, forgets: bool) -> str:
    """Stop it and remove what `install` wrote. Schedules stay, and so do registrations unless they shall go."""
    kind = find_installed(machine)
    said = kind.remove(machine) if kind is not None else ["no service is installed"]
    said += _clear_secrets(machine)
    if forgets:
        said.append(f"forgot the list of repositories ({registry.forget_repositories(machine.environment)})")
    for done in said:
        say(done)
    say("agents at work go on, and their runs can be resumed; to end one: planrail stop PLAN")
    if not forgets:
        say("schedules and the list of repositories are kept; a new service, or `planrail worker`, goes on with them")
    return "planrail list runs"


# ---- secrets ----


def _plan_secrets(machine: Machine, database: str | None) -> registry.ServiceFile | None:
    """The file of secrets, where there is one to be put into it. What it says is never shown."""
    url = database or machine.environment.get(starting.DATABASE)
    if not url:
        return None
    check_url(url, "--database" if database else starting.DATABASE)
    place = starting.locate_secrets(machine)
    there = os.fsdecode(registry.read_file(place) or b"")
    if starting.find_value(there, starting.DATABASE) == url:
        return None
    return registry.ServiceFile(
        place, os.fsencode(starting.set_variable(there or _HEAD, starting.DATABASE, url)), registry.PRIVATE
    )


def _clear_secrets(machine: Machine) -> list[str]:
    """Take planrail's own variable out; what a person has added stays."""
    place = starting.locate_secrets(machine)
    data = registry.read_file(place)
    if data is None:
        return []
    rest = starting.set_variable(os.fsdecode(data), starting.DATABASE, None)
    if rest.strip() in ("", _HEAD.strip()):
        registry.remove_file(place)
        return [f"removed {place}"]
    registry.write_file(registry.ServiceFile(place, os.fsencode(rest), registry.PRIVATE))
    return [f"kept {place}, which has variables of yours"]


# ---- what to know ----


def _register_here(machine: Machine) -> list[str]:
    """Register the repository that one stands in, where there is one; a home folder under git is none."""
    try:
        here = registry.identify(os.getcwd())
    except UsageError:
        has_some = registry.read_registry(machine.environment)
        return [] if has_some else ["it serves no repository yet: planrail service add PATH"]
    if here.root == os.path.realpath(machine.home):
        return []
    known, is_new = registry.add_repository(here.root, machine.environment)
    wake_workers()
    return [f"it serves {known.root}" + ("" if is_new else ", as before")]


def _name_keys(machine: Machine, call: starting.WorkerCall) -> list[str]:
    """A key that is set in this shell is not in the service's environment, and an agent may need it."""
    secrets, here = os.fsdecode(registry.read_file(call.secrets) or b""), machine.environment
    named = [name for name in starting.KEYS if here.get(name) and name not in call.variables]
    missing = ", ".join(name for name in named if starting.find_value(secrets, name) is None)
    text = f"set here, and not known to the worker: {missing}; if agents need it: {call.secrets} (mode 600)"
    return [text] if missing else []
