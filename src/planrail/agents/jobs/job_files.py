"""The folder of a job: what is to be done, which process does it, what happened, how it ended.

job.json        the job and the mark of its processes; written before the runner is started
lock            held by the runner as long as it lives, and by planrail while it starts one
runner.json     the runner's identity; written before the agent is started
stop            another process wants it to end
events.jsonl    what the agent does, one event on a line
log             all that is said in both directions
runner.log      what goes wrong in the runner itself
reserve         room on the disk for the outcome, since a log can fill it
answers-1.json  what a person answered to the agent's first questions
outcome.json    how it ended; written under another name and renamed, once nothing of the agent is left
"""

import fcntl
import os

from planrail.agents.model import (
    AgentConfinement,
    Asked,
    Assignment,
    Began,
    Denied,
    Event,
    Outcome,
    Question,
    Said,
    UsageEvent,
    Used,
)
from planrail.base.decoding import decode, encode
from planrail.base.settings.agent_table import AgentSettings
from planrail.base.values import pack, unpack, value
from planrail.base.whole_files import write_whole

_KINDS = {kind.__name__.lower(): kind for kind in (Began, Said, Used, Denied, Asked, UsageEvent)}


def write_event(event: Event, at: float) -> str:
    told = {name: getattr(event, name) for name in event.__slots__}  # type: ignore[union-attr]
    if isinstance(event, Asked):
        told = {"questions": [[one.text, list(one.options), one.many] for one in event.questions]}
    return encode({"at": at, "event": type(event).__name__.lower(), **told})


def read_event(line: str) -> Event | None:
    """The event of a line; None for a line that is none, such as one that a newer planrail wrote."""
    try:
        told = decode(line)
        assert isinstance(told, dict)
        kind = _KINDS[told["event"]]
        if kind is Asked:
            return Asked(tuple(Question(text, tuple(options), many) for text, options, many in told["questions"]))
        return kind(**{name: told[name] for name in kind.__slots__ if name in told})  # type: ignore[union-attr]
    except (ValueError, KeyError, TypeError, AssertionError):
        return None


def write_outcome(outcome: Outcome) -> str:
    return encode({name: getattr(outcome, name) for name in Outcome.__slots__})  # type: ignore[attr-defined]


def read_outcome(text: str) -> Outcome:
    """The outcome that was written. Raises `ValueError` for anything else."""
    told = decode(text)
    if not isinstance(told, dict):
        raise ValueError("this is no outcome")
    known = Outcome.__slots__  # type: ignore[attr-defined]
    try:
        return Outcome(**{name: part for name, part in told.items() if name in known})
    except TypeError as error:
        raise ValueError("an outcome lacks a field") from error


@value
class Job:
    """What an agent is to do, by which driver, and what it may. `driver` is a name that `load_driver` knows.

    `programs` and `environment` are as in `AgentSettings`. `command` is the command line of the `command` and `acp`
    drivers. `judge` says who answers the agent's requests for tools. `protected` are places that an agent which may
    write must leave alone: the user's repository, planrail's own records. `allowed` are further tools for one that only
    reads. `can_ask`: the process that watches the job answers the agent's questions.
    """

    driver: str
    role: str
    prompt: str
    folder: str
    permissions: str = "read"  # or write
    timeout: int = 1800
    model: str = ""
    schema: str = ""
    conversation: str = ""
    programs: dict[str, str] = {}  # noqa: RUF012 - never changed
    environment: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    command: str = ""
    judge: str = "read_only"  # or workspace
    protected: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    can_ask: bool = False
    confinement: AgentConfinement = AgentConfinement()


def assignment_of(job: Job, log: str, mark: str) -> Assignment:
    shared = {name: getattr(job, name) for name in Assignment.__slots__ if hasattr(job, name)}  # type: ignore[attr-defined]
    return Assignment(**shared, read_only=job.permissions != "write", log=log, mark=mark)


def settings_of(job: Job) -> AgentSettings:
    return AgentSettings(job.programs, job.environment, job.command)


JOB, LOCK, RUNNER, STOP = "job.json", "lock", "runner.json", "stop"
EVENTS, LOG, RUNNER_LOG, OUTCOME = "events.jsonl", "log", "runner.log", "outcome.json"
RESERVE = "reserve"


def save_job(place: str, job: Job, mark: str) -> None:
    """Write the job down. It need not survive a power cut, since none of its processes does."""
    write_whole(f"{place}/{JOB}", encode({"mark": mark, "job": pack(job)}), durable=False)


def load_job(place: str) -> tuple[Job, str]:
    """The job and its mark. Raises `ValueError` or `OSError` where there is none."""
    told = load_object(f"{place}/{JOB}")
    job = unpack(told.get("job"))
    if not isinstance(job, Job):
        raise ValueError("this is no job")
    return job, str(told["mark"])


def load_mark(place: str) -> str:
    """The mark of the job's processes; "" where nothing was ever started."""
    try:
        return str(load_object(f"{place}/{JOB}").get("mark", ""))
    except (OSError, ValueError):
        return ""


def save_runner(place: str, pid: int, started: str) -> None:
    write_whole(f"{place}/{RUNNER}", encode({"pid": pid, "started": started}))


def load_runner(place: str) -> tuple[int, str] | None:
    """The process that runs the job, or did: its number and its start. None where none has begun."""
    try:
        told = load_object(f"{place}/{RUNNER}")
        return int(str(told["pid"])), str(told["started"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError):
        return 0, ""  # a runner has begun, and cannot be asked


def open_lock(place: str) -> int:
    """The file that is locked, with a number out of the way of the standard streams."""
    descriptor = os.open(f"{place}/{LOCK}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_held(place: str) -> bool:
    try:
        descriptor = os.open(f"{place}/{LOCK}", os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def read_text(path: str) -> str:
    """A file of ours. Raises `OSError`, or `ValueError` where it is no text."""
    with open(path, encoding="utf-8", errors="surrogatepass") as file:
        return file.read()


def answers_file(place: str, number: int) -> str:
    return f"{place}/answers-{number}.json"


def load_object(path: str) -> dict[str, object]:
    """What a file of ours holds. Raises `OSError` or `ValueError`."""
    told = decode(read_text(path))
    if not isinstance(told, dict):
        raise ValueError(f"{path} holds no object")
    return told
