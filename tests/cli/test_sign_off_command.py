"""planrail sign-off: a person looks at what people see, at a terminal of their own."""

import json
from pathlib import Path
from typing import Any

import pytest

from planrail.approval.channels import ChannelRefusal
from planrail.base.errors import PlanrailError
from planrail.base.run_model import Ending, Finding, Options, Order, PhaseOrder, Snapshot
from planrail.base.values import pack
from planrail.cli.runs import sign_off_command
from planrail.cli.screen import show
from planrail.runs.phases.viewpoints import Picture, View
from planrail.store.ledger import open_ledger
from planrail.store.runs.run_facts import add_fact, early_place, note_early, read_history
from planrail.store.runs.run_folders import list_runs, new_folder, save_ending
from planrail.store.runs.run_history import SignOff
from tests.approval.scripted_desk import LENA, NO_TERMINAL, WORD, ScriptedTerminal, arguments_of, make_desk
from tests.cli.in_session import PLAN, Project, make_project

OLD, WORK = "0" * 40, "5" * 40


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    made = make_project(tmp_path, monkeypatch, capsys)
    _wait(made, "r1", "2")
    return made


def _wait(project: Project, run: str, phase: str) -> None:
    """A run that has come to the sign-off of a phase, and was paused there."""
    order = PhaseOrder(phase, "A button", "text", ("the button is blue",), ("it can be clicked",), (), (), is_ui=True)
    root = str(project.root)
    made = Order(
        run, "plan.md", "plan.md", root, "plan", "Greeter", "refs/heads/main", True, "", (order,), Options()
    )  # fmt: skip
    folder = new_folder(str(project.root), made, PLAN)
    view = View("tree", (Picture("/shop", "/tmp/one.png"),), (Finding("page", "/shop: it is slow", is_failure=False),))
    lines: list[dict[str, Any]] = [
        {"at": 0, "key": f"phase/{phase}/1/snapshot.1", "state": "ended", "value": pack(Snapshot(OLD, "t", "b", ()))},
        {"at": 1, "key": f"phase/{phase}/1/snapshot.2", "state": "ended", "value": pack(Snapshot(WORK, "t", "b", ()))},
        {"at": 1, "key": f"phase/{phase}/1/pictures.1", "state": "begun"},
        {"at": 2, "key": f"phase/{phase}/1/pictures.1", "state": "ended", "value": pack(view)},
        {"at": 3, "key": f"phase/{phase}/1/sign_off.1", "state": "begun"},
    ]
    with open_ledger(str(project.root)) as ledger:
        note_early(ledger, "plan.md", run, phase, early_place(folder, phase, 1, 1))
    Path(folder, "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def _sign(*words: str, terminal: ScriptedTerminal | ChannelRefusal) -> int:
    arguments = arguments_of(sign_off_command, *words)
    return show(sign_off_command.sign_off(arguments, make_desk(terminal)), as_json=arguments.json)


def _signed(project: Project) -> list[tuple[str, str, str, str]]:
    with open_ledger(str(project.root)) as ledger:
        return [(fact.run, fact.phase, fact.who, fact.channel) for fact in read_history(ledger, "plan.md").sign_offs]


def test_each_thing_is_shown_with_its_picture_and_one_yes_is_recorded(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(PlanrailError, match="no terminal"):
        _sign("plan.md", "--json", terminal=NO_TERMINAL)
    assert json.loads(capsys.readouterr().out)["status"] == "refused"
    code, _, err = project.planrail("sign-off", "plan.md")
    assert (code, "nothing was signed off" in err) == (1, True)
    for answers in (["n"], [""], ["looks fine"], []):
        assert _sign("plan.md", "2", terminal=ScriptedTerminal(answers)) == 1
    with pytest.raises(PlanrailError, match="does not wait"):
        _sign("plan.md", "1", terminal=ScriptedTerminal([WORD]))
    assert _signed(project) == []
    terminal = ScriptedTerminal([WORD])
    assert _sign("plan.md", terminal=terminal) == 0
    for part in ("A button", "P2-1  the button is blue", "P2-2  it can be clicked", "P2-3  the page /shop"):
        assert part in terminal.shown
    assert ("picture: /tmp/one.png" in terminal.shown, "it is slow" in terminal.shown) == (True, True)
    assert (f"git show {WORK[:12]}" in terminal.shown, OLD[:12] in terminal.shown) == (True, False)
    assert _signed(project) == [("r1", "2", LENA, "terminal")]
    assert capsys.readouterr().out.strip().endswith("next: planrail resume plan.md")
    assert _sign("plan.md", terminal=NO_TERMINAL) == 0, "what is signed off waits no more"
    assert "waits for a sign-off" in capsys.readouterr().out
    assert len(_signed(project)) == 1


def test_a_row_that_was_there_before_anybody_was_asked_is_no_persons_word(project: Project) -> None:
    with open_ledger(str(project.root)) as ledger:
        for key in ("r9/2/1", "r9/2/1/1"):
            add_fact(ledger, "plan.md", SignOff("r9", "2", "ann", "terminal"), key=key, at=1)
    _wait(project, "r9", "2")
    terminal = ScriptedTerminal([WORD, WORD])
    assert _sign("plan.md", terminal=terminal) == 0
    assert terminal.shown.count("A button") == 2
    assert len(_signed(project)) == 4


def test_a_run_that_is_over_waits_for_nobody(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    [waiting] = list_runs(str(project.root))
    save_ending(waiting.folder, Ending("stopped", "somebody stopped it", "planrail run plan.md"))
    assert _sign("plan.md", terminal=NO_TERMINAL) == 0
    assert "waits for a sign-off" in capsys.readouterr().out


def test_pictures_that_were_taken_anew_are_the_ones_that_are_shown(project: Project) -> None:
    [waiting] = list_runs(str(project.root))
    lines = [
        {"at": 4, "key": "phase/2/1/sign_off.1", "state": "ended", "value": False},
        {"at": 5, "key": "phase/2/1/pictures.2", "state": "ended", "value": pack(View("tree"))},
        {"at": 6, "key": "phase/2/1/sign_off.2", "state": "begun"},
    ]
    with Path(waiting.folder, "journal.jsonl").open("a") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    terminal = ScriptedTerminal([WORD])
    assert _sign("plan.md", terminal=terminal) == 0
    assert "/tmp/one.png" not in terminal.shown
    assert "nobody has taken pictures" in terminal.shown
