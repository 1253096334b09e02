"""The questions of `planrail doctor` about the service: is there a worker that does what is due here?"""

from planrail import __version__
from planrail.base.errors import PlanrailError
from planrail.base.records import record
from planrail.base.wording import plural
from planrail.install.findings import BAD, NOTE, WELL, Checkup
from planrail.store.places import common_directory
from planrail.team.registry import read_registry
from planrail.team.service.choosing import find_installed
from planrail.team.service.machine import Facts, Machine, open_machine
from planrail.team.service.status import Outlook, look_ahead
from planrail.team.waking import ask_workers

_NAME = "service"


@record
class ServiceFacts:
    """What is known of the service and of the repository that one stands in."""

    is_installed: bool
    is_running: bool
    said: str = ""  # the state in the words of its keeper
    survives_logout: bool | None = None
    has_worker: bool = False  # of the service, or started by hand
    other_version: str = ""  # of the service's worker, where it is not this program's
    in_repository: bool = False
    is_registered: bool = False
    due: int = 0  # active schedules here
    waiting: int = 0  # submissions here that wait for a worker
    problem: str = ""  # why the schedules could not be read


def check_service(root: str | None) -> Checkup:
    """Whether a service is installed, runs, and serves this repository; whether something here waits for nobody."""
    try:
        return judge_service(find_facts(open_machine(), root))
    except (PlanrailError, OSError) as error:
        return Checkup(_NAME, BAD, f"it cannot be looked at: {error}", "planrail service status")


def judge_service(facts: ServiceFacts) -> Checkup:
    """What to say of it. Pure."""
    parts = [plural(facts.due, "schedule")] if facts.due else []
    parts += [f"{plural(facts.waiting, 'plan')} in the queue"] if facts.waiting else []
    work = f"{' and '.join(parts)} {'waits' if facts.due + facts.waiting == 1 else 'wait'}" if parts else ""
    if facts.is_installed and not facts.is_running:
        text = f"the service is installed and does not run: {facts.said or 'nobody knows why'}"
        return Checkup(_NAME, BAD, text + (f"; {work} for nobody" if work else ""), "planrail service start")
    if work and not facts.has_worker:
        remedy = "planrail service restart" if facts.is_installed else "planrail service install"
        return Checkup(_NAME, BAD, f"{work}, and no worker is there to do it", remedy)
    if facts.in_repository and work and not facts.is_registered:
        text = f"{work}, and the worker is not told to serve this repository"
        return Checkup(_NAME, BAD, text, "planrail service add")
    return _judge_details(facts)


def _judge_details(facts: ServiceFacts) -> Checkup:
    """Nothing waits in vain; is everything as it should be?"""
    if facts.problem:
        text = f"what is scheduled here cannot be read: {facts.problem}"
        return Checkup(_NAME, NOTE, text, "planrail service status")
    if facts.other_version:
        text = f"the service's worker is planrail {facts.other_version}, which is not this program's version"
        return Checkup(_NAME, NOTE, text, "planrail service restart")
    if not facts.is_installed:
        by_other = "a worker was started by hand, or by cron"
        who = by_other if facts.has_worker else "none is installed, and nothing here needs one"
        return Checkup(_NAME, WELL, who)
    if facts.survives_logout is False:
        text = "the service runs, but only while you are logged in"
        return Checkup(_NAME, NOTE, text, "loginctl enable-linger")
    here = ", and serves this repository" if facts.is_registered else ""
    return Checkup(_NAME, WELL, f"the service runs{here}")


def find_facts(machine: Machine, root: str | None) -> ServiceFacts:
    """Look at the service, and at what is due in a repository."""
    kind = find_installed(machine)
    service = kind.look(machine) if kind is not None else Facts(is_installed=False)
    common = common_directory(root) if root is not None else None
    outlook = look_ahead(root) if root is not None and common is not None else Outlook("")
    workers = ask_workers()
    versions = [str(worker.get("version", __version__)) for worker in workers if worker.get("pid") == service.pid]
    told = {name: getattr(service, name) for name in ("is_installed", "is_running", "said", "survives_logout")}
    return ServiceFacts(
        **told,
        has_worker=bool(workers),
        other_version=next((version for version in versions if version != __version__), ""),
        in_repository=common is not None,
        is_registered=any(entry.common == common for entry in read_registry(machine.environment)),
        due=len(outlook.due),
        waiting=outlook.waiting,
        problem=outlook.problem,
    )
