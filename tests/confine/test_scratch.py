"""The folder of one command: gone with it, or with the next one."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from planrail.confine.scratch import open_scratch

HOLDER = """
import time
from planrail.confine.scratch import open_scratch
with open_scratch() as folder:
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_it_is_gone_at_the_end(temporary: Path) -> None:
    with open_scratch() as folder:
        Path(folder, "a").mkdir()
        assert Path(folder).parent == temporary
    assert not list(temporary.iterdir())


def test_one_that_is_in_use_stays_and_one_of_a_killed_command_goes(temporary: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout
        held = holder.stdout.readline().strip()
        with open_scratch():
            assert os.path.isdir(held)
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.communicate()
    assert os.path.isdir(held)
    with open_scratch() as folder:
        assert [str(path) for path in temporary.iterdir()] == [folder]


def test_a_link_of_that_name_is_not_followed(temporary: Path) -> None:
    (temporary / "precious").mkdir()
    (temporary / "planrail-scratch-link").symlink_to(temporary / "precious")
    with open_scratch():
        assert (temporary / "precious").is_dir()
