"""Whole runs of plans that change what people see: pictures, a person's word, then the landing."""

import json
import socket
import sys
from collections.abc import Callable

import pytest

from planrail.runs.ui.browsers import Browser
from tests.support.lanes import soak
from tests.support.run_stage import PLAN
from tests.support.run_traces import find_processes, read_landed
from tests.ui.stages import AFTER, UiStage

if sys.platform != "linux":
    pytest.skip("processes are looked for in /proc", allow_module_level=True)

Make = Callable[..., UiStage]
_TWO_PAGES = 'screenshots = ["/", "/settings"]\n'
_NO_BROWSER = 'browser = "/no/such/browser"\n'


def _paused(stage: UiStage) -> str:
    """A run that has come to its sign-off; what it said up front."""
    answer = stage.run("--json")
    told = json.loads(answer.out)
    assert (answer.code, told["state"], told["command"]) == (0, "paused", f"planrail sign-off {PLAN}"), answer
    assert read_landed(stage) == []
    assert find_processes(stage.place) == {}
    return answer.err


@pytest.mark.full
def test_a_phase_that_people_see_lands_after_a_person_has_seen_its_pictures(make_stage: Make, browser: Browser) -> None:
    stage = make_stage(_TWO_PAGES)
    assert "a person has to look at: phase 1 (layout)" in _paused(stage)
    tree = stage.git("rev-parse", "HEAD^{tree}").strip()
    names = [path.name for path in stage.copied]
    assert len(names) == 2
    assert not any(tree[:12] in name for name in names)  # they are of the work, not of the base
    assert "the server answered with 404" not in stage.report  # as it would with the page of the base
    assert stage.report.count("- [ ] **P1-") == 3
    for name in names:
        assert f"](plan-greeter/{name})" in stage.report
    shown = stage.sign_off()
    assert "the page is dark blue" in shown
    assert shown.count("picture: /") == 2
    assert f"next: planrail resume {PLAN}" in shown
    assert stage.go_on() == "complete"
    assert read_landed(stage) == ["1"]
    assert "[ ]" not in stage.report
    assert "Signed off by" in stage.report
    assert (stage.root / "page.html").read_text() == AFTER


@pytest.mark.soak
def test_settings_can_let_it_land_unseen_and_the_report_says_so(make_stage: Make, browser: Browser) -> None:
    stage = make_stage("sign_off = false\n")
    assert stage.run().code == 0
    assert read_landed(stage) == ["1"]
    assert "Nobody was waited for" in stage.report
    assert "[ ]" not in stage.report
    assert len(stage.copied) == 1


def test_without_a_browser_the_sign_off_still_waits_and_a_forged_one_is_not_believed(make_stage: Make) -> None:
    stage = make_stage(_NO_BROWSER)
    _paused(stage)
    assert "Nobody has taken pictures" in stage.report
    assert "/no/such/browser, which is no program" in stage.report
    [journal] = stage.ledger.rglob("journal.jsonl")
    with journal.open("a") as file:
        file.write('{"at": 1, "key": "phase/1/1/sign_off.1", "state": "ended", "value": true}\n')
    assert stage.go_on() == "paused"
    assert read_landed(stage) == []


@pytest.mark.soak
def test_a_port_in_use_is_told_and_the_other_program_is_not_photographed(make_stage: Make, browser: Browser) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        stage = make_stage(url=f"http://127.0.0.1:{port}")
        _paused(stage)
    assert f"port {port} is in use" in stage.report
    assert stage.copied == []
    # Now it is free: whoever resumes without having signed off has the pictures taken anew.
    assert stage.go_on() == "paused"
    assert len(stage.copied) == 1
    assert "is in use" not in stage.report


@pytest.mark.full
@pytest.mark.parametrize(
    "points",
    [
        ["view.served", "view.taken"],
        *map(soak, (["pictures.1.begun"], ["view.served"], ["pictures.1.done"], ["pictures.1.recorded"])),
    ],
)
def test_a_run_that_is_killed_while_it_looks_leaves_nothing_and_goes_on(
    make_stage: Make, browser: Browser, points: list[str]
) -> None:
    stage = make_stage(_TWO_PAGES)
    for point in points:
        assert stage.crash(point).was_killed, point
    stage.wait_for(lambda: not find_processes(stage.place))  # the keeper has seen to it, even if nobody resumes
    assert stage.go_on() == "paused"
    assert find_processes(stage.place) == {}
    assert len(stage.copied) == 2
    assert not [path for path in stage.state.rglob("*") if path.name.endswith((".new", ".part", ".tmp"))]
    assert "signed off" in stage.sign_off()
    assert stage.go_on() == "complete"
    assert read_landed(stage) == ["1"]


@pytest.mark.soak
def test_two_phases_side_by_side_share_a_port_in_turn(make_stage: Make, browser: Browser) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    stage = make_stage("sign_off = false\n", url=f"http://127.0.0.1:{port}")
    settings = (stage.root / "planrail.toml").read_text()
    stage.write("planrail.toml", settings.replace("[run]\n", "[run]\nparallel = 2\n"))
    first = (stage.root / PLAN).read_text()
    second = first[first.index("## Phase 1") :].replace("Phase 1", "Phase 2").replace("page.html", "other.html")
    independent = "\n**Depends on:** none\n\n- [ ]"
    stage.write(PLAN, f"{first}\n{second}".replace("\n- [ ]", independent))
    stage.git("commit", "-qam", "Two phases")
    assert stage.run().code == 0
    assert sorted(read_landed(stage)) == ["1", "2"]
    # one of each phase, and one of the whole plan at its end
    assert sorted(copy.name.partition("-")[0] for copy in stage.copied) == ["P1", "P2", "Pwhole"], stage.report


@pytest.mark.full
def test_a_run_that_is_killed_when_it_begins_to_wait_can_be_signed_off(make_stage: Make) -> None:
    stage = make_stage(_NO_BROWSER)
    assert stage.crash("sign_off.1.begun").was_killed
    assert "signed off: phase 1" in stage.sign_off()
    assert stage.go_on() == "complete"
