"""The folder of a job: what is to be done, who does it, what happened, how it ended.

job.json        the job and the mark of its processes; written before the runner is started
lock            held by the runner as long as it lives, and by planrail while it starts one
runner.json     the runner's identity; written before the agent is started
stop            somebody wants it to end
events.jsonl    what the agent does, one event on a line
log             all that is said in both directions
runner.log      what goes wrong in the runner itself
reserve         room on the disk for the outcome, since a log can fill it
outcome.json    how it ended; written under another name and renamed, once nothing of the agent is left
"""

import fcntl
import os

from planrail.agents.jobs.job import Job
from planrail.base.decoding import decode, encode
from planrail.base.values import pack, unpack

JOB, LOCK, RUNNER, STOP = "job.json", "lock", "runner.json", "stop"
EVENTS, LOG, RUNNER_LOG, OUTCOME = "events.jsonl", "log", "runner.log", "outcome.json"
RESERVE = "reserve"


def save_job(place: str, job: Job, mark: str) -> None:
    """Write the job down. It need not survive a power cut, since none of its processes does."""
    write_whole(f"{place}/{JOB}", encode({"mark": mark, "job": pack(job)}), is_durable=False)


def load_job(place: str) -> tuple[Job, str]:
    """The job and its mark. Raises `ValueError` or `OSError` where there is none."""
    told = _load(f"{place}/{JOB}")
    job = unpack(told.get("job"))
    if not isinstance(job, Job):
        raise ValueError("this is no job")
    return job, str(told["mark"])


def load_mark(place: str) -> str:
    """The mark of the job's processes; "" where nothing was ever started."""
    try:
        return str(_load(f"{place}/{JOB}").get("mark", ""))
    except (OSError, ValueError):
        return ""


def save_runner(place: str, pid: int, started: str) -> None:
    """Say who runs the job."""
    write_whole(f"{place}/{RUNNER}", encode({"pid": pid, "started": started}))


def load_runner(place: str) -> tuple[int, str] | None:
    """Who runs the job, or did: the number and the start of its process. None where nobody has begun."""
    try:
        told = _load(f"{place}/{RUNNER}")
        return int(str(told["pid"])), str(told["started"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError):
        return 0, ""  # somebody has begun, and cannot be asked


def open_lock(place: str) -> int:
    """The file that is locked, with a number out of the way of the standard streams."""
    descriptor = os.open(f"{place}/{LOCK}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Whether the lock is ours now."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_held(place: str) -> bool:
    """Whether somebody runs the job, or is about to start it."""
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


def write_whole(path: str, text: str, *, is_durable: bool = True) -> None:
    """Replace a file: a reader sees the old one or the new one; if durable, also after the power was cut."""
    temporary = f"{path}.{os.getpid()}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        data = text.encode("utf-8", "surrogatepass")
        while data:
            data = data[os.write(descriptor, data) :]
        if is_durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.rename(temporary, path)


def _load(path: str) -> dict[str, object]:
    told = decode(read_text(path))
    if not isinstance(told, dict):
        raise ValueError(f"{path} holds no object")
    return told
