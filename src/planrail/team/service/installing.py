"""Installing the service and taking it out again: the files, the secrets, the repository one stands in."""

import os
from collections.abc import Callable

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import record
from planrail.base.wording import paint
from planrail.store.team import check_url, hide_password
from planrail.team.registry import add_repository, forget_repositories, identify, read_registry
from planrail.team.service.choosing import Choice, Refusal, decide_kind, find_installed, find_kind, survey
from planrail.team.service.kinds import SYSTEMD, TITLES, Kind
from planrail.team.service.machine import Machine
from planrail.team.service.starting import (
    DATABASE,
    WorkerCall,
    find_value,
    list_missing_keys,
    locate_secrets,
    plan_call,
    set_variable,
)
from planrail.team.service.workers import wake_workers
from planrail.team.service_files import PRIVATE, ServiceFile, read_file, remove_file, write_file

Say = Callable[[str], None]


_HEAD = '# Variables for planrail\'s worker, one NAME="value" in a line; keys of agents belong here as well.\n'


@record
class Wanted:
    """What was asked for."""

    kind: str | None = None
    slots: int | None = None
    database: str | None = None
    is_dry: bool = False


def install(machine: Machine, wanted: Wanted, say: Say) -> str:
    """Install the service, or bring it up to date; a second time changes nothing. What to type next."""
    _refuse_sudo(machine)
    kind, notes = _choose(machine, wanted)
    kind.check_files(machine)
    call = plan_call(machine, wanted.slots)
    say(f"the service of {machine.user}: {TITLES[kind.name]}{_whose(machine)}")
    files = kind.list_files(machine, call)
    lines = kind.list_lines(machine)
    if wanted.is_dry:
        return _show(files, lines, _plan_secrets(machine, wanted), say)
    is_changed = any([_write_secrets(_plan_secrets(machine, wanted), say), *[_write(file, say) for file in files]])
    _show_lines(lines, say)
    registered = _register_here(machine)
    for done in kind.switch_on(machine, is_changed=is_changed):
        say(f"{paint('✔', 'green')} {done}")
    for note in [*registered, *notes, *_advise(machine, kind), *_name_keys(machine, call)]:
        say(note)
    return "planrail service status"


def uninstall(machine: Machine, say: Say, *, forgets: bool) -> str:
    """Stop it and remove what `install` wrote. Schedules stay, and so do registrations unless they shall go."""
    kind = find_installed(machine)
    said = kind.remove(machine) if kind is not None else ["no service is installed"]
    said += _clear_secrets(machine)
    if forgets:
        said.append(f"forgot the list of repositories ({forget_repositories(machine.environment)})")
    for done in said:
        say(done)
    say("agents at work go on, and their runs can be resumed; to end one: planrail stop PLAN")
    if not forgets:
        say("schedules and the list of repositories are kept; a new service, or `planrail worker`, goes on with them")
    return "planrail runs"


def _refuse_sudo(machine: Machine) -> None:
    """root with somebody else's home would leave files there that their owner can neither use nor remove."""
    if machine.uid == 0 and os.path.isdir(machine.home) and os.stat(machine.home).st_uid != 0:
        raise UsageError(
            f"you are root, and {machine.home} is the home of somebody else",
            remedy="planrail service install   (without sudo: it is the service of one user)",
        )


def _choose(machine: Machine, wanted: Wanted) -> tuple[Kind, tuple[str, ...]]:
    installed = find_installed(machine)
    match decide_kind(survey(machine, installed.name if installed else ""), wanted.kind):
        case Refusal() as refusal:
            raise PlanrailError(refusal.reason, remedy=refusal.remedy)
        case Choice() as choice:
            return find_kind(choice.kind), choice.notes


def _whose(machine: Machine) -> str:
    return "; it is root's own, and not one for the whole machine" if machine.uid == 0 else ""


# ---- files ----


def _write(file: ServiceFile, say: Say) -> bool:
    is_new = write_file(file)
    say(f"{paint('✔', 'green')} {'wrote' if is_new else 'is so already:'} {file.path}")
    if is_new:
        _show_text(os.fsdecode(file.data), say)
    return is_new


def _show(files: list[ServiceFile], lines: list[str], secrets: ServiceFile | None, say: Say) -> str:
    for file in files:
        say(f"would write {file.path}:")
        _show_text(os.fsdecode(file.data), say)
    _show_lines(lines, say)
    if secrets is not None:
        say(f"would write {secrets.path}, for your eyes only")
    return "planrail service install"


def _show_lines(lines: list[str], say: Say) -> None:
    if lines:
        say("the lines in your crontab:")
        _show_text("\n".join(lines), say)


def _show_text(text: str, say: Say) -> None:
    for line in text.splitlines():
        say(paint(f"    {line}", "dim"))


# ---- secrets ----


def _plan_secrets(machine: Machine, wanted: Wanted) -> ServiceFile | None:
    """The file of secrets, where there is one to be put into it. What it says is never shown."""
    url = wanted.database or machine.environment.get(DATABASE)
    if not url:
        return None
    check_url(url, "--database" if wanted.database else DATABASE)
    place = locate_secrets(machine)
    there = os.fsdecode(read_file(place) or b"")
    if find_value(there, DATABASE) == url:
        return None
    return ServiceFile(place, os.fsencode(set_variable(there or _HEAD, DATABASE, url)), PRIVATE)


def _write_secrets(file: ServiceFile | None, say: Say) -> bool:
    if file is None:
        return False

    write_file(file)
    url = find_value(os.fsdecode(file.data), DATABASE) or ""
    say(f"{paint('✔', 'green')} wrote {file.path}, which you alone can read: {DATABASE} is {hide_password(url)}")
    return True


def _clear_secrets(machine: Machine) -> list[str]:
    """Take planrail's own variable out; what a person has added stays."""
    place = locate_secrets(machine)
    data = read_file(place)
    if data is None:
        return []
    rest = set_variable(os.fsdecode(data), DATABASE, None)
    if rest.strip() in ("", _HEAD.strip()):
        remove_file(place)
        return [f"removed {place}"]
    write_file(ServiceFile(place, os.fsencode(rest), PRIVATE))
    return [f"kept {place}, which has variables of yours"]


# ---- what to know ----


def _register_here(machine: Machine) -> list[str]:
    """Register the repository that one stands in, where there is one; a home folder under git is none."""
    try:
        here = identify(os.getcwd())
    except UsageError:
        return ["it serves no repository yet: planrail service add PATH"] if not _has_any(machine) else []
    if here.root == os.path.realpath(machine.home):
        return []
    known, is_new = add_repository(here.root, machine.environment)
    wake_workers()
    return [f"it serves {known.root}" + ("" if is_new else ", as before")]


def _has_any(machine: Machine) -> bool:
    return bool(read_registry(machine.environment))


def _name_keys(machine: Machine, call: WorkerCall) -> list[str]:
    """A key that is set in this shell is not in the service's environment, and an agent may need it."""
    secrets = os.fsdecode(read_file(call.secrets) or b"")
    missing = list_missing_keys(machine.environment, call.variables, secrets)
    if not missing:
        return []
    return [
        f"set here, and not known to the worker: {', '.join(missing)}; if agents need it: {call.secrets} (mode 600)"
    ]


def _advise(machine: Machine, kind: Kind) -> list[str]:
    facts = kind.look(machine)
    if kind.name == SYSTEMD and facts.survives_logout is False:
        text = "after a reboot nothing runs before you log in, and nothing once you have logged out"
        return [f"{text}; to change that: loginctl enable-linger"]
    if "no cron daemon" in facts.said:
        start = "sudo service cron start" if machine.is_wsl else "start it, such as: sudo service cron start"
        return [f"{facts.said}, so nothing starts the worker again: {start}"]
    return []
