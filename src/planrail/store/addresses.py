"""Addresses in words: what rows call the repository behind a remote, and a database's URL without its password."""

import os
import re

from planrail.git.git_writing import ask_git
from planrail.store.owners import host_identity
from planrail.store.places import common_directory

_PORTS = {"ssh": "22", "https": "443", "http": "80", "git": "9418", "git+ssh": "22", "ssh+git": "22"}
_URL = re.compile(
    r"^(?P<scheme>[a-z][a-z0-9+.-]*)://(?:[^@/]*@)?(?P<host>\[[^\]]*\]|[^/:]*)(?::(?P<port>\d*))?(?P<path>.*)$", re.I
)
_SCP = re.compile(r"^(?:[^@/]+@)?(?P<host>\[[^\]]*\]|[^/:@]+):(?P<path>.*)$", re.S)
_AUTHORITY = re.compile(r"(?:[^/?#]*@)?[^/?#@:]*(?::\d*)?(?:[/?#]|$)")  # a login, if any, a host, and a port
_HARMLESS = (
    *("host", "hostaddr", "port", "dbname", "user", "sslmode", "application_name", "connect_timeout"),
    *("target_session_attrs", "channel_binding", "gssencmode", "options"),
)


def name_repository(root: str | None) -> str:
    """What the rows of a team call a repository: the same on every machine that has it from the same remote."""
    if root is None:
        return f"{host_identity()}:"
    common = common_directory(root)
    home = os.path.dirname(common) if common and os.path.basename(common) == ".git" else common
    # By the remote that is called origin, else by the first one.
    remotes = sorted((ask_git(root, "remote") or "").split("\n"), key=lambda name: (name != "origin", name))
    named = next(filter(None, remotes), "")
    url = (ask_git(root, "remote", "get-url", named) or "").strip() if named else ""
    return name_remote(url, root) if url else f"{host_identity()}:{home or os.path.realpath(root)}"


def name_remote(url: str, root: str) -> str:
    """`host/owner/name` for a remote's URL of any spelling; the real path where the remote is a folder."""
    found = _URL.match(url)
    if found is None:
        scp = _SCP.match(url)
        return _join(_with_user(url, scp["host"], scp["path"]), scp["path"]) if scp else _folder(url, root)
    scheme = found["scheme"].lower()
    if scheme == "file":
        return _folder(found["path"], root)
    port = found["port"] or ""
    host = found["host"] + (f":{port}" if port and port not in ("22", "443", _PORTS.get(scheme)) else "")
    return _join(_with_user(url, host, found["path"].replace("/~", "~", 1)), found["path"])


def _with_user(url: str, host: str, path: str) -> str:
    """The host, with the user where a path begins at their home: there, two users have two repositories."""
    user = url.rpartition("://")[2].partition("@")[0].partition(":")[0] if "@" in url else ""
    is_at_home = not path.startswith("/")
    return f"{user}@{host}" if is_at_home and user not in ("", "git") else host


def hide_password(url: str) -> str:
    """A URL with stars for its password, wherever it stands in it: rather too much is hidden than too little."""
    scheme, sign, rest = url.partition("://") if "://" in url else ("", "", url)
    address, mark, query = rest.partition("?") if _AUTHORITY.match(rest) else (rest, "", "")
    login, at, place = address.rpartition("@")  # the last one: people paste passwords as they are
    user, colon, _ = login.partition(":")
    shown = f"{user}:***{at}{place}" if colon else address
    if not mark:  # what was pasted had a ? in it
        shown, mark, query = shown.partition("?")
    parts = [part.partition("=") for part in query.split("&")]
    safe = [f"{name}{is_}{said if name.lower() in _HARMLESS else '***' * bool(is_)}" for name, is_, said in parts]
    return scheme + sign + shown + mark + "&".join(safe)


def _join(host: str, path: str) -> str:
    bare = path.strip("/").removesuffix(".git").rstrip("/")
    return f"{host.lower()}/{bare}"


def _folder(path: str, root: str) -> str:
    return os.path.realpath(os.path.join(root, path))
