"""A server is started, waited for, and gone afterwards: whatever it does to stay."""

import contextlib
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from planrail.runs.checks.kept_programs import ProgramOrder
from planrail.runs.checks.leftovers import make_mark
from planrail.runs.ui.dev_servers import Address, Served, read_address, serve
from tests.support.lanes import soak
from tests.support.run_traces import find_processes
from tests.ui.stages import AFTER, SERVER

if sys.platform != "linux":
    pytest.skip("processes are looked for in /proc", allow_module_level=True)

PYTHON = shlex.quote(sys.executable)
_DAEMON = """
import os
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
"""
_FORGETFUL = (
    _DAEMON + "import sys; os.execve(sys.executable, [sys.executable, 'plain.py'], {'PORT': os.environ['PORT']})"
)
_STUBBORN = "import signal; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]\n"
_PATIENCE = 60.0


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "page.html").write_text(AFTER)
    (folder / "plain.py").write_text(SERVER)
    yield folder
    for pid in find_processes(tmp_path):
        os.kill(pid, signal.SIGKILL)


def _address(url: str = "http://127.0.0.1:0") -> Address:
    made = read_address(url)
    assert isinstance(made, Address)
    return made


def _order(shop: Path, command: str) -> ProgramOrder:
    environment = {"PATH": os.environ["PATH"]}
    return ProgramOrder([command], str(shop), environment, str(shop.parent / "logs" / "server.log"))


def _serve(shop: Path, program: str, ready: float = _PATIENCE) -> tuple[Served, dict[int, str], dict[int, str]]:
    """How a server was found, what ran meanwhile, and what ran afterwards."""
    (shop / "serve.py").write_text(program)
    with serve(_order(shop, f"exec {PYTHON} serve.py"), _address(), ready) as served:
        meanwhile = find_processes(shop)
    return served, meanwhile, find_processes(shop)


@pytest.mark.full
def test_a_server_answers_at_a_free_port_though_it_is_broken_and_is_gone_afterwards(shop: Path) -> None:
    told = "import os; open('env', 'w').write(' '.join(sorted(os.environ)))\n"
    served, meanwhile, afterwards = _serve(shop, told + SERVER.replace("200 if", "500 if"))
    assert (served.status, served.problem) == (500, "")
    assert served.port > 0
    assert meanwhile
    assert afterwards == {}
    assert "the shop is open" in (shop.parent / "logs" / "server.log").read_text()
    assert _list_private(shop) == []
    seen = set((shop / "env").read_text().split())  # no more than it is given
    assert seen - {"PWD", "LC_CTYPE", "_", "SHLVL", "OLDPWD"} == {"PATH", "TMPDIR", "PORT", "BROWSER", "CHECK_ID"}


@pytest.mark.full
@pytest.mark.parametrize(
    "program", [soak(_DAEMON + SERVER), _FORGETFUL, soak(_STUBBORN + SERVER)], ids=["daemon", "env", "deaf"]
)
def test_a_server_that_wants_to_stay_is_gone_as_well(shop: Path, program: str) -> None:
    served, meanwhile, afterwards = _serve(shop, program)
    assert served.status == 200, served
    assert meanwhile
    assert afterwards == {}


@pytest.mark.soak
def test_a_server_that_never_answers_is_told_with_its_last_words(shop: Path) -> None:
    served, _, afterwards = _serve(shop, "import time; print('I only sleep', flush=True); time.sleep(600)", 1.0)
    assert "did not answer" in served.problem
    assert "within 1 seconds" in served.problem
    assert "I only sleep" in served.problem
    assert afterwards == {}


def test_a_server_that_fails_is_not_waited_for(shop: Path) -> None:
    served, _, afterwards = _serve(shop, "raise SystemExit('no database')", 600.0)
    assert "ended with 1" in served.problem
    assert "no database" in served.problem
    assert afterwards == {}


def test_a_port_that_somebody_else_has_is_left_alone(shop: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        (shop / "serve.py").write_text("open('started', 'w')")
        with serve(_order(shop, f"{PYTHON} serve.py"), _address(f"http://localhost:{port}"), 5.0) as served:
            assert f"port {port} is in use" in served.problem
    assert not (shop / "started").exists()


_PARENT = """
import shlex, sys, time
from planrail.runs.checks.kept_programs import ProgramOrder, keep
command = ["/bin/sh", "-c", "exec " + shlex.quote(sys.executable) + " serve.py"]
order = ProgramOrder(command, sys.argv[1], {"PATH": "/usr/bin:/bin", "PORT": "0"}, sys.argv[2])
with keep(order):
    print("running", flush=True)
    time.sleep(600)
"""


@contextlib.contextmanager
def _another_planrail(shop: Path) -> "Iterator[subprocess.Popen[str]]":
    """Another process that keeps a server, which has begun."""
    command = [sys.executable, "-c", _PARENT, str(shop), _order(shop, "").log]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        try:
            _wait(lambda: _count_servers(shop) == 1)
            yield parent
        finally:
            parent.kill()


@pytest.mark.full
def test_when_planrail_is_killed_the_program_ends_by_itself(shop: Path) -> None:
    (shop / "serve.py").write_text(_DAEMON + SERVER)
    with _another_planrail(shop) as parent:
        parent.kill()
    _wait(lambda: not find_processes(shop))
    assert _list_private(shop) == []


@pytest.mark.full
def test_what_outlived_its_keeper_is_ended_by_the_next_call(shop: Path) -> None:
    """Somebody killed planrail and the keeper: the server is known by its mark."""
    (shop / "serve.py").write_text(SERVER)
    with _another_planrail(shop) as parent:
        for pid in [pid for pid, command in find_processes(shop).items() if "checks.keeper" in command]:
            os.kill(pid, signal.SIGKILL)
        parent.kill()
    assert _count_servers(shop) == 1
    with serve(_order(shop, f"exec {PYTHON} serve.py"), _address(), _PATIENCE) as served:
        assert served.status == 200
        assert _count_servers(shop) == 1
    assert find_processes(shop) == {}
    assert _list_private(shop) == []


def _list_private(shop: Path) -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob(f"planrail-{make_mark(_order(shop, '').log)}-*"))


def _count_servers(shop: Path) -> int:
    return list(find_processes(shop).values()).count(f"{sys.executable} serve.py ")


def _wait(what: Callable[[], object]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.02)
