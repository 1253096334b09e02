"""`planrail service`: what it writes, says and takes back, with small real programs in the places of the system's."""

import json
import os
import socket
import threading
from pathlib import Path

import pytest

from planrail.approval.channels import ProcessFacts
from planrail.base.errors import PlanrailError, ToolFailed, UsageError
from planrail.store.owners import find_start
from planrail.team.service.launchd import Launchd
from planrail.team.service.systemd import Systemd
from tests.cli.service.machines import Stage

SECRET = "postgresql://me:s3cr%t@db.example/plans"


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    made = Stage(tmp_path)
    monkeypatch.setenv("PLANRAIL_STATE_DIR", made.environment["PLANRAIL_STATE_DIR"])
    monkeypatch.chdir(made.repository)
    return made


def _unit(stage: Stage) -> Path:
    return Path(Systemd().locate(stage.machine))


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _next(text: str) -> str:
    return text.strip().rsplit("\n", 1)[-1]


def test_install_writes_the_unit_shows_it_and_starts_it_and_a_second_one_interrupts_nobody(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    assert stage.run("status", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["installed"], told["running"], told["next"]) == (False, False, "planrail service install")
    assert stage.run("install", "--dry-run", "--database", SECRET) == 0
    said = capsys.readouterr().out
    assert ("ExecStart=" in said, "s3cr" in said, _files(stage.home)) == (True, False, {})
    assert (stage.calls("systemctl"), (stage.folder / "state").exists()) == ([], False)
    assert stage.run("install") == 0
    said = capsys.readouterr().out
    unit = _unit(stage)
    assert unit == stage.home / ".config/systemd/user/planrail.service"
    assert all(line in said for line in (str(unit), *unit.read_text().splitlines()))
    assert stage.calls("systemctl") == [
        ["--user", *words]
        for words in (["daemon-reload"], ["enable", "planrail.service"], ["start", "planrail.service"])
    ]
    assert f"it serves {stage.repository}" in said
    assert "loginctl enable-linger" in said
    assert _next(said) == "next: planrail service status"
    assert stage.run("status", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["installed"], told["running"], told["kind"], told["pid"]) == (True, True, "systemd", 4242)
    assert (told["enabled"], told["lingers"], told["log"]) == (True, False, ["one", "two", "three"])
    assert [entry["root"] for entry in told["repositories"]] == [str(stage.repository)]
    before, stat = _files(stage.folder / "state"), unit.stat()
    stage.tell(calls=[])
    assert stage.run("install") == 0
    assert "is so already" in capsys.readouterr().out
    assert (_files(stage.folder / "state"), unit.stat().st_mtime_ns) == (before, stat.st_mtime_ns)
    assert not any("restart" in call for call in stage.calls("systemctl"))
    stage.run("install", "--slots", "7")
    assert "--slots 7" in unit.read_text()
    assert ["--user", "restart", "planrail.service"] in stage.calls("systemctl")
    stage.run("stop")
    assert stage.run() == 1
    stage.tell(broken={"systemctl": "Unit is not well."})
    with pytest.raises(ToolFailed, match=r"Unit is not well\."):
        stage.run("start")


def test_uninstall_leaves_the_machine_as_it_was_and_what_a_person_wrote(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.environment["XDG_CONFIG_HOME"] = str(stage.folder / "other place")
    drop_in = _unit(stage).parent / "planrail.service.d" / "mine.conf"
    drop_in.parent.mkdir(parents=True)
    drop_in.write_text("[Service]\nNice=5\n")
    secrets = stage.folder / "state/service/environment"
    stage.run("install", "--database", SECRET)
    assert f"XDG_CONFIG_HOME={stage.folder}/other place" in _unit(stage).read_text()
    secrets.write_text(secrets.read_text() + "ANTHROPIC_API_KEY=mine\n")
    before = secrets.read_text()
    stage.run("install", "--slots", "2")
    assert secrets.read_text() == before, "the database that is known is kept"
    capsys.readouterr()
    assert stage.run("uninstall") == 0
    said = capsys.readouterr().out
    assert (_files(stage.home), _unit(stage).exists(), drop_in.read_text()) == ({}, False, "[Service]\nNice=5\n")
    assert f"kept {drop_in.parent}" in said
    assert ["--user", "disable", "--now", "planrail.service"] in stage.calls("systemctl")
    assert ("agents at work go on" in said, "planrail stop" in said) == (True, True)
    assert ("ANTHROPIC_API_KEY=mine" in secrets.read_text(), "DATABASE" in secrets.read_text()) == (True, False)
    registry = stage.folder / "state/service/repositories.json"
    assert str(stage.repository) in registry.read_text()
    assert stage.run("uninstall", "--forget") == 0
    assert str(stage.repository) not in registry.read_text()


def test_a_unit_that_somebody_else_wrote_is_not_overwritten(stage: Stage) -> None:
    unit = _unit(stage)
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\nExecStart=/bin/true\n")
    with pytest.raises(PlanrailError, match="not written by planrail"):
        stage.run("install")
    unit.unlink()
    unit.symlink_to(os.devnull)
    with pytest.raises(PlanrailError, match="masked"):
        stage.run("install")


def test_root_is_told_that_the_service_is_its_own(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.uid = 0
    if os.getuid() != 0:
        stage.home = Path("/nonexistent")  # a home of root's, which this test may not write
        stage.environment["HOME"] = str(stage.home)
        assert stage.run("install", "--dry-run") == 0
    else:
        assert stage.run("install") == 0
    assert "root's own" in capsys.readouterr().out


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_root_writes_nothing_into_the_home_of_somebody_else(stage: Stage) -> None:
    stage.uid = 0
    os.chown(stage.home, 12345, 12345)
    with pytest.raises(UsageError, match="another user"):
        stage.run("install")
    assert _files(stage.home) == {}


def test_a_password_is_in_no_file_that_others_can_read_and_is_not_shown(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError):
        stage.run("install", "--database", "mysql://me:s3cr@x/y")
    assert not _unit(stage).exists()
    stage.environment["PLANRAIL_DATABASE"] = SECRET
    stage.environment["PGPASSWORD"] = "s3cr"
    stage.run("install")
    holding = [path for path in stage.folder.rglob("*") if path.is_file() and b"s3cr" in path.read_bytes()]
    secrets = stage.folder / "state/service/environment"
    assert (holding, secrets.stat().st_mode & 0o777) == ([secrets], 0o600)
    assert "s3cr" not in capsys.readouterr().out


def test_a_key_of_an_agent_is_named_and_never_copied(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.environment |= {"OPENAI_API_KEY": "sk-s3cr", "HTTPS_PROXY": "http://me:s3cr@proxy", "NO_PROXY": "localhost"}
    stage.run("install")
    said = capsys.readouterr().out
    assert "OPENAI_API_KEY, HTTPS_PROXY;" in said
    assert 'Environment="NO_PROXY=localhost"' in said
    assert not [path for path in stage.folder.rglob("*") if path.is_file() and b"s3cr" in path.read_bytes()]
    (stage.folder / "state/service/environment").write_text("OPENAI_API_KEY=x\nHTTPS_PROXY=y\n")
    capsys.readouterr()
    stage.run("install")
    assert "not known to the worker" not in capsys.readouterr().out


@pytest.mark.parametrize("domain", ["gui/1000", pytest.param("user/1000", marks=pytest.mark.full)])
def test_on_macos_an_agent_is_loaded_and_unloaded(
    domain: str, stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.platform = "darwin"
    stage.tell(refused=[] if domain == "gui/1000" else ["gui/1000"])
    assert stage.run("install") == 0
    place = Path(Launchd().locate(stage.machine))
    assert place.parent == stage.home / "Library/LaunchAgents"
    assert stage.ask("loaded") == domain
    assert stage.run("status") == 0
    assert "process 4343" in capsys.readouterr().out
    stage.tell(calls=[])
    stage.run("install")
    assert stage.calls("launchctl") == []
    stage.run("stop")
    assert stage.ask("loaded") == ""
    stage.run("start")
    assert stage.ask("loaded") == domain
    stage.run("uninstall")
    assert (stage.ask("loaded"), place.exists()) == ("", False)


def test_elsewhere_nothing_is_written_and_another_way_is_named(stage: Stage) -> None:
    stage.tell(manager="offline")
    with pytest.raises(PlanrailError, match="no systemd") as raised:
        stage.run("install")
    assert "planrail worker --unless-running" in raised.value.remedy
    assert not (stage.folder / "state").exists()
    assert stage.run("uninstall") == 0


def test_a_worker_of_another_version_is_to_be_restarted(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    """A worker is whoever listens where workers do: here, this process."""
    stage.tell(unit="active")
    stage.run("install")
    folder = stage.folder / "state" / "workers"
    folder.mkdir()
    pid = os.getpid()
    unit = stage.programs / "systemctl"
    unit.write_text(unit.read_text().replace("4242", str(pid)))
    place = str(stage.folder / "w.sock") if len(str(stage.folder)) < 90 else f"/tmp/planrail-test-{pid}.sock"
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(place)
        door.listen()
        (folder / f"{pid}.json").write_text(json.dumps({"pid": pid, "start": find_start(pid), "socket": place}))
        answer = {"ok": True, "pid": pid, "version": "0.0.1", "since": 0, "slots": 4, "runs": []}
        thread = threading.Thread(target=_answer, args=(door, json.dumps(answer).encode()))
        thread.start()
        capsys.readouterr()
        assert stage.run("status") == 0
        thread.join()
    os.unlink(place)
    said = capsys.readouterr().out
    assert "0.0.1" in said
    assert _next(said) == "next: planrail service restart"


def _answer(door: socket.socket, answer: bytes) -> None:
    line, _ = door.accept()
    with line:
        line.recv(100)
        line.sendall(answer)


def test_repositories_are_added_listed_and_removed(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert stage.run("add") == 0
    assert _next(capsys.readouterr().out) == "next: planrail service install"
    assert stage.run("add", str(stage.repository)) == 0
    assert "already" in capsys.readouterr().out
    assert stage.run("list", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"repositories": [{"root": str(stage.repository), "gone": False}]}
    stage.repository.rename(stage.folder / "away")
    stage.run("list")
    assert "gone" in capsys.readouterr().out
    stage.run("status")
    assert f"{stage.repository} is gone" in capsys.readouterr().out
    assert stage.run("remove", str(stage.repository)) == 0
    with pytest.raises(PlanrailError, match="not registered"):
        stage.run("remove", str(stage.repository))


def test_what_cannot_be_done_is_refused_and_nothing_is_half_done(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    for word in ("start", "stop", "restart", "logs"):
        with pytest.raises(PlanrailError, match="no service is installed") as raised:
            stage.run(word)
        assert raised.value.remedy == "planrail service install"
    for words in (["instal"], ["install", "--kind", "cron"], ["install", "--slots", "many"]):
        with pytest.raises(SystemExit) as stopped:
            stage.run(*words)
        assert (stopped.value.code, "usage:" in capsys.readouterr().err) == (2, True)
    for slots in ("0", "-1", "1000"):
        with pytest.raises(UsageError, match="slots"):
            stage.run("install", "--slots", slots)
    agent = [ProcessFacts(9, 8, "planrail"), ProcessFacts(8, 1, "codex", "/usr/bin/codex", ("codex",))]
    stage.lineage = agent
    for word in ("install", "uninstall", "add", "remove", "start", "stop", "restart"):
        with pytest.raises(PlanrailError, match="agent") as raised:
            stage.run(word)
        assert raised.value.exit_code == 1
    assert (_files(stage.home), (stage.folder / "state").exists()) == ({}, False)
    assert stage.run("status") == 1  # it may look
    stage.lineage = []
    (stage.home / ".config").write_text("a file where a folder should be")
    with pytest.raises(ToolFailed, match="could not be written") as failed:
        stage.run("install")
    assert ("writable" in failed.value.remedy, stage.calls("systemctl")) == (True, [])


def test_a_machine_with_neither_is_told_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = Stage(tmp_path, programs=("systemctl",))
    bare.tell(manager="offline")
    bare.environment["PATH"] = str(bare.programs)
    bare.release = "5.15.90.1-microsoft-standard-WSL2"
    monkeypatch.chdir(bare.repository)
    with pytest.raises(PlanrailError, match="no systemd") as raised:
        bare.run("install")
    assert "wsl.conf" in raised.value.remedy
    assert "*/5 * * * * planrail worker --unless-running" in raised.value.remedy
