"""The programs that planrail is measured beside: `install [NAME ...]` puts them into .peers, `list` shows them.

A program in .peers is preferred to one on the PATH. Each is installed apart from the others, so that one that cannot
be installed takes no other with it; which index serves pip and npm is theirs to know.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), ".peers")
SECONDS_A_CALL = 900


@dataclass(frozen=True)
class Peer:
    """A program, and the package of pip or npm that provides it; `script` is its path in one that installs none."""

    name: str
    manager: str
    package: str
    script: str = ""


PEERS = (
    Peer("specify", "pip", "specify-cli"),
    Peer("openspec", "npm", "@fission-ai/openspec"),
    Peer("backlog", "npm", "backlog.md"),
    Peer("bd", "npm", "@beads/bd"),
    Peer("task-master", "npm", "task-master-ai"),
)
# Those that are asked only what they say about their own files: `make bench-peers` measures none of them.
REFEREES = (
    Peer("spec-kitty", "pip", "spec-kitty-cli"),
    Peer("gsd-tools", "npm", "get-shit-done-cc", "get-shit-done/bin/gsd-tools.cjs"),
)


class NotInstalled(Exception):
    """Why a peer could not be installed, in a line."""


def peer_environment(home: str) -> dict[str, str]:
    """The environment for a peer: a home of its own to write to, and no calls home that would be charged to it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    quiet = {"DO_NOT_TRACK": "1", "OPENSPEC_TELEMETRY": "0", "NO_UPDATE_NOTIFIER": "1", "BEADS_NO_DAEMON": "1"}
    return {**kept, **quiet, "HOME": home, "NO_COLOR": "1"}


def find(peer: Peer) -> str | None:
    """The path of a peer's program, in .peers or on the PATH, whether or not it works."""
    place = os.path.join("node_modules", peer.package, peer.script) if peer.script else _programs(peer)
    own = os.path.join(_folder(peer), place) if peer.script else os.path.join(_folder(peer), place, peer.name)
    return own if os.path.exists(own) else shutil.which(peer.name)


def version(peer: Peer, environment: Mapping[str, str]) -> str:
    """The version that a peer's program states, or `NotInstalled` where there is none that works."""
    program = find(peer)
    if program is None:
        raise NotInstalled("not in .peers, not on the PATH")
    if peer.script:
        return "unknown"  # it has no word for its version
    answer = _call([program, "--version"], environment["HOME"], environment)
    return next((word for word in answer.split() if word.strip("v(")[:1].isdigit()), "unknown")


def install(peer: Peer, environment: Mapping[str, str]) -> None:
    """Install a peer into .peers so that it works, or raise `NotInstalled` and leave nothing behind."""
    try:
        os.makedirs(_folder(peer), exist_ok=True)
        (_install_with_pip if peer.manager == "pip" else _install_with_npm)(peer)
        version(peer, environment)
    except NotInstalled:
        shutil.rmtree(_folder(peer))
        raise


def main(argv: Sequence[str]) -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(prog="bench/peers.py", description=__doc__)
    parser.add_argument("action", choices=("install", "list"))
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these (default: those that are measured)")
    arguments = parser.parse_args(argv)
    known = (*PEERS, *REFEREES)
    unknown = sorted(set(arguments.names) - {peer.name for peer in known})
    if unknown:
        parser.error(f"no such peer: {', '.join(unknown)}; known are {', '.join(peer.name for peer in known)}")
    for peer in known:
        if peer.name in (arguments.names or [peer.name for peer in PEERS]):
            print(_state(peer) if arguments.action == "list" else _installed(peer), flush=True)
    return 0


def _installed(peer: Peer) -> str:
    """Install a peer unless it works already; a line about the outcome."""
    environment = _own_environment()
    try:
        version(peer, environment)
    except NotInstalled:
        print(f"{peer.name:<12} installing {peer.package} with {peer.manager} ...", file=sys.stderr, flush=True)
        try:
            install(peer, environment)
        except NotInstalled as reason:
            return f"{peer.name:<12} not installed: {reason}"
    return _state(peer)


def _state(peer: Peer) -> str:
    try:
        found = version(peer, _own_environment())
    except NotInstalled as reason:
        return f"{peer.name:<12} not installed: {reason}"
    place = "in .peers" if (find(peer) or "").startswith(FOLDER + os.sep) else "on the PATH"
    return f"{peer.name:<12} {found}, {place}"


def _install_with_pip(peer: Peer) -> None:
    folder = _folder(peer)
    _call([sys.executable, "-m", "venv", folder], folder)
    _call([os.path.join(folder, "bin", "python"), "-m", "pip", "install", "-qq", peer.package], folder)


def _install_with_npm(peer: Peer) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise NotInstalled("npm is not on the PATH")
    # In its own folder: npm takes a package name for a path where a folder of that name is at hand.
    options = ("--prefix", ".", "--loglevel=error", "--no-audit", "--no-fund")
    _call([npm, "install", *options, peer.package], _folder(peer))


def _folder(peer: Peer) -> str:
    return os.path.join(FOLDER, peer.name)


def _programs(peer: Peer) -> str:
    return "bin" if peer.manager == "pip" else os.path.join("node_modules", ".bin")


def _own_environment() -> dict[str, str]:
    home = os.path.join(FOLDER, "home")
    os.makedirs(home, exist_ok=True)
    return peer_environment(home)


def _call(command: Sequence[str], folder: str, environment: Mapping[str, str] | None = None) -> str:
    """What a program answers; `NotInstalled` with its complaint where it fails. An installer runs as the user would."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS_A_CALL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstalled(str(error)) from None
    if done.returncode:
        raise NotInstalled(_complaint(done.stderr) or f"exit code {done.returncode}")
    return done.stdout


def _complaint(text: str) -> str:
    """The line of a complaint that says most: the first with "Error" or "ERROR" in it, else the first; no addresses."""
    lines = [line.removeprefix("npm error").strip() for line in text.splitlines() if "://" not in line]
    telling = [line for line in lines if "Error" in line or "ERROR" in line]
    return next(filter(None, telling + lines), "")[:160]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
