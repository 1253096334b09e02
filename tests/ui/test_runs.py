"""Whole runs of plans that change what people see: pictures, a person's word, then the landing."""

import os
import signal
import socket
import sys
from collections.abc import Callable

import pytest

from planrail.runs.ui.browsers import Browser
from tests.ui.stages import AFTER, PLAN, SERVER, UiStage

if sys.platform != "linux":
    pytest.skip("processes are looked for in /proc", allow_module_level=True)

Make = Callable[..., UiStage]
_TWO_PAGES = 'screenshots = ["/", "/settings"]\n'
_PLAIN = "Faster sums"  # a title that says nothing of what people see


def _paused(stage: UiStage) -> str:
    """A run that has come to its sign-off; what it said up front."""
    code, told, err = stage.run()
    assert (code, told["state"], told["command"]) == (0, "paused", f"planrail sign-off {PLAN}"), (told, err)
    assert stage.landed == []
    assert stage.processes() == {}
    return err


@pytest.mark.full
def test_a_phase_that_people_see_lands_after_a_person_has_seen_its_pictures(make_stage: Make, browser: Browser) -> None:
    stage = make_stage(_TWO_PAGES)
    _paused(stage)
    tree = stage.git("rev-parse", "HEAD^{tree}").strip()
    names = [path.name for path in stage.copied]
    assert len(names) == 2
    assert not any(tree[:12] in name for name in names)  # they are of the work, not of the base
    assert stage.report.count("- [ ] **P1-") == 3
    for name in names:
        assert f"](plan-shop/{name})" in stage.report
    shown = stage.sign_off()
    assert "the page is dark blue" in shown
    assert shown.count("picture: /") == 2
    assert f"next: planrail resume {PLAN}" in shown
    assert stage.resume()["state"] == "complete"
    assert stage.landed == ["1"]
    assert "[ ]" not in stage.report
    assert "Signed off by" in stage.report
    assert (stage.root / "page.html").read_text() == AFTER


@pytest.mark.soak
def test_the_picture_shows_the_work_and_not_the_base(make_stage: Make, browser: Browser) -> None:
    """The same page, once as the phase leaves it and once as it was: a phase that changes another file shows that."""
    work, base = make_stage(), make_stage()
    text = (
        (base.root / PLAN)
        .read_text()
        .replace("> page.html", "> other.html")
        .replace("navy page.html", "navy other.html")
    )
    (base.root / PLAN).write_text(text)
    base.git("commit", "-qam", "Leave the page alone")
    _paused(work)
    _paused(base)
    assert work.copied[0].read_bytes() != base.copied[0].read_bytes()


@pytest.mark.full
def test_the_phases_that_people_see_are_named_before_anything_happens(make_stage: Make) -> None:
    stage = make_stage('browser = "/no/such/browser"\n')
    code, _, err = stage.call("run", PLAN, "finish", "auto")
    assert code == 0
    assert err.index("a person has to look at: phase 1 (layout)") < err.index("the agent works")


@pytest.mark.full
def test_files_that_people_see_are_enough(make_stage: Make, browser: Browser) -> None:
    stage = make_stage('files = ["*.html"]\n', title=_PLAIN)
    _paused(stage)
    assert len(stage.copied) == 1
    assert stage.report.count("- [ ] **P1-") == 2
    assert "signed off" in stage.sign_off()
    assert stage.resume()["state"] == "complete"


@pytest.mark.full
def test_a_phase_that_nobody_sees_waits_for_nobody(make_stage: Make) -> None:
    stage = make_stage('files = ["*.css"]\n', title=_PLAIN)
    code, told, err = stage.run()
    assert (code, told["state"]) == (0, "complete"), err
    assert "Sign-off" not in stage.report


@pytest.mark.soak
def test_settings_can_let_it_land_unseen_and_the_report_says_so(make_stage: Make, browser: Browser) -> None:
    stage = make_stage("sign_off = false\n")
    code, told, err = stage.run()
    assert (code, told["state"]) == (0, "complete"), err
    assert "Nobody was waited for" in stage.report
    assert "[ ]" not in stage.report
    assert len(stage.copied) == 1


@pytest.mark.full
def test_one_no_lands_nothing(make_stage: Make) -> None:
    stage = make_stage('browser = "/no/such/browser"\n')
    _paused(stage)
    assert "not signed off: phase 1" in stage.sign_off("n")
    assert stage.resume()["state"] == "paused"
    assert stage.landed == []


@pytest.mark.soak
def test_without_a_browser_the_sign_off_still_waits_and_says_why(make_stage: Make) -> None:
    stage = make_stage('browser = "/no/such/browser"\n')
    _paused(stage)
    assert "Nobody has taken pictures" in stage.report
    assert "/no/such/browser, which is no program" in stage.report
    assert "nobody has taken pictures" in stage.sign_off()
    assert stage.resume()["state"] == "complete"


@pytest.mark.soak
def test_without_a_server_the_sign_off_still_waits(make_stage: Make) -> None:
    stage = make_stage()
    settings = (stage.root / "planrail.toml").read_text().splitlines()
    (stage.root / "planrail.toml").write_text("\n".join(line for line in settings if not line.startswith("server")))
    stage.git("commit", "-qam", "No server")
    _paused(stage)
    assert "the settings name no server" in stage.report


@pytest.mark.soak
def test_an_address_elsewhere_is_never_looked_at(make_stage: Make) -> None:
    stage = make_stage()
    text = (stage.root / "planrail.toml").read_text().replace("127.0.0.1:0", "192.0.2.1:80")
    (stage.root / "planrail.toml").write_text(text)
    stage.git("commit", "-qam", "Elsewhere")
    _paused(stage)
    assert "looks at loopback addresses only" in stage.report


@pytest.mark.parametrize(
    ("server", "said"),
    [
        ("print('no shop', flush=True)\nimport time\ntime.sleep(600)", "did not answer"),
        ("raise SystemExit('broken')", "ended with 1"),
    ],
    ids=["silent", "broken"],
)
@pytest.mark.soak
def test_a_server_that_fails_is_a_finding_and_no_failure(
    make_stage: Make, browser: Browser, server: str, said: str
) -> None:
    stage = make_stage(server=server)
    text = (stage.root / "planrail.toml").read_text().replace("ready = 60", "ready = 2")
    (stage.root / "planrail.toml").write_text(text)
    stage.git("commit", "-qam", "Less patience")
    _paused(stage)
    assert said in stage.report
    assert "no shop" in stage.report or "broken" in stage.report


@pytest.mark.soak
def test_a_port_in_use_is_told_and_the_other_program_is_not_photographed(make_stage: Make, browser: Browser) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        stage = make_stage()
        port = other.getsockname()[1]
        text = (stage.root / "planrail.toml").read_text().replace("127.0.0.1:0", f"127.0.0.1:{port}")
        (stage.root / "planrail.toml").write_text(text)
        stage.git("commit", "-qam", "A port")
        _paused(stage)
    assert f"port {port} is in use" in stage.report
    assert stage.copied == []
    # Now it is free: whoever resumes without having signed off has the pictures taken anew.
    assert stage.resume()["state"] == "paused"
    assert len(stage.copied) == 1
    assert "is in use" not in stage.report


@pytest.mark.full
@pytest.mark.parametrize(
    "point",
    [
        pytest.param("pictures.1.begun", marks=pytest.mark.soak),
        "view.served",
        "view.taken",
        pytest.param("pictures.1.done", marks=pytest.mark.soak),
        "pictures.1.recorded",
    ],
)
def test_a_run_that_is_killed_while_it_looks_leaves_nothing_and_goes_on(
    make_stage: Make, browser: Browser, point: str
) -> None:
    stage = make_stage(_TWO_PAGES)
    stage.crash(point)
    stage.wait_for_nobody()  # the keeper has seen to it, even if nobody resumes
    assert stage.resume()["state"] == "paused"
    assert stage.processes() == {}
    assert len(stage.copied) == 2
    assert not [path for path in stage.state.rglob("*") if path.name.endswith((".new", ".part", ".tmp"))]
    assert "signed off" in stage.sign_off()
    assert stage.resume()["state"] == "complete"
    assert stage.landed == ["1"]


@pytest.mark.soak
def test_a_server_that_outlives_everybody_is_ended_by_the_resume(make_stage: Make, browser: Browser) -> None:
    """planrail and the keeper are killed together, as when memory runs out; the server went away before."""
    daemon = "import os\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\n"
    stage = make_stage(server=daemon + "import time\ntime.sleep(5)\n" + SERVER)
    process = stage.start("run", PLAN, "finish", "auto")
    stage.wait_for_process(f"{sys.executable} serve.py")
    keepers = [pid for pid, command in stage.processes().items() if "checks.keeper" in command]
    for pid in keepers:
        os.kill(pid, signal.SIGKILL)
    process.kill()
    process.communicate()
    assert stage.processes()
    assert stage.resume()["state"] == "paused"
    assert stage.processes() == {}
    assert len(stage.copied) == 1


@pytest.mark.soak
def test_two_phases_side_by_side_share_a_port_in_turn(make_stage: Make, browser: Browser) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    stage = make_stage("sign_off = false\n[run]\nparallel = 2\n")
    text = (stage.root / "planrail.toml").read_text().replace("127.0.0.1:0", f"127.0.0.1:{port}")
    (stage.root / "planrail.toml").write_text(text)
    first = (stage.root / PLAN).read_text()
    second = first[first.index("## Phase 1") :].replace("Phase 1", "Phase 2").replace("page.html", "other.html")
    independent = "\n**Depends on:** none\n\n- [ ]"
    (stage.root / PLAN).write_text(f"{first}\n{second}".replace("\n- [ ]", independent))
    stage.git("commit", "-qam", "Two phases")
    code, told, err = stage.run()
    assert (code, told["state"]) == (0, "complete"), (told, err)
    assert sorted(stage.landed) == ["1", "2"]
    assert len(stage.copied) == 2, stage.report


@pytest.mark.full
def test_an_agent_cannot_sign_off(make_stage: Make) -> None:
    stage = make_stage('browser = "/no/such/browser"\n')
    _paused(stage)
    code, _, err = stage.call("sign-off", PLAN)
    assert code == 1
    assert "nothing was signed off" in err
    stage.environment["CLAUDECODE"] = "1"
    assert "nothing was signed off" in stage.sign_off()
    del stage.environment["CLAUDECODE"]
    assert stage.resume()["state"] == "paused"


@pytest.mark.soak
def test_a_run_that_was_given_up_waits_for_nobody(make_stage: Make) -> None:
    stage = make_stage('browser = "/no/such/browser"\n')
    _paused(stage)
    stage.call("stop", PLAN)
    _, out, _ = stage.call("sign-off", PLAN)
    assert "no phase of" in out


def test_a_journal_that_says_it_was_signed_off_is_not_believed(make_stage: Make) -> None:
    stage = make_stage('browser = "/no/such/browser"\n')
    _paused(stage)
    [journal] = stage.state.rglob("journal.jsonl")
    with journal.open("a") as file:
        file.write('{"at": 1, "key": "phase/1/1/sign_off.1", "state": "ended", "value": true}\n')
    assert stage.resume()["state"] == "paused"
    assert stage.landed == []


@pytest.mark.full
def test_a_run_that_is_killed_when_it_begins_to_wait_can_be_signed_off(make_stage: Make) -> None:
    stage = make_stage('browser = "/no/such/browser"\n')
    stage.crash("sign_off.1.begun")
    assert "signed off: phase 1" in stage.sign_off()
    assert stage.resume()["state"] == "complete"
