"""How the service stands: gathered once, told to people or to programs."""

from collections.abc import Iterator

from planrail import __version__
from planrail.base.errors import PlanrailError
from planrail.base.records import record
from planrail.base.wording import clip, paint, plural
from planrail.store.ledger import open_store
from planrail.store.runs.run_folders import list_runs
from planrail.team.engines import open_dispatch
from planrail.team.queueing import ScheduleRow
from planrail.team.registry import Registered, read_registry
from planrail.team.schedules.times import render_distance
from planrail.team.service.choosing import KINDS, find_installed
from planrail.team.service.machine import LAUNCHD, SYSTEMD, TITLES, Facts, Machine, ask_program
from planrail.team.submitting import describe_schedule
from planrail.team.waking import ask_workers

_LOG_LINES = 5
_WIDTH = 160
_SECONDS = 3.0  # that a shared database gets to answer: a question about the state does not wait for it


@record
class Outlook:
    """A repository now. `problem` says why it could not be looked at."""

    root: str
    schedules: tuple[ScheduleRow, ...] = ()
    waiting: int = 0  # submissions that nobody has taken yet
    runs: tuple[str, ...] = ()  # the paths of the plans that are at work
    problem: str = ""

    @property
    def due(self) -> tuple[ScheduleRow, ...]:
        return tuple(row for row in self.schedules if row.state == "active")


def look_ahead(root: str) -> Outlook:
    """How a repository stands. What cannot be read is a problem to be told, never an error here."""
    try:
        if not open_store(root).has_rows(patience=_SECONDS):  # looking makes no ledger
            return Outlook(root)
        with open_dispatch(root) as dispatch:
            waiting = sum(submission.state == "queued" for submission in dispatch.list_submissions())
            schedules = dispatch.list_schedules()
        runs = tuple(run.order.path for run in list_runs(root) if run.is_live)
        return Outlook(root, tuple(schedules), waiting, runs)
    except (PlanrailError, OSError) as error:
        return Outlook(root, problem=str(error))


@record
class ServiceStatus:
    """All that `status` knows."""

    kind: str  # "" where none is installed
    facts: Facts
    workers: list[dict[str, object]]
    repositories: list[tuple[Registered, Outlook | None]]  # None: it is gone
    log: list[str]

    @property
    def worker(self) -> dict[str, object]:
        """What the worker of the service says of itself; nothing where it does not answer."""
        return next((worker for worker in self.workers if worker.get("pid") == self.facts.pid), {})

    @property
    def since(self) -> float | None:
        told = self.worker.get("since")
        return float(told) if isinstance(told, int | float) else self.facts.since

    @property
    def is_old(self) -> bool:
        return self.worker.get("version", __version__) != __version__


def gather(machine: Machine) -> ServiceStatus:
    kind = find_installed(machine)
    known = read_registry(machine.environment)
    return ServiceStatus(
        kind.name if kind is not None else "",
        kind.look(machine) if kind is not None else Facts(is_installed=False),
        ask_workers(),
        [(entry, look_ahead(entry.root) if entry.is_there else None) for entry in known],
        read_log(machine, _LOG_LINES),
    )


def read_log(machine: Machine, lines: int) -> list[str]:
    """The last lines of the worker's log; none where there is none, or nobody can read it."""
    answer = ask_program(machine, *find_log_command(machine, lines))
    return answer.text.splitlines()[-lines:] if answer.is_good else []


def find_log_command(machine: Machine, lines: int, *, follows: bool = False) -> list[str]:
    return (find_installed(machine) or KINDS[LAUNCHD]).log_command(machine, lines, follows=follows)


def describe(standing: ServiceStatus) -> dict[str, object]:
    facts, repositories = standing.facts, []
    fields = ("plan", "path", "expression", "next", "state", "why")
    for entry, outlook in standing.repositories:
        found = outlook or Outlook(entry.root)
        schedules = [{field: getattr(row, field) for field in fields} for row in found.schedules]
        told = {"root": entry.root, "gone": outlook is None, "problem": found.problem or None, "schedules": schedules}
        repositories.append({**told, "waiting": found.waiting, "runs": list(found.runs)})
    return {
        "installed": facts.is_installed,
        "kind": standing.kind or None,
        "running": facts.is_running,
        "state": facts.said or None,
        "pid": facts.pid or None,
        "since": standing.since,
        "version": standing.worker.get("version"),
        "program_version": __version__,
        "enabled": facts.is_enabled,
        "lingers": facts.survives_logout,
        "files": list(facts.places),
        "workers": list(standing.workers),
        "repositories": repositories,
        "log": standing.log,
        "next": choose_next(standing),
    }


def render(standing: ServiceStatus, now: float) -> Iterator[str]:
    yield from _render_service(standing, now)
    for worker in standing.workers:
        if worker.get("pid") != standing.facts.pid:
            yield f"a worker that the service did not start runs as process {worker.get('pid')}"
    for entry, outlook in standing.repositories:
        yield from _render_repository(entry, outlook, now)
    if not standing.repositories:
        yield "no repository is registered with it"
    if standing.log:
        yield paint("its last words:", "bold")
        yield from (paint(f"    {clip(line, _WIDTH)}", "dim") for line in standing.log)


def choose_next(standing: ServiceStatus) -> str:
    facts = standing.facts
    if not facts.is_installed:
        return "planrail service install"
    if not facts.is_running:
        return "planrail service start"
    if standing.is_old:
        return "planrail service restart"
    return "planrail list upcoming" if standing.repositories else "planrail service add PATH"


def _render_service(standing: ServiceStatus, now: float) -> Iterator[str]:
    facts = standing.facts
    if not facts.is_installed:
        yield f"{paint('○', 'dim')} no service is installed for you"
        return
    sign = paint("✔", "green") if facts.is_running else paint("✖", "red")
    yield f"{sign} the service is installed as {TITLES[standing.kind]}: {', '.join(facts.places)}"
    yield f"  {_running(standing, now)}"
    if facts.is_enabled is not None:
        yield "  it starts again after a reboot" if facts.is_enabled else "  it does NOT start again after a reboot"
    if standing.kind == SYSTEMD and facts.survives_logout is False:
        yield "  only while you are logged in; to change that: loginctl enable-linger"
    if standing.is_old:
        yield f"  it is planrail {standing.worker.get('version')}, and this is {__version__}: planrail service restart"


def _running(standing: ServiceStatus, now: float) -> str:
    facts, worker, since = standing.facts, standing.worker, standing.since
    if not facts.is_running:
        return f"it does not run: {facts.said or 'nobody knows why'}"
    age = f", started {render_distance(since - now)}" if since is not None else ""
    version = f", planrail {worker['version']}" if worker.get("version") else ", and does not answer"
    runs = worker.get("runs")
    busy = f", {len(runs)} of {worker.get('slots')} slots busy" if isinstance(runs, list) else ""
    return f"it runs as process {facts.pid}{age}{version}{busy}"


def _render_repository(entry: Registered, outlook: Outlook | None, now: float) -> Iterator[str]:
    if outlook is None:
        forget = f"planrail service remove {entry.root}"
        yield f"{paint('✖', 'red')} {entry.root} is gone, and skipped; to forget it: {forget}"
        return
    told = f"{plural(len(outlook.schedules), 'schedule')}, {plural(len(outlook.runs), 'run')} at work"
    more = f", {outlook.waiting} waiting" if outlook.waiting else ""
    yield f"{paint('•', 'cyan')} {entry.root}: {outlook.problem or told + more}"
    for row in outlook.schedules:
        yield f"    {row.path}  {clip(describe_schedule(row, now), _WIDTH)}"
    for path in outlook.runs:
        yield f"    {path}  is at work"
