"""The project's own server, started on a tree to be looked at and waited for until it answers. On this machine only."""

import contextlib
import ipaddress
import os
import socket
import time
from collections.abc import Iterator, Sequence
from urllib.parse import urljoin, urlsplit, urlunsplit

from planrail.base.crash_points import reach
from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.base.run_model import Finding
from planrail.base.state_folder import state_folder
from planrail.git.git_writing import hold
from planrail.runs.checks.kept_programs import KeptProgram, ProgramOrder, clear_forgotten, keep
from planrail.runs.phases.viewpoints import odd_page

ANY_PORT = 0  # in an address: a port that is free, which the server is told in $PORT
_PORTS = {"http": 80, "https": 443}

_SHELL = "/bin/sh"
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 0.3
_ANSWER = 10.0  # seconds that one answer may take
_PATIENCE = 900.0  # seconds that others may look at their server on the same port
_BROKEN = 500  # answers from here on: it is there, and not well


@record
class Address:
    """Where a server of this machine answers."""

    host: str
    port: int
    url: str


@record
class ShownPage:
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
    return Address(host, _PORTS[parts.scheme] if port is None else port, clean)


def is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def locate_pages(address: Address, names: Sequence[str]) -> tuple[list[ShownPage], list[Finding]]:
    """The pages to take pictures of, and what is wrong with the names of others. Without names, the address itself."""
    pages, findings = [], []
    parts = urlsplit(address.url)
    for name in dict.fromkeys(names or [urlunsplit(("", "", parts.path or "/", parts.query, ""))]):
        try:
            url = urljoin(address.url, name.strip())
        except ValueError:
            url = ""
        if origin_of(url) == origin_of(address.url):
            pages.append(ShownPage(name, url))
        else:
            findings.append(odd_page(name, f"it is not a page of {address.url}, so no picture was taken of it"))
    return pages, findings


def with_port(url: str, port: int) -> str:
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return urlunsplit((parts.scheme, f"{host}:{port}", *parts[2:]))


def origin_of(url: str) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port if parts.port is not None else _PORTS.get(parts.scheme, 0)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.hostname}:{port}" if parts.hostname else ""


@record
class Served:
    """A server that answers at `port`; or `problem`, why none does. `status` is what it answered."""

    port: int
    status: int = 0
    problem: str = ""


@contextlib.contextmanager
def serve(order: ProgramOrder, address: Address, ready: float) -> Iterator[Served]:
    """Have a server run as long as this is open; `order.command` is one shell script. Nothing of it is left then.

    Its port is the address's, or a free one; it is told in `PORT`. A port that another process has is left alone.
    """
    clear_forgotten(order.log)
    with contextlib.ExitStack() as stack:
        port = address.port
        if not port:
            family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                probe.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0))
                port = int(probe.getsockname()[1])
        problem = _reserve(stack, address, port)
        if problem:
            yield Served(port, problem=problem)
            return
        told = {**order.environment, "PORT": str(port), "BROWSER": "none"}
        program = stack.enter_context(keep(ProgramOrder([_SHELL, "-c", *order.command], order.folder, told, order.log)))
        reach("view.served")
        served = _await_answer(program, with_port(address.url, port), port, ready)
        if served.problem:  # the last words of the server may say why
            last = " / ".join(line.strip() for line in program.end().strip().splitlines()[-3:] if line.strip())[-300:]
            served = Served(port, problem=f"{served.problem}; it said{f': {last}' if last else ' nothing'}")
        yield served


def _reserve(stack: contextlib.ExitStack, address: Address, port: int) -> str:
    """Let no other planrail use the port meanwhile; "" or why this one cannot be used."""
    if address.port != ANY_PORT:
        try:
            stack.enter_context(hold(os.path.join(state_folder(), "ports", f"{port}.lock"), _PATIENCE))
        except ToolFailed:
            return f"another run looks at its own server on port {port}"
    for place in _places(address.host, port):
        with contextlib.suppress(OSError):
            socket.create_connection(place, timeout=1.0).close()
            return (
                f"port {port} is in use by another program, so what answers there is not this work; "
                "stop that program, or let [ui] url have port 0 and the server use $PORT"
            )
    return ""


def _places(host: str, port: int) -> list[tuple[str, int]]:
    """Where a name leads on this machine."""
    name = "localhost" if host.endswith(".localhost") else host
    try:
        found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return [(str(place[0]), port) for *_, place in found if is_loopback(str(place[0]))]


def _await_answer(program: KeptProgram, url: str, port: int, ready: float) -> Served:
    """Ask until it answers well, or its time is over, or it has failed."""
    deadline, pause, status = time.monotonic() + ready, _FIRST_PAUSE, 0
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            break
        status = _ask(url, min(left, _ANSWER)) or status
        if 0 < status < _BROKEN:
            return Served(port, status)
        code = program.code
        if code:  # one that ended well may have left a service behind
            return Served(port, problem=f"the server ended with {code} before it answered at {url}")
        time.sleep(min(pause, max(left, 0.0)))
        pause = min(pause * 1.5, _LONGEST_PAUSE)
    if status:
        return Served(port, status)
    return Served(port, problem=f"the server did not answer at {url} within {ready:g} seconds")


def _ask(url: str, seconds: float) -> int:
    """What a server answers to a request for a page; 0 where nobody does."""
    import http.client  # most runs show nothing, and each run and worker would pay a fifth of its imports for it
    import ssl

    parts = urlsplit(url)
    for host, port in _places(parts.hostname or "", parts.port or 0):
        connection = http.client.HTTPConnection(host, port, timeout=seconds)
        if parts.scheme == "https":
            trusting = ssl.create_default_context()  # a project makes the certificate of its own machine itself
            trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
            connection = http.client.HTTPSConnection(host, port, timeout=seconds, context=trusting)
        try:
            connection.request("GET", f"{parts.path}?{parts.query}".rstrip("?"), headers={"Host": parts.netloc})
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            continue
        finally:
            connection.close()
    return 0
