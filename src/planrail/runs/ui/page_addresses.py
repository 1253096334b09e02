"""Where pages are: a server that planrail starts itself, on this machine and nowhere else. Pure."""

import ipaddress
from collections.abc import Sequence
from urllib.parse import urljoin, urlsplit, urlunsplit

from planrail.base.records import record
from planrail.base.run_model import Finding
from planrail.runs.phases.viewpoints import odd_page

ANY_PORT = 0  # in an address: a port that is free, which the server is told in $PORT
_PORTS = {"http": 80, "https": 443}


@record
class Address:
    """Where a server of this machine answers."""

    scheme: str
    host: str
    port: int
    url: str


@record
class Page:
    """A page to take a picture of."""

    name: str
    url: str


def read_address(url: str) -> Address | str:
    """Where the server answers, or why that is no address which planrail would look at."""
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return f"[ui] url is {url!r}, which is no address"
    if parts.scheme not in _PORTS or not host or parts.username is not None:
        return f"[ui] url is {url!r}; it has to be an address such as http://127.0.0.1:3000"
    if not is_loopback(host):
        return f"[ui] url is {url!r}, which is not on this machine; planrail looks at loopback addresses only"
    clean = urlunsplit((parts.scheme, parts.netloc, parts.path or "/", parts.query, ""))
    return Address(parts.scheme, host, _PORTS[parts.scheme] if port is None else port, clean)


def is_loopback(host: str) -> bool:
    """Whether a host name or number means this machine and nobody else's."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def locate_pages(address: Address, names: Sequence[str]) -> tuple[list[Page], list[Finding]]:
    """The pages to take pictures of, and what is wrong with the names of others. Without names, the address itself."""
    pages, findings = [], []
    for name in dict.fromkeys(names or [_path_of(address.url)]):
        url = _join(address.url, name)
        if origin_of(url) == origin_of(address.url):
            pages.append(Page(name, url))
        else:
            findings.append(odd_page(name, f"it is not a page of {address.url}, so no picture was taken of it"))
    return pages, findings


def with_port(url: str, port: int) -> str:
    """The same address at a port that was chosen for it."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return urlunsplit((parts.scheme, f"{host}:{port}", *parts[2:]))


def origin_of(url: str) -> str:
    """Scheme, host and port of an address; "" where it has none."""
    try:
        parts = urlsplit(url)
        port = parts.port if parts.port is not None else _PORTS.get(parts.scheme, 0)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.hostname}:{port}" if parts.hostname else ""


def _join(base: str, name: str) -> str:
    try:
        return urljoin(base, name.strip())
    except ValueError:
        return ""


def _path_of(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(("", "", parts.path or "/", parts.query, ""))
