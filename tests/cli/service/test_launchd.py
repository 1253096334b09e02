"""The property list of launchd: what is written is what is read, whatever the folders are called."""

import plistlib
import subprocess
from pathlib import Path

import pytest

from planrail.base.errors import PlanrailError, UsageError
from planrail.team.service.choosing import find_installed, plan_file
from planrail.team.service.launchd import Launchd
from planrail.team.service.starting import WorkerCall
from tests.cli.service.machines import Stage

ODD = ["a b 50% é", 'say "hi"', "it's $HOME", "back\\slash", "<&> ]]>"]


def _call(folder: str, program: str = "/opt/python") -> WorkerCall:
    return WorkerCall((program, "-P", "-m", "planrail", "worker"), {"PATH": f"/{folder}"}, f"/{folder}/environment")


@pytest.mark.parametrize("folder", ODD)
def test_a_property_list_is_read_as_it_was_meant(folder: str, tmp_path: Path) -> None:
    machine = Stage(tmp_path / folder, platform="darwin").machine
    values = plistlib.loads(Launchd().render(machine, _call(folder)))
    assert values["ProgramArguments"][3:] == [f"/{folder}/environment", "/opt/python", "-P", "-m", "planrail", "worker"]
    assert values["EnvironmentVariables"] == {"PATH": f"/{folder}"}
    assert values["StandardOutPath"] == str(tmp_path / folder / "state/service/worker.log")
    assert values["KeepAlive"] is True
    assert values["RunAtLoad"] is True
    assert values["AbandonProcessGroup"] is True  # agents go on when the worker is stopped


@pytest.mark.parametrize("folder", ODD)
def test_its_command_becomes_the_worker_with_the_secrets(folder: str, tmp_path: Path) -> None:
    place = tmp_path / folder
    place.mkdir()
    program = place / "program"
    program.write_text('#!/bin/sh\nprintf "%s|" "$SECRET" "$@"\n')
    program.chmod(0o755)
    call = WorkerCall((str(program), "worker"), {}, str(place / "environment"))
    words = plistlib.loads(Launchd().render(Stage(tmp_path / "stage").machine, call))["ProgramArguments"]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "|worker|"
    (place / "environment").write_text('SECRET="x y"\n')
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "x y|worker|"


@pytest.mark.parametrize("data", [b"", b"<plist", b"\x00\x01", b'<?xml version="1.0"?><plist><array/></plist>'])
def test_a_list_that_somebody_else_wrote_is_not_overwritten(data: bytes, tmp_path: Path) -> None:
    machine = Stage(tmp_path, platform="darwin").machine
    place = Path(Launchd().locate(machine))
    place.parent.mkdir(parents=True)
    place.write_bytes(data)
    assert find_installed(machine) is None
    with pytest.raises(PlanrailError, match="not written by planrail"):
        plan_file(Launchd(), machine, _call("x"))


def test_a_folder_with_a_line_end_in_its_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(tmp_path, platform="darwin")
    stage.python = "/opt/a\nb/python"
    monkeypatch.chdir(stage.repository)
    with pytest.raises(UsageError, match="control"):
        stage.run("install")
    assert not Path(Launchd().locate(stage.machine)).exists()
