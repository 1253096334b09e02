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
from planrail.git.git import DiskSurroundings
from planrail.projects.next_step import next_command
from planrail.projects.open_plan import USUAL_PLACES, open_plan
from tests.plans.cases import FIXTURES, sound_documents
from tests.support.lanes import one_in

PLAN = "# Rooms\n\n## Phase 1: A ✅\n\n## Phase 2: B\n- [x] a\n- [ ] b\n\n## Phase 3: C\n- [ ] c\n"


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "PLAN.md"
    path.write_text(PLAN, "utf-8")
    return path


def _last_line(text: str) -> str:
    return text.strip().rsplit("\n", 1)[-1]


def test_the_version_and_the_help_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--version"], ["-V"], ["version"]):
        assert main(words) == 0
        assert capsys.readouterr() == (f"planrail {__version__}\n", "")
    for words in ([], ["help"], ["--help"], ["-h"]):
        assert main(words) == 0
        shown = re.findall(r"^  planrail (\S+)", capsys.readouterr().out, re.MULTILINE)
        assert shown == [name for group in GROUPS.values() for name in group]
        assert len(shown) <= 24
    assert main(["help", "--all"]) == 0
    assert re.findall(r"^  planrail (\S+)", capsys.readouterr().out, re.MULTILINE) == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([name, "--help"], [name, "-h"], ["help", name]):
        assert main(words) == 0
        assert f"usage: planrail {name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["shwo"], "did you mean: planrail show"),
        (["qqqqqq"], "planrail --help"),
        (["show"], ""),
        (["show", "--bogus", "PLAN"], ""),
        (["show", "PLAN", "surplus"], ""),
        (["set", "PLAN", "1"], ""),
        (["set", "PLAN", "9", "done"], "it has: 1, 2, 3"),
        (["set", "PLAN", "1", "sparkling"], "in_progress"),
    ],
)
def test_a_wrong_call_is_exit_code_2(
    words: list[str], said: str, plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(plan) if part == "PLAN" else part for part in words]) == 2
    captured = capsys.readouterr()
    assert (captured.out, bool(captured.err), said in captured.err) == ("", True, True)
    assert plan.read_text("utf-8") == PLAN


# ------------------------------------------------------------------------------------------------ show and next


def test_show_and_next_say_what_is_what_and_what_to_type(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(plan), "--items"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    parts = ("1  A", "done", "heading, line 3: ✅", "→ ◐ 2", "1 of 2 boxes ticked, from line 6", "3  C", "todo", "✔ a")
    assert [part for part in parts if part not in captured.out] == []
    assert _last_line(captured.out) == f"next: planrail next {quote(str(plan))}"
    assert main(["next", str(plan)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "go on with phase 2: B" in captured.out
    assert "first: b" in captured.out
    assert _last_line(captured.out) == f"next: planrail run {quote(str(plan))} 2"
    assert main(["next", str(plan), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    expected = {"plan": str(plan), "phase": "2", "item": "b", "command": f"planrail run {quote(str(plan))} 2"}
    assert answer | expected == answer


def test_what_is_odd_about_a_plan_is_said(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan.write_text("## Phase 1: A [COMPLETED]\n- [ ] a\n", "utf-8")
    main(["show", str(plan), "--json"])
    [problem] = json.loads(capsys.readouterr().out)["diagnostics"]
    assert (problem["line"], problem["rule"], "phase 1 is done" in problem["message"]) == (2, "contradiction", True)
    plan.write_text("## Phase 1: A [BLOCKED]\n\n## Phase 2: B\nDepends on: Phase 1\n", "utf-8")
    main(["next", str(plan)])
    assert "but it depends on 1" in capsys.readouterr().out
    plan.write_text("---\nstatus: complete\n---\n## Phase 1: A ✅\n", "utf-8")
    assert main(["next", str(plan), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["phase"], answer["item"], answer["command"]) == (None, None, f"planrail show {quote(str(plan))}")
    plan.write_text("")
    assert main(["show", str(plan)]) == 0
    assert "no phases" in capsys.readouterr().out


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


@pytest.mark.parametrize(
    "document", one_in(4, sound_documents()), ids=lambda path: path.relative_to(FIXTURES).as_posix()
)
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


def test_set_changes_the_mark_and_says_where_and_a_dry_run_writes_nothing(
    plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = _written(plan)
    assert main(["set", str(plan), "2", "done", "--dry-run"]) == 0
    assert "would change" in capsys.readouterr().out
    assert main(["set", str(plan), "1", "done"]) == 0
    assert "is so already" in capsys.readouterr().out
    assert (_written(plan), list(plan.parent.iterdir())) == (before, [plan])
    assert main(["set", str(plan), "2", "done"]) == 0
    assert plan.read_text("utf-8") == PLAN.replace("2: B", "2: B ✅")
    captured = capsys.readouterr()
    assert f"{plan}:5: changed 'nothing' to ' ✅'" in captured.out
    assert _last_line(captured.out) == f"next: planrail next {quote(str(plan))}"
    plan.write_text(PLAN)
    assert main(["set", str(plan), "2", "done", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer == {"plan": str(plan), "phase": "2", "changed": True, "change": {"line": 5, "old": "", "new": " ✅"}}


def test_a_plan_is_called_complete_once_no_phase_is_open(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["set", str(plan), "--plan", "complete"]) == 1
    assert "open phases: 2, 3" in capsys.readouterr().err
    assert plan.read_text("utf-8") == PLAN
    for name, word in (("2", "DONE"), ("3", "wip"), ("3", "done")):
        assert main(["set", str(plan), name, word]) == 0
    assert open_plan(str(plan)).route == "finalise"
    assert main(["set", str(plan), "--plan", "complete"]) == 0
    assert open_plan(str(plan)).route == "complete"


def test_what_cannot_be_said_is_refused_with_exit_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tasks.json"
    path.write_text('{"tasks": [{"id": 1, "status": "pending"}]}', "utf-8")
    assert main(["set", str(path), "1", "partial"]) == 1
    captured = capsys.readouterr()
    assert (captured.out, "nothing was written" in captured.err) == ("", True)
    assert path.read_text("utf-8") == '{"tasks": [{"id": 1, "status": "pending"}]}'


def _written(path: Path) -> tuple[int, ...]:
    """What writing a file changes, and reading it does not."""
    found = path.stat()
    return found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns


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
