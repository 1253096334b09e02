"""The command line: exit codes, what goes where, and that every answer ends with the next command."""

import json
import re
import shlex
import shutil
from pathlib import Path
from shlex import quote

import pytest

from planrail import __version__
from planrail.cli.main import COMMANDS, GROUPS, main
from planrail.cli.plan_routes import next_command
from planrail.git.around_a_plan import DiskSurroundings
from planrail.projects.open_plan import USUAL_PLACES, open_plan
from tests.plans.cases import FIXTURES, sound_documents

PLAN = "# Rooms\n\n## Phase 1: A ✅\n\n## Phase 2: B\n- [x] a\n- [ ] b\n\n## Phase 3: C\n- [ ] c\n"


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "PLAN.md"
    path.write_text(PLAN, "utf-8")
    return path


def _last_line(text: str) -> str:
    return text.strip().rsplit("\n", 1)[-1]


# ------------------------------------------------------------------------------------------------ every command


@pytest.mark.parametrize("arguments", [["--version"], ["-V"], ["version"]])
def test_the_version_is_told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    assert capsys.readouterr() == (f"planrail {__version__}\n", "")


@pytest.mark.parametrize("arguments", [[], ["help"], ["--help"], ["-h"]])
def test_without_a_command_those_of_people_are_shown(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    shown = re.findall(r"^  planrail (\S+)", capsys.readouterr().out, re.MULTILINE)
    assert shown == [name for group in GROUPS.values() for name in group]
    assert len(shown) <= 24


def test_all_commands_are_shown_to_those_who_ask(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "--all"]) == 0
    assert re.findall(r"^  planrail (\S+)", capsys.readouterr().out, re.MULTILINE) == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("form", [("--help",), ("-h",)])
def test_every_command_explains_itself(name: str, form: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, *form]) == 0
    assert main(["help", name]) == 0
    assert f"usage: planrail {name}" in capsys.readouterr().out


@pytest.mark.parametrize(("typed", "meant"), [("shwo", "show"), ("nxt", "next"), ("lnt", "lint"), ("sett", "set")])
def test_a_mistyped_command_is_corrected(typed: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([typed]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"did you mean: planrail {meant}" in captured.err


def test_an_unknown_command_leads_to_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["qqqqqq"]) == 2
    assert "planrail --help" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["show"],
        ["show", "--bogus", "PLAN"],
        ["show", "PLAN", "surplus"],
        ["set"],
        ["set", "PLAN"],
        ["set", "PLAN", "1"],
    ],
)
def test_a_wrong_call_is_exit_code_2(arguments: list[str], plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(plan) if part == "PLAN" else part for part in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err


# --------------------------------------------------------------------------------------------------------- show


def test_show_prints_each_phase_with_its_state_and_reason(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(plan)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    for part in ("1  A", "done", "heading, line 3: ✅", "→ ◐ 2", "1 of 2 boxes ticked, from line 6", "3  C", "todo"):
        assert part in captured.out
    assert _last_line(captured.out) == f"next: planrail next {quote(str(plan))}"


def test_show_prints_the_items_on_request(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["show", str(plan), "--items"])
    assert "✔ a" in capsys.readouterr().out


def test_show_describes_the_plan_as_the_contract_says(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(plan), "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    shown = json.loads(captured.out)
    assert shown["path"] == str(plan)
    assert (shown["title"], shown["format"], shown["status"], shown["route"]) == (
        "Rooms",
        "headings",
        "in_progress",
        "resume",
    )
    assert shown["next"] == {"phase": "2", "item": "b"}
    assert shown["diagnostics"] == []
    second = shown["phases"][1]
    assert (second["id"], second["title"], second["status"], second["proof"]) == ("2", "B", "in_progress", "claimed")
    assert (second["line"], second["depends_on"]) == (5, [])
    assert second["items"][1]["text"] == "b"
    assert (second["items"][1]["done"], second["items"][1]["line"]) == (False, 7)
    assert shown["phases"][2]["proof"] == "claimed"


def test_diagnostics_have_a_line_and_a_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.md"
    path.write_text("## Phase 1: A [COMPLETED]\n- [ ] a\n", "utf-8")
    main(["show", str(path), "--json"])
    [problem] = json.loads(capsys.readouterr().out)["diagnostics"]
    assert (problem["line"], problem["rule"]) == (2, "contradiction")
    assert "phase 1 is done" in problem["message"]


def test_a_plan_without_phases_is_shown_as_a_narrative(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "empty.md"
    path.touch()
    assert main(["show", str(path)]) == 0
    assert "no phases" in capsys.readouterr().out


# --------------------------------------------------------------------------------------------------------- next


def test_next_says_what_to_do_and_what_to_type(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["next", str(plan)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "go on with phase 2: B" in captured.out
    assert "first: b" in captured.out
    assert _last_line(captured.out) == f"next: planrail run {quote(str(plan))} 2"


def test_next_answers_programs_as_the_contract_says(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["next", str(plan), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    expected = {"plan": str(plan), "phase": "2", "item": "b", "command": f"planrail run {quote(str(plan))} 2"}
    assert answer | expected == answer


def test_next_has_no_phase_where_nothing_is_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.md"
    path.write_text("---\nstatus: complete\n---\n## Phase 1: A ✅\n", "utf-8")
    assert main(["next", str(path), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["phase"], answer["item"], answer["command"]) == (None, None, f"planrail show {quote(str(path))}")


def test_next_names_what_a_phase_waits_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.md"
    path.write_text("## Phase 1: A [BLOCKED]\n\n## Phase 2: B\nDepends on: Phase 1\n", "utf-8")
    main(["next", str(path)])
    assert "but it depends on 1" in capsys.readouterr().out


@pytest.mark.parametrize("place", USUAL_PLACES)
def test_next_without_a_name_finds_the_usual_file(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    is_json, is_yaml = place.endswith("json"), place.endswith(("yaml", "yml"))
    text = (
        '{"tasks": [{"id": 1, "status": "pending"}]}'
        if is_json
        else "development_status:\n  1-1-a: backlog\n"
        if is_yaml
        else PLAN
    )
    path.write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["next"]) == 0
    assert place in capsys.readouterr().out


def test_next_looks_upwards_as_far_as_the_repository(
    plan: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    inner = plan.parent / "src" / "deep"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert main(["next"]) == 2  # in no repository: a plan above is another one's
    (plan.parent / ".git").mkdir()
    assert main(["next"]) == 0
    assert "../../PLAN.md" in capsys.readouterr().out
    (plan.parent / "src" / ".git").mkdir()
    assert main(["next"]) == 2
    assert "none of the usual files" in capsys.readouterr().err


# ---------------------------------------------------------------------------------- what next says can be typed


@pytest.mark.parametrize("document", sound_documents(), ids=lambda path: path.relative_to(FIXTURES).as_posix())
def test_typing_what_next_says_again_and_again_leads_to_the_end_of_the_plan(
    document: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(document.parent, tmp_path, dirs_exist_ok=True)
    path = str(tmp_path / document.name)
    typed: list[str] = []
    while (plan := open_plan(path)).route not in ("complete", "none"):
        command = next_command(plan)
        assert command not in typed
        typed.append(command)
        assert _obey(command, path) == 0, capsys.readouterr().err


def _obey(command: str, path: str) -> int:
    """Type a command. A run, or the proof of work by hand, is only what it leaves in the document: a mark."""
    program, verb, *words = shlex.split(command)
    assert program == "planrail"
    if verb not in ("run", "done"):
        return main([verb, *words])
    plan, phase = words
    found = open_plan(plan).phase(phase)
    assert plan == path
    assert found is not None
    kept = found.claim.path if found.claim else ""
    return main(["set", DiskSurroundings(path).locate(kept) if kept else path, phase, "done"])


def test_a_phase_that_somebody_works_on_by_hand_is_finished_by_proving_it(plan: Path) -> None:
    plan.write_text("## Phase 1: A ✅\n\n## Phase 2: B 🟡\n", "utf-8")
    assert next_command(open_plan(str(plan))) == f"planrail done {quote(str(plan))} 2"


# ---------------------------------------------------------------------------------------------------------- set


def test_set_changes_the_mark_and_says_where(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["set", str(plan), "2", "done"]) == 0
    assert plan.read_text("utf-8") == PLAN.replace("2: B", "2: B ✅")
    captured = capsys.readouterr()
    assert f"{plan}:5: changed 'nothing' to ' ✅'" in captured.out
    assert _last_line(captured.out) == f"next: planrail next {quote(str(plan))}"


def test_set_answers_programs(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["set", str(plan), "2", "done", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer == {"plan": str(plan), "phase": "2", "changed": True, "change": {"line": 5, "old": "", "new": " ✅"}}


def _written(path: Path) -> tuple[int, ...]:
    """What writing a file changes, and reading it does not."""
    found = path.stat()
    return found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def test_set_to_what_it_is_writes_nothing(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = _written(plan)
    assert main(["set", str(plan), "1", "done"]) == 0
    assert _written(plan) == before
    assert "is so already" in capsys.readouterr().out


def test_a_dry_run_says_what_would_change_and_writes_nothing(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = _written(plan)
    assert main(["set", str(plan), "2", "done", "--dry-run"]) == 0
    assert "would change" in capsys.readouterr().out
    assert _written(plan) == before
    assert list(plan.parent.iterdir()) == [plan]


@pytest.mark.parametrize(
    ("word", "state"),
    [
        ("done", "done"),
        ("DONE", "done"),
        ("complete", "done"),
        ("in-progress", "in_progress"),
        ("wip", "in_progress"),
        ("blocked", "blocked"),
    ],
)
def test_set_takes_the_usual_words(word: str, state: str, plan: Path) -> None:
    assert main(["set", str(plan), "3", word]) == 0
    phase = open_plan(str(plan)).phase("3")
    assert phase is not None
    assert phase.status == state


def test_an_unknown_phase_is_answered_with_those_that_are_there(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["set", str(plan), "9", "done"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "it has: 1, 2, 3" in captured.err


def test_an_unknown_status_is_answered_with_those_that_there_are(
    plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["set", str(plan), "1", "sparkling"]) == 2
    assert "in_progress" in capsys.readouterr().err
    assert plan.read_text("utf-8") == PLAN


def test_what_cannot_be_said_is_refused_with_exit_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tasks.json"
    path.write_text('{"tasks": [{"id": 1, "status": "pending"}]}', "utf-8")
    assert main(["set", str(path), "1", "partial"]) == 1
    captured = capsys.readouterr()
    assert (captured.out, "nothing was written" in captured.err) == ("", True)
    assert path.read_text("utf-8") == '{"tasks": [{"id": 1, "status": "pending"}]}'


def test_a_plan_with_open_phases_is_not_called_complete(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["set", str(plan), "--plan", "complete"]) == 1
    assert "open phases: 2, 3" in capsys.readouterr().err
    assert plan.read_text("utf-8") == PLAN


def test_a_finished_plan_is_called_complete(plan: Path) -> None:
    for name in ("2", "3"):
        assert main(["set", str(plan), name, "done"]) == 0
    assert open_plan(str(plan)).route == "finalise"
    assert main(["set", str(plan), "--plan", "complete"]) == 0
    assert open_plan(str(plan)).route == "complete"


@pytest.mark.parametrize("name", ["my plan.md", "it's.md", "$HOME.md", "-plan.md", "плани.md"])
def test_a_file_of_any_name_can_be_named_in_the_command(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(PLAN, "utf-8")
    monkeypatch.chdir(tmp_path)
    given = f"./{name}" if name.startswith("-") else name
    assert main(["next", given, "--json"]) == 0
    command = json.loads(capsys.readouterr().out)["command"]
    assert _obey(command, given) == 0
