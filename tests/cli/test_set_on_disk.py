"""`planrail set` on real files: not one other byte, the mode kept, links followed, and nothing lost where writing fails."""

import os
import stat
from pathlib import Path
from shlex import quote

import pytest

from planrail.cli.main import main
from planrail.plans.states import State
from planrail.projects.memory_of_spellings import recall, remember
from planrail.projects.open_plan import open_plan
from tests.cli.processes import planrail

HARD = {
    "crlf": b"# T\r\n\r\n| Phase | Status |\r\n|---|---|\r\n| 1 | \xe2\xac\x9a |\r\n| 2 | \xe2\x9c\x85 |\r\n",
    "lone carriage returns": b"# T\r\r| Phase | Status |\r|---|---|\r| 1 | todo |\r| 2 | done |\r",
    "mixed line ends": b"# T\n\r\n| Phase | Status |\r\n|---|---|\n| 1 | todo |\r\n| 2 | done |\n\r\n",
    "byte order mark": b"\xef\xbb\xbf| Phase | Status |\n|---|---|\n| 1 | todo |\n| 2 | done |\n",
    "tabs": b"|\tPhase\t|\tStatus\t|\n|---|---|\n|\t1\t|\ttodo\t|\t\n|\t2\t|\tdone\t|\n",
    "escaped pipes": b"| Phase | Status | Notes |\n|---|---|---|\n| 1 a \\| b | todo | c \\| d |\n| 2 | done | \\\\ |\n",
    "no outer pipes": b"Phase | Status\n--- | ---\n1 | todo\n2 | done\n",
    "form feed and separators": "# T\x0c\n\u2028\n| Phase | Status |\n|---|---|\n| 1 \x0c | todo |\n| 2 \u2028\u2029\x85\x0b | done |\n".encode(),
    "emoji": "# 👩‍💻 T\n\n## Phase 1: 🏳️‍🌈 A ⬜\n\n## Phase 2: B ✅\n".encode(),
    "right to left": "# \u202eT\n\n## Phase 1: \u200fA [NOT STARTED]\n\n## Phase 2: B [COMPLETED]\n".encode(),
    "no last newline": b"## Phase 1: A [NOT STARTED]\n\n## Phase 2: B [COMPLETED]",
    "trailing blanks": b"## Phase 1: A [NOT STARTED]  \t\n\n## Phase 2: B [COMPLETED] ##  \n",
    "no mark": b"## Phase 1: A  \n\n## Phase 2: B [COMPLETED]\n",
    "setext": b"Phase 1: A\n----------\n\nPhase 2: B (done)\n-----------------\n",
    "boxes": b"- [ ] a\r\n-\t[x] b\r\n",
    "front matter": b"---\r\ntodos:\r\n- id: '1'\r\n  content: \xc3\xa9\r\n  status: pending # c\r\n- id: '2'\r\n  status: \"completed\"\r\n---\r\n",
}


def _status(path: Path, phase: str) -> str:
    found = open_plan(str(path)).phase(phase)
    assert found is not None
    return str(found.status)


@pytest.mark.parametrize("name", HARD)
def test_a_file_of_any_kind_is_turned_and_turned_back_byte_for_byte(name: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    before = HARD[name]
    path.write_bytes(before)
    assert main(["set", str(path), "1", "done"]) == 0
    after = path.read_bytes()
    start = next((at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new), len(before))
    end = next((at for at, (old, new) in enumerate(zip(before[::-1], after[::-1], strict=False)) if old != new), 0)
    changed = after[start : len(after) - end].decode("utf-8", "replace")
    assert (len(changed) < 20, set(changed) & set("\r\n")) == (True, set()), "the bytes around the mark stay"
    for state in ("done", "in_progress", "skipped", "todo"):
        assert main(["set", str(path), "1", state]) == 0
        assert (_status(path, "1"), _status(path, "2")) == (state, "done")
    assert path.read_bytes() == before


def test_a_status_is_spelled_as_it_was_after_any_detour(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_text("| Phase | Status |\n|-|-|\n| 1 | ⏳ Waiting to start |\n", "utf-8")
    before = path.read_bytes()
    for state in ("in_progress", "blocked", "done", "partial", "in_progress", "todo"):
        assert main(["set", str(path), "1", state]) == 0
    assert path.read_bytes() == before


def test_without_a_memory_a_status_can_still_be_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("PLANRAIL_STATE_DIR", str(tmp_path / "file" / "no folder"))
    path = tmp_path / "plan.md"
    path.write_text("| Phase | Status |\n|-|-|\n| 1 | ⏳ Pending |\n", "utf-8")
    assert main(["set", str(path), "1", "done"]) == 0
    assert main(["set", str(path), "1", "todo"]) == 0
    assert _status(path, "1") == "todo"


def test_a_memory_that_is_broken_is_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = tmp_path / "state"
    monkeypatch.setenv("PLANRAIL_STATE_DIR", str(state))
    path = tmp_path / "plan.md"
    for memory in ("", "nonsense", "[]", '{"1": 5}', '{"1": {"todo": 5}}', '{"1": {"todo": "sparkling"}}', "\x00"):
        path.write_text("| Phase | Status |\n|-|-|\n| 1 | ✅ |\n| 2 | ⬜ |\n", "utf-8")
        remember(str(path), "1", State.TODO, "⏳")
        assert recall(str(path), "1", State.TODO) == "⏳"
        [file] = state.rglob("*.json")
        file.write_text(memory)
        assert main(["set", str(path), "1", "todo"]) == 0
        assert path.read_text("utf-8") == "| Phase | Status |\n|-|-|\n| 1 | ⬜ |\n| 2 | ⬜ |\n", memory
        file.unlink()


def test_planrail_writes_beside_no_plan_and_into_no_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    path = tmp_path / "plan.md"
    path.write_text("- [ ] a\n- [ ] b\n", "utf-8")
    for arguments in (["show"], ["next"], ["set", "1", "done"]):
        assert main([arguments[0], str(path), *arguments[1:]]) == 0
    assert sorted(tmp_path.iterdir()) == [home, path]
    assert list(home.iterdir()) == []


def test_the_mode_of_the_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    for mode in (0o600, 0o644, 0o755, *([0o444] if os.geteuid() == 0 else [])):
        path.write_text("- [ ] a\n- [ ] b\n", "utf-8")
        path.chmod(mode)
        assert main(["set", str(path), "1", "done"]) == 0
        assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("closed", ["file", "folder"])
def test_what_may_not_be_written_stays_as_it_is(
    closed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "folder" / "plan.md"
    path.parent.mkdir()
    path.write_text("- [ ] a\n- [ ] b\n", "utf-8")
    place = path if closed == "file" else path.parent
    place.chmod(0o444 if closed == "file" else 0o500)
    try:
        assert main(["set", str(path), "1", "done"]) == 11
    finally:
        place.chmod(0o700)
    assert path.read_text("utf-8") == "- [ ] a\n- [ ] b\n"
    assert list(path.parent.iterdir()) == [path]
    said = capsys.readouterr().err
    assert (f"chmod u+w {quote(str(path))}" if closed == "file" else "it is as it was") in said


def test_a_link_is_followed_stays_a_link_and_the_file_behind_it_is_remembered(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    real, link = tmp_path / "real" / "plan.md", tmp_path / "link.md"
    real.write_text("| Phase | Status |\n|-|-|\n| 1 | ⏳ Pending |\n", "utf-8")
    link.symlink_to(real)
    before = real.read_bytes()
    assert main(["set", str(link), "1", "done"]) == 0
    assert (link.is_symlink(), _status(real, "1"), list(real.parent.iterdir())) == (True, "done", [real])
    assert main(["set", str(real), "1", "todo"]) == 0
    assert real.read_bytes() == before


def test_a_disk_that_is_full_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_text("- [ ] a\n- [ ] b\n", "utf-8")
    done = planrail("set", str(path), "1", "done", file_bytes=4)
    assert (done.returncode, done.stdout) == (11, "")
    assert "it is as it was" in done.stderr
    assert path.read_text("utf-8") == "- [ ] a\n- [ ] b\n"
    assert list(tmp_path.iterdir()) == [path]
