"""The rules behind the refusals, from their other side: what honest work does is let be."""

from pathlib import Path

import pytest

from planrail.agents.wires import last_object
from planrail.base.run_model import CheckOrder
from planrail.runs.checks.check_places import make_seal
from planrail.runs.checks.surroundings import Surroundings
from planrail.runs.evidence.old_forms import find_hollow_scripts
from planrail.runs.evidence.running_files import judge_links


@pytest.mark.parametrize(
    ("path", "target", "leads_out"),
    [
        ("a", "b", False),
        ("docs/a", "../README", False),
        ("docs/a", "./b/../c", False),
        ("docs/a", "../../README", True),
        ("a", "..", True),
        ("a", "/etc/passwd", True),
        ("a", "..b/c", False),
    ],
)
def test_a_link_may_lead_anywhere_inside_of_the_work(path: str, target: str, *, leads_out: bool) -> None:
    assert bool(judge_links({path: target})) is leads_out


@pytest.mark.parametrize(
    ("check", "path", "text", "is_hollow"),
    [
        ("sh check.sh", "check.sh", "exit 0\n", True),
        ("./run-tests", "run-tests", "#!/bin/sh\necho 12 passed\n", True),
        ("sh check.sh", "check.sh", "set -e\ngrep -q hello greeting.txt\n", False),
        ('test "$(sh test-greet.sh)" = hello', "test-greet.sh", "echo hello\n", False),
        ("sh greet.sh", "greet.sh", "echo hello\n", False),
        ("sh check.sh", "other-check.sh", "exit 0\n", False),
        ("python3 check.py", "check.py", "print('ok')\n", False),
    ],
)
def test_only_a_check_that_is_nothing_but_a_hollow_script_is_refused(
    check: str, path: str, text: str, *, is_hollow: bool
) -> None:
    found = find_hollow_scripts([CheckOrder(check, 1, "block")], {path: (None, text.encode())})
    assert bool(found) is is_hollow


def test_an_answer_that_is_given_twice_is_an_answer_and_a_contradicted_one_is_none() -> None:
    yes, no = '{"items": [1]}', '{"items": [2]}'
    assert last_object(f"first {yes}, again:\n```json\n{yes}\n```") == yes
    assert last_object(f'the settings are {{"a": 1}}; {yes}') == yes
    assert last_object(f"{no}; it quotes {yes}") == ""


def test_a_seal_holds_as_long_as_nobody_touches_anything(tmp_path: Path) -> None:
    (tmp_path / "kept" / "deep").mkdir(parents=True)
    (tmp_path / "kept" / "deep" / "file").write_text("a")
    (tmp_path / "index").write_text("b")
    seal = make_seal(str(tmp_path), ("kept", "missing"), str(tmp_path / "index"))
    (tmp_path / "beside").write_text("c")
    assert make_seal(str(tmp_path), ("kept", "missing"), str(tmp_path / "index")) == seal
    (tmp_path / "kept" / "deep" / "file").write_text("d")
    assert make_seal(str(tmp_path), ("kept", "missing"), str(tmp_path / "index")) != seal


def test_a_small_program_that_is_written_anew_as_it_was_has_not_changed(tmp_path: Path) -> None:
    """Version managers do so with all their programs whenever something is installed."""
    place = tmp_path / "bin" / "pytest"
    place.parent.mkdir()
    around = _look(tmp_path)
    for text, is_changed in (("#!/bin/sh\n", True), ("#!/bin/sh\n", True)):
        _write(place, text)
        assert bool(around.judge()) is is_changed
    again = _look(tmp_path, "again.json")
    _write(place, "#!/bin/sh\n")
    assert again.judge() == []
    _write(place, "#!/bin/sh\nexit 0\n")
    assert [finding.text for finding in again.judge()] != []


def _look(folder: Path, record: str = "record.json") -> Surroundings:
    (folder / ".git").mkdir(exist_ok=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    given = {"PATH": str(folder / "bin"), "HOME": str(folder / "home")}
    made = Surroundings(str(folder), given, str(folder / record), lambda hash: True, str(folder / "rooms"))
    assert made.judge() == []
    return made


def _write(place: Path, text: str) -> None:
    place.unlink(missing_ok=True)
    place.write_text(text)
    place.chmod(0o755)
