"""cron: the line and the script survive odd folders."""

import os
import subprocess
from pathlib import Path

import pytest

from planrail.team.service.cron import plan_script, render_line
from planrail.team.service.starting import WorkerCall
from tests.cli.service.machines import Stage


def test_a_percent_sign_is_escaped_since_cron_ends_the_command_there(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "a%b it's")
    line = render_line(stage.machine)
    assert line.replace(r"\%", "").count("%") == 0
    command = line.split(" ", 5)[5].replace(r"\%", "%")  # what cron hands to the shell
    done = subprocess.run(["sh", "-c", f'set -- {command}\nprintf %s "$2"'], capture_output=True, check=True)
    assert os.fsdecode(done.stdout) == str(stage.folder / "state/service/start.sh")


@pytest.mark.parametrize("folder", ["a b 50% é", 'say "hi"', "it's $HOME", "back\\slash [z]*"])
def test_odd_folders_survive_the_script(folder: str, tmp_path: Path) -> None:
    place = tmp_path / folder
    place.mkdir()
    program = place / "program"
    program.write_text('#!/bin/sh\nprintf "%s|" "$0" "$@" "$XDG_STATE_HOME" "$SECRET"\n')
    program.chmod(0o755)
    secrets = place / "environment"
    secrets.write_text('SECRET="a b"\n')
    call = WorkerCall((str(program), "worker"), {"PATH": "/usr/bin:/bin", "XDG_STATE_HOME": folder}, str(secrets))
    machine = Stage(tmp_path / f"{folder} too").machine
    os.makedirs(machine.folder)
    file = plan_script(machine, call)
    Path(file.path).write_bytes(file.data)
    subprocess.run(["sh", file.path], check=True, env={})
    assert Path(machine.log).read_text("utf-8") == f"{program}|worker|--unless-running|{folder}|a b|"


def test_a_log_that_has_grown_is_moved_aside(tmp_path: Path) -> None:
    machine = Stage(tmp_path).machine
    log = Path(machine.log)
    log.parent.mkdir(parents=True)
    log.write_bytes(b"x" * 10_000_001)
    file = plan_script(machine, WorkerCall(("/bin/echo",), {"PATH": "/usr/bin:/bin"}, "/none"))
    subprocess.run(["sh"], input=file.data, check=True)
    assert log.read_text() == "--unless-running\n"
    assert Path(f"{log}.1").stat().st_size == 10_000_001
