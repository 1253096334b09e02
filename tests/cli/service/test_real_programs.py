"""The service with the real systemd, in namespaces of its own: nothing of this machine changes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.service.machines import is_tool
from tests.cli.service.real_manager import MANAGERS
from tests.support.patience import PATIENCE

ROOT = Path(__file__).parents[3]
ODD = "a b%h é$X'q\"[z]"
# A /run of its own, in which the machine looks as if it had been booted by systemd.
_SYSTEMD = "mount -t tmpfs none /run && mkdir -p /run/systemd/system"


def _live(preparing: str, module: str, folder: Path) -> "dict[str, object]":
    words = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "sh", "-c", f'{preparing} && exec "$@"', "sh"]
    tried = subprocess.run([*words, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"no namespaces here: {tried.stderr.strip()}")
    done = subprocess.run(
        [*words, sys.executable, "-m", f"tests.cli.service.{module}", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.soak
@pytest.mark.skipif(not is_tool("systemctl") or not any(map(os.path.exists, MANAGERS)), reason="no systemd here")
def test_a_real_systemd_keeps_the_worker_and_its_agents_outlive_it(tmp_path: Path) -> None:
    folder = tmp_path / ODD
    folder.mkdir()
    found = _live(_SYSTEMD, "real_manager", folder)
    commands = ("install", "again", "restart", "status", "uninstall")
    assert {name: found[name] for name in commands} == dict.fromkeys(commands, 0)
    assert [found[name] for name in ("first", "same", "new", "risen")] == [True] * 4
    assert (found["children"], found["survivors"], found["agents_after"]) == (1, 3, 3)
    assert found["said"] == ["worker worker --slots 3 postgresql://me:p$'\"%s@x/y /"] * 3
    assert (found["left"], found["home"]) == (False, [])
