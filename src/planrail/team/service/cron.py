"""The service by cron, for machines without systemd and launchd: at boot, and every five minutes where none lives."""

import contextlib
import os
import shutil
import signal
import time

from planrail.base.errors import ToolFailed
from planrail.store.owners import find_start
from planrail.team.service.crontab import forget_copy, read_crontab, write_crontab
from planrail.team.service.crontab_text import has_lines, put_lines, render_lines, render_script, take_lines
from planrail.team.service.kinds import CRON, Facts
from planrail.team.service.machine import Machine
from planrail.team.service.programs import is_program, launch_program
from planrail.team.service.starting import WorkerCall, find_stop_seconds
from planrail.team.service.workers import ask_workers, is_worker
from planrail.team.service_files import PRIVATE, PROGRAM, ServiceFile, read_file, remove_file, write_file

_GRACE = 1.0  # seconds
_PAUSE, _BEGINNING = 0.1, 10.0  # seconds
_DAEMONS = ("cron", "crond", "fcron", "busybox-crond")


class Cron:
    """The kind of all other machines."""

    name = CRON

    def is_installed(self, machine: Machine) -> bool:
        """Whether planrail's lines are in the crontab."""
        if not is_program(machine, "crontab"):
            return False
        try:
            return has_lines(read_crontab(machine))
        except ToolFailed:
            return False

    def look(self, machine: Machine) -> Facts:
        """cron itself knows nothing of what it started; the script notes it."""
        found = find_workers(machine)
        is_installed, has_daemon = self.is_installed(machine), find_daemon()
        pid, since = found[0] if found else (0, None)
        stopped = os.path.exists(_stopped(machine))
        return Facts(
            is_installed=is_installed,
            is_running=bool(found),
            pid=pid,
            since=since,
            is_enabled=is_installed and has_daemon is not False,
            survives_logout=True,
            said=_describe(is_stopped=stopped, is_running=bool(found), has_daemon=has_daemon),
            places=(locate_script(machine), "crontab -l"),
        )

    def list_files(self, machine: Machine, call: WorkerCall) -> list[ServiceFile]:
        """The script that the lines start: a crontab's lines may not be long."""
        text = render_script(call, stopped=_stopped(machine), pids=_pids(machine), log=machine.log)
        return [ServiceFile(locate_script(machine), os.fsencode(text), PROGRAM)]

    def list_lines(self, machine: Machine) -> list[str]:
        """The lines for the crontab."""
        return [os.fsdecode(line) for line in render_lines(os.fsencode(locate_script(machine)))]

    def check_files(self, machine: Machine) -> None:
        """A crontab that cannot be read cannot be edited."""
        read_crontab(machine)

    def switch_on(self, machine: Machine, *, is_changed: bool) -> list[str]:
        """Write the lines, and start what they would start."""
        before = read_crontab(machine)
        lines = render_lines(os.fsencode(locate_script(machine)))
        was_written = write_crontab(machine, before, put_lines(before, lines))
        said = ["your crontab has planrail's lines now" if was_written else "your crontab has planrail's lines already"]
        was_running = bool(find_workers(machine))
        if was_running and is_changed:
            self.restart(machine)
            return [*said, "the worker was restarted; its agents were not interrupted"]
        self.start(machine)
        return [*said, "the worker runs" if was_running else "the worker was started"]

    def remove(self, machine: Machine) -> list[str]:
        """Take the lines out, stop what they started, remove the script."""
        before = read_crontab(machine)
        said = (
            ["took planrail's lines out of your crontab"] if write_crontab(machine, before, take_lines(before)) else []
        )
        self.stop(machine)
        script = locate_script(machine)
        said += ["the worker was stopped", *([f"removed {script}"] if remove_file(script) else [])]
        remove_file(_stopped(machine))
        forget_copy(machine)
        shutil.rmtree(_pids(machine), ignore_errors=True)
        return [*said, f"kept the worker's log: {machine.log}"] if os.path.exists(machine.log) else said

    def start(self, machine: Machine) -> None:
        """Start it now, as cron would."""
        remove_file(_stopped(machine))
        if find_workers(machine):
            return
        pid = launch_program(machine, "/bin/sh", locate_script(machine))
        for _ in range(int(_BEGINNING / _PAUSE)):
            if find_workers(machine):
                time.sleep(_GRACE)  # one that cannot work is gone by then
                if find_workers(machine):
                    return
            if find_start(pid) is None:
                break
            time.sleep(_PAUSE)
        if not ask_workers():  # one that was started by hand is enough
            raise ToolFailed(f"the worker ended at once{_last_words(machine)}", remedy="planrail service logs")

    def stop(self, machine: Machine) -> None:
        """Stop it until the next boot, or the next start; cron finds a note that it shall not."""
        write_file(ServiceFile(_stopped(machine), b"", PRIVATE))
        for pid, _ in find_workers(machine):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        _wait_for_end(machine)

    def restart(self, machine: Machine) -> None:
        """Stop it, and start it again."""
        self.stop(machine)
        self.start(machine)

    def log_command(self, machine: Machine, lines: int, *, follows: bool) -> list[str]:
        """A file keeps it."""
        return ["tail", "-n", str(lines), *(["-F"] if follows else []), machine.log]


def locate_script(machine: Machine) -> str:
    """The script that cron starts."""
    return os.path.join(machine.folder, "start.sh")


def find_workers(machine: Machine) -> list[tuple[int, float]]:
    """The workers that the script became, each with the time of its start."""
    found = []
    with contextlib.suppress(OSError):
        for entry in os.scandir(_pids(machine)):
            if entry.name.isdigit() and is_worker(int(entry.name)):
                found.append((int(entry.name), entry.stat().st_mtime))
    return sorted(found)


def find_daemon() -> bool | None:
    """Whether a cron daemon runs on this machine; None where that cannot be seen."""
    try:
        numbers = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return None
    return any(_name(number) in _DAEMONS for number in numbers)


def _name(number: str) -> str:
    try:
        with open(f"/proc/{number}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def _last_words(machine: Machine) -> str:
    lines = os.fsdecode(read_file(machine.log) or b"").strip().splitlines()
    return f": {lines[-1].strip()}" if lines else ""


def _wait_for_end(machine: Machine) -> None:
    seconds = find_stop_seconds(machine)
    for _ in range(int(seconds / _PAUSE)):
        if not find_workers(machine):
            return
        time.sleep(_PAUSE)
    pids = ", ".join(str(pid) for pid, _ in find_workers(machine))
    raise ToolFailed(f"the worker did not end within {seconds} s (process {pids})", remedy="planrail service logs")


def _describe(*, is_stopped: bool, is_running: bool, has_daemon: bool | None) -> str:
    if has_daemon is False:
        return "no cron daemon runs on this machine"
    if is_running:
        return "active"
    return "stopped until the next boot" if is_stopped else "waits for cron, which looks every five minutes"


def _stopped(machine: Machine) -> str:
    return os.path.join(machine.folder, "stopped")


def _pids(machine: Machine) -> str:
    return os.path.join(machine.folder, "pids")
