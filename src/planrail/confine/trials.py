"""Which way of confining works on this machine? Each is tried: a write and a read must fail, and another write not."""

import functools
import os
import subprocess
import sys

from planrail.confine import seatbelt
from planrail.confine.backends import BUBBLEWRAP, LANDLOCK, NONE, SEATBELT, Backend, confine
from planrail.confine.policies import ON, check_policy
from planrail.confine.scratch import open_scratch

# Not the PATH: a program of the home folder that calls itself so would confine nothing.
_FOLDERS = ("/usr/bin", "/bin", "/usr/local/bin", "/run/wrappers/bin", "/run/current-system/sw/bin", "/opt/local/bin")
_SECONDS = 20
_REMEDIES = {
    BUBBLEWRAP: "allow it user namespaces: see docs/confinement.md",
    LANDLOCK: "apt install bubblewrap",
    SEATBELT: "see docs/confinement.md",
}
_TRIAL = "cat ../secret/key && exit 3; echo changed >../outside/canary && exit 4; echo fine >made"


@functools.cache
def find_backend() -> Backend:
    """The first way that passes its trial. Tried once in each process."""
    reasons = [] if sys.platform != "linux" or locate_bubblewrap() else ["bubblewrap is not installed"]
    remedy = "apt install bubblewrap" if reasons else ""
    for backend in list_backends():
        if not (reason := try_backend(backend)):
            return Backend(backend.name, backend.program, "; ".join(reasons), remedy)
        reasons.append(f"{backend.name}: {reason}")
        remedy = remedy or _REMEDIES[backend.name]
    return Backend(NONE, "", "; ".join(reasons) or f"nothing is known for {sys.platform}", remedy)


def list_backends() -> list[Backend]:
    """What this system might have, the best first."""
    program = locate_bubblewrap()
    found = [Backend(BUBBLEWRAP, program)] if program else []
    found += [Backend(LANDLOCK)] if sys.platform == "linux" else []
    return found + ([Backend(SEATBELT, seatbelt.PROGRAM)] if _is_program(seatbelt.PROGRAM) else [])


def locate_bubblewrap() -> str:
    return next(filter(_is_program, (os.path.join(folder, "bwrap") for folder in _FOLDERS)), "")


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def try_backend(backend: Backend) -> str:
    """Why a backend does not hold here; "" where it does."""
    try:
        with open_scratch() as top:
            return _try_in(top, backend)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)


def _try_in(top: str, backend: Backend) -> str:
    work, secret, outside, scratch = (os.path.join(top, name) for name in ("work", "secret", "outside", "scratch"))
    for folder in (work, secret, outside, scratch):
        os.mkdir(folder)
    for path in (key := os.path.join(secret, "key"), canary := os.path.join(outside, "canary")):
        with open(path, "w", encoding="utf-8") as file:
            file.write("as it was\n")
    given = {"PATH": os.defpath, "HOME": top}
    policy = check_policy(work, scratch, given, ON, readable=(outside, secret), hidden=(secret,))
    inside = confine(["/bin/sh", "-c", _TRIAL], policy, backend, given)
    done = subprocess.run(
        inside.argv,
        cwd=work,
        env=inside.environment,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=_SECONDS,
    )
    with open(canary, encoding="utf-8") as file:
        is_whole = file.read() == "as it was\n" and os.path.exists(key)
    if done.returncode == 0 and is_whole and os.path.exists(os.path.join(work, "made")):
        return ""
    last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
    return f"its trial ended with {done.returncode}" + "".join(f" ({line})" for line in last)
