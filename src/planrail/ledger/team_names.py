"""Names from addresses, without asking anybody: what a URL calls a repository, and a URL without its secrets."""

import os
import re

_PORTS = {"ssh": "22", "https": "443", "http": "80", "git": "9418", "git+ssh": "22", "ssh+git": "22"}
_URL = re.compile(
    r"^(?P<scheme>[a-z][a-z0-9+.-]*)://(?:[^@/]*@)?(?P<host>\[[^\]]*\]|[^/:]*)(?::(?P<port>\d*))?(?P<path>.*)$", re.I
)
_SCP = re.compile(r"^(?:[^@/]+@)?(?P<host>\[[^\]]*\]|[^/:@]+):(?P<path>.*)$", re.S)
_SECRET = re.compile(r"([?&](?:password|sslpassword|passfile)=)[^&]*", re.I)


def name_remote(url: str, root: str) -> str:
    """`host/owner/name` for a remote's URL of any spelling; the real path where the remote is a folder."""
    found = _URL.match(url)
    if found is None:
        scp = _SCP.match(url)
        return _join(scp["host"], scp["path"]) if scp else _folder(url, root)
    scheme = found["scheme"].lower()
    if scheme == "file":
        return _folder(found["path"], root)
    port = found["port"] or ""
    host = found["host"] + (f":{port}" if port and port not in ("22", "443", _PORTS.get(scheme)) else "")
    return _join(host, found["path"])


def hide_secrets(url: str) -> str:
    """A URL with stars for its password, wherever it stands in it: rather too much is hidden than too little."""
    scheme, _, rest = url.rpartition("://")
    login, sign, place = rest.rpartition("@")  # the last one: people paste passwords as they are
    user, colon, _ = login.partition(":")
    shown = f"{user}:***{sign}{place}" if colon else rest
    return _SECRET.sub(r"\1***", f"{scheme}://{shown}" if scheme else shown)


def _join(host: str, path: str) -> str:
    return f"{host.lower()}/{_bare(path.strip('/'))}"


def _folder(path: str, root: str) -> str:
    return os.path.realpath(os.path.join(root, path))


def _bare(path: str) -> str:
    return path.removesuffix(".git").rstrip("/")
