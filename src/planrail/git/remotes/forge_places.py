"""Which forge a repository belongs to: host, owner and name, from the addresses of its remotes.

The remote that planrail pushes to decides, unless the person has told `gh` of another one (`gh repo set-default`), as
those do who push to a fork.
"""

import re
import subprocess
from urllib.parse import urlsplit

from planrail.base.errors import PlanrailError
from planrail.base.records import record
from planrail.git.git_writing import ask_git, clean_environment

_SCHEMES = ("https", "http", "ssh", "git", "git+ssh")
_SECONDS = 10


@record
class Forge:
    """A repository on a forge. `head_owner` owns the branches that planrail pushes: another one, where it is a fork."""

    host: str
    owner: str
    name: str
    head_owner: str
    base_remote: str  # where the target is fetched from

    @property
    def path(self) -> str:
        return f"repos/{self.owner}/{self.name}"

    @property
    def spelling(self) -> str:
        """How `gh` names it."""
        return f"{self.host}/{self.owner}/{self.name}"


def locate_forge(root: str, remote: str) -> Forge:
    """The forge of a remote. Raises `PlanrailError` where its address is none of a forge."""
    pushed = _place_of(root, remote)
    if pushed is None:
        address = hide_credentials(ask_git(root, "config", "--get", f"remote.{remote}.url") or "no address").strip()
        raise PlanrailError(
            f"{remote} ({address}) is no repository on a forge that gh knows",
            remedy=f"git remote set-url {remote} URL",
        )
    chosen, base = _chosen_base(root) or (remote, pushed)
    return Forge(*base, head_owner=pushed[1], base_remote=chosen)


def hide_credentials(text: str) -> str:
    """Text without what stands before the host in an address: that can be a token."""
    return re.sub(r"(?<=://)[^/@\s]+@", "", text)


def read_address(address: str) -> tuple[str, str, str] | None:
    """Host, owner and name of an address as git takes it; None for a path, or what is no repository of an owner."""
    if "://" not in address and ":" in address and not address.startswith(("/", ".", "~")):
        host, _, path = address.partition(":")  # user@host:owner/name
        return _place(host.rpartition("@")[2], path)
    parts = urlsplit(address)
    if parts.scheme not in _SCHEMES or not parts.hostname:
        return None
    return _place(parts.hostname, parts.path)


def _place(host: str, path: str) -> tuple[str, str, str] | None:
    names = path.strip("/").removesuffix(".git").split("/")
    if len(names) != 2 or not all(_is_name(name) for name in (host, *names)):
        return None
    return host.lower(), names[0], names[1]


def _is_name(text: str) -> bool:
    return text.replace("-", "").replace("_", "").replace(".", "").isalnum() and text.isascii() and text[0] != "-"


def _place_of(root: str, remote: str) -> tuple[str, str, str] | None:
    """First the address that git would use, then the one that was written down: `insteadOf` goes both ways."""
    used = ask_git(root, "remote", "get-url", "--", remote) or ""
    written = ask_git(root, "config", "--get", f"remote.{remote}.url") or ""
    for address in (used.strip(), written.strip()):
        if place := read_address(address):
            is_ssh = "://" not in address or "ssh" in address.partition("://")[0]
            return (_real_host(place[0]) if is_ssh else place[0]), *place[1:]
    return None


def _real_host(alias: str) -> str:
    """What ssh makes of a host: its settings may give it another name."""
    try:
        done = subprocess.run(
            ["ssh", "-G", "--", alias],
            env=clean_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return alias
    lines = (line.split(" ", 1) for line in done.stdout.splitlines())
    host = next((line[1].lower() for line in lines if line[0] == "hostname" and len(line) == 2), alias)
    return host.removeprefix("ssh.") if host == "ssh.github.com" else host


def _chosen_base(root: str) -> tuple[str, tuple[str, str, str]] | None:
    printed = ask_git(root, "config", "--get-regexp", r"^remote\..*\.gh-resolved$") or ""
    for line in printed.splitlines():
        key, _, chosen = line.partition(" ")
        remote = key.removeprefix("remote.").removesuffix(".gh-resolved")
        if chosen == "base" and (place := _place_of(root, remote)):
            return remote, place
    return None
