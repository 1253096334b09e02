"""What a check tries to reach past its workspace, with real programs: nothing succeeds under bubblewrap, and of
Landlock this file says what remains, as docs/confinement.md does."""

import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.confine.backends import BUBBLEWRAP, LANDLOCK
from planrail.confine.policies import OFF, ON, Confinement, check_policy
from tests.confine.outside import BOTH, SECRET, Outside, need, open_outside

_PYTHON = shlex.quote(sys.executable)
ATTEMPTS = {
    "write a file above the workspace": 'echo x >"$TOP/rooms/conftest.py"',
    "write a file two folders above": 'echo x >"$TOP/package.json"',
    "write into the home folder": 'echo x >"$TOP/home/.bashrc"',
    "append to a key": 'echo x >>"$TOP/home/.ssh/id"',
    "write into planrail's state": 'echo x >"$TOP/state/ledger"',
    "write into another workspace": 'echo x >"$TOP/rooms/other/own"',
    "write into the user's project": 'echo x >"$TOP/project/canary"',
    "write through a link of the workspace": "echo x >link/canary; echo x >link/new",
    "remove a file outside": 'rm -f "$TOP/project/canary"',
    "move a folder away": 'mv "$TOP/project" "$TOP/gone"; mv ../other ../gone',
    "move the workspace itself": 'mv "$TOP/rooms/work" "$TOP/rooms/moved"',
    "cut a file short": 'truncate -s 0 "$TOP/project/canary"',
    "link a file of others into the workspace": 'ln "$TOP/project/canary" hard && echo x >hard',
    "make a folder outside": 'mkdir "$TOP/new"',
    "rename over a file outside": 'mv own "$TOP/project/canary"',
    "change a mode": 'chmod 777 "$TOP/project/canary"',
    "change a time": 'touch -d 2001-01-01 "$TOP/project/canary"',
    "read a key": 'cat "$TOP/home/.ssh/id"',
    "read a key through a link": "cat link_to_key",
    "read a password beside a cache": 'cat "$TOP/home/.cargo/credentials.toml"',
    "read a cloud's credentials": 'cat "$TOP/home/.aws/credentials"',
    "read an agent's login": 'cat "$TOP/home/.claude/login.json"',
    "read planrail's state": 'cat "$TOP/state/canary"',
    "read another workspace": "cat ../other/canary",
    "read a file above": "cat ../../canary",
    "read through another process": 'cat "/proc/$SLEEPER/root$TOP/state/canary"; cat "/proc/$SLEEPER/cwd/canary"',
    "end a process": 'kill -9 "$SLEEPER"',
    "trace a process": f'{_PYTHON} -c \'import ctypes, os; print("traced" * (ctypes.CDLL(None).ptrace(16, int(os.environ["SLEEPER"]), 0, 0) == 0))\'',
    "become root by a setuid program": "command -v su >/dev/null && su -c 'cat \"$TOP/state/canary\"' </dev/null",
    "mount over what hides": 'umount -l "$TOP/state"; umount -l "$TOP"; mount -t tmpfs none "$TOP/project"; cat "$TOP/state/canary"',
    "leave by another namespace": 'unshare -Urm sh -c \'umount -l "$TOP/state"; cat "$TOP/state/canary"\'; nsenter -t 1 -m cat "$TOP/state/canary"',
    "leave by a second root": 'chroot / cat "$TOP/state/canary"',
    "reach a server on this machine": f'{_PYTHON} -c \'import os, socket; socket.create_connection(("127.0.0.1", int(os.environ["PORT"])))\'',
    "reach a socket by its path": f'{_PYTHON} -c \'import os, socket; socket.socket(1).connect(os.environ["TOP"] + "/s")\'',
    "reach a socket by its name": f'{_PYTHON} -c \'import os, socket; socket.socket(1).connect("\\0" + os.environ["NAME"])\'',
    "find the agent of ssh": 'test -z "$SSH_AUTH_SOCK" || echo traced',
    "leave a process behind": f'{_PYTHON} -c \'import os, time; os.fork() or (os.setsid(), os.fork() or time.sleep(0)); open(os.environ["TOP"] + "/late", "w")\'',
}
# Landlock knows no right for these; a sealed process (planrail look) is held by a filter of system calls.
_NEEDS_MORE = {  # the rights of root, which a test takes nowhere but inside
    *(
        "become root by a setuid program",
        "mount over what hides",
        "leave by another namespace",
        "leave by a second root",
    ),
    "trace a process",
}
REMAINS = {"change a mode", "change a time", "reach a socket by its path"}


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Outside]:
    with open_outside(tmp_path) as made:
        yield made


def _policy(outside: Outside, network: str = OFF) -> Confinement:
    hidden = [str(outside.state), str(outside.top)]
    return check_policy(str(outside.work), str(outside.scratch), outside.environment(), network, hidden=hidden)


def _reached(outside: Outside, attempt: str, policy: Confinement, name: str) -> list[str]:
    before = outside.observe()
    done = outside.run(ATTEMPTS[attempt], policy, need(name))
    return _seen(outside, before, done.stdout + done.stderr)


def _seen(outside: Outside, before: object, said: str) -> list[str]:
    """What an attempt has reached, by its effect."""
    found = ["changed"] if outside.observe() != before else []
    found += ["read"] if SECRET in said or "traced" in said else []
    found += ["connected"] if outside.has_heard() else []
    return found + (["ended"] if outside.is_sleeper_gone() else [])


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_no_attempt_succeeds_under_bubblewrap(outside: Outside, attempt: str) -> None:
    assert _reached(outside, attempt, _policy(outside), BUBBLEWRAP) == []


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_of_landlock_is_known_which_attempts_remain(outside: Outside, attempt: str) -> None:
    assert bool(_reached(outside, attempt, _policy(outside), LANDLOCK)) == (attempt in REMAINS)


@pytest.mark.parametrize("attempt", sorted(ATTEMPTS.keys() - _NEEDS_MORE))
def test_each_attempt_succeeds_where_nothing_confines_it(outside: Outside, attempt: str) -> None:
    before = outside.observe()
    done = subprocess.run(
        ["/bin/sh", "-c", ATTEMPTS[attempt]],
        cwd=outside.work,
        env=dict(outside.environment()),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert _seen(outside, before, done.stdout + done.stderr)


@BOTH
def test_honest_work_is_done_as_outside(outside: Outside, name: str) -> None:
    script = 'cat own; echo made >made; mkdir -p a/b; chmod 600 made; echo x >"$TMPDIR/t"; echo y >~/z; cat ~/z ~/.cargo/config.toml; sleep 0 & wait; exit 3'
    done = outside.run(script, _policy(outside), need(name))
    assert (done.returncode, done.stdout, done.stderr) == (3, "own\ny\nreadable\n", "")
    assert (outside.work / "made").read_text() == "made\n"
    assert not (outside.home / "z").exists()


def test_tmp_is_private_under_bubblewrap(outside: Outside) -> None:
    mark = Path("/tmp") / f"planrail-{outside.sleeper.pid}"
    done = outside.run(f"echo x >{mark} && cat {mark} && ls -A /var/tmp", _policy(outside), need(BUBBLEWRAP))
    assert (done.returncode, done.stdout) == (0, "x\n")
    assert not mark.exists()


def test_a_loopback_of_its_own_serves_tests_without_a_network(outside: Outside) -> None:
    program = "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname()); print('met')"
    done = outside.run([sys.executable, "-c", program], _policy(outside), need(BUBBLEWRAP))
    assert (done.stdout, done.stderr) == ("met\n", "")


@BOTH
def test_a_network_is_there_where_the_policy_gives_one(outside: Outside, name: str) -> None:
    assert _reached(outside, "reach a server on this machine", _policy(outside, ON), name) == ["connected"]


@BOTH
def test_an_exit_code_and_an_end_by_a_signal_are_told(outside: Outside, name: str) -> None:
    policy, backend = _policy(outside), need(name)
    assert outside.run("exit 42", policy, backend).returncode == 42
    assert outside.run("kill -TERM $$", policy, backend).returncode in (143, -15)
