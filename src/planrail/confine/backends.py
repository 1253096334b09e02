"""Which way of confining works on this machine? Each is tried: a write and a read must fail, and another write not."""

import functools
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

from planrail.base.records import record
from planrail.confine import bubblewrap, seatbelt
from planrail.confine.policies import (
    ON,
    PRIVATE,
    READ,
    WRITE,
    AccessRule,
    Confinement,
    check_policy,
    inner_environment,
    settle,
)

BUBBLEWRAP, LANDLOCK, SEATBELT, NONE = "bubblewrap", "landlock", "seatbelt", "none"
# Not the PATH: a program of the home folder that calls itself so would confine nothing.
_FOLDERS = ("/usr/bin", "/bin", "/usr/local/bin", "/run/wrappers/bin", "/run/current-system/sw/bin", "/opt/local/bin")
_SECONDS = 20
_REMEDIES = {
    BUBBLEWRAP: "allow it user namespaces: see docs/confinement.md",
    LANDLOCK: "apt install bubblewrap",
    SEATBELT: "see docs/confinement.md",
}
_TRIAL = "cat ../secret/key && exit 3; echo changed >../outside/canary && exit 4; echo fine >made"


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
    from planrail.confine import landlock  # with ctypes; a check that is not confined pays for none of this

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


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def try_backend(backend: Backend) -> str:
    """Why a backend does not hold here; "" where it does."""
    try:
        from planrail.confine.scratch import open_scratch

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
