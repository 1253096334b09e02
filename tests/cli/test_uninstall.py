"""`planrail uninstall` gives every byte back, whatever happened in between."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.install.json import RULES, dump, holds, load, put_in, take_out
from planrail.install.targets import InstallPlace, make_target
from tests.cli.installations import ALL, LOCAL, MINE, THEIRS, Project, walk


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.mark.parametrize("files", [files for _, files in THEIRS], ids=[name for name, _ in THEIRS])
def test_a_second_init_changes_nothing_and_after_uninstalling_a_project_is_as_it_was(
    project: Project, files: dict[str, str | bytes]
) -> None:
    project.write("src/a.py", "x = 1\n")
    for path, data in files.items():
        project.write(path, data)
    for _ in ("not committed", "committed"):
        before = project.look()
        project.init("--agent", ALL, "--settings")
        first = project.look(), [path.stat().st_mtime_ns for path in walk(project.root)]
        assert first[0] != before
        assert "nothing was written" in project.run("init", "--agent", ALL, "--settings").stdout
        assert (project.look(), [path.stat().st_mtime_ns for path in walk(project.root)]) == first
        project.uninstall()
        assert project.look() == before
        project.git("add", "-A")
        project.git("commit", "-q", "--allow-empty", "-m", "all")


def test_what_a_user_writes_meanwhile_is_kept_and_only_planrails_entries_go(project: Project) -> None:
    project.write(LOCAL, '{"model": "opus"}')
    project.init("--agent", ALL, "--settings")
    changed = project.local() | {"permissions": {"allow": ["Bash(make)"]}, "env": {"PLANRAIL_DIRECT": "/elsewhere/"}}
    changed["hooks"]["Stop"].append({"hooks": [MINE]})  # type: ignore[index]
    project.write(LOCAL, json.dumps(changed))
    project.write("planrail.toml", "[context]\nwarn = 40\n")
    script = project.root / ".opencode/plugins/planrail.js"
    script.write_text(script.read_text() + "// mine\n")
    (project.root / ".gemini/settings.json").unlink()
    said = project.uninstall()
    mine = {"model": "opus", "permissions": {"allow": ["Bash(make)"]}, "hooks": {"Stop": [{"hooks": [MINE]}]}}
    assert {name: value for name, value in project.local().items() if name != "env"} == mine
    assert "what you changed meanwhile is kept" in said
    assert (project.root / "planrail.toml").read_text() == "[context]\nwarn = 40\n"
    copy = said.split("was kept: ")[1].splitlines()[0]
    assert Path(copy).read_text().endswith("// mine\n")
    assert not script.exists()
    assert not (project.root / ".gemini/settings.json").exists()


def test_what_a_user_writes_meanwhile_outlives_a_second_init(project: Project) -> None:
    project.init("--agent", "claude")
    project.write(LOCAL, json.dumps({**project.local(), "model": "opus", "env": {"PLANRAIL_DIRECT": "/elsewhere/"}}))
    project.init("--agent", "claude")
    project.uninstall()
    assert project.local() == {"model": "opus"}


def test_a_file_that_was_broken_meanwhile_is_left_alone_and_can_be_tried_again(project: Project) -> None:
    project.init("--agent", "claude,codex")
    kept = (project.root / LOCAL).read_bytes()
    project.write(LOCAL, "{")
    done = project.run("uninstall")
    assert (done.returncode, (project.root / LOCAL).read_text()) == (1, "{")
    assert not (project.root / ".codex").exists()
    project.write(LOCAL, kept)
    project.uninstall()
    assert not (project.root / ".claude").exists()


_KILLED = """
import os, signal, sys
from planrail.cli import main
from planrail.install import files as install_files
from planrail.install import records as install_records
count = int(sys.argv.pop(1))
replace = install_records.replace_file
def die(path, data, mode=None):
    global count
    if count == 0:
        if sys.argv[1] == "torn":
            open(os.path.realpath(path) + install_records.TEMPORARY, "wb").write(data[:10])
        os.kill(os.getpid(), signal.SIGKILL)
    count -= 1
    replace(path, data, mode)
install_files.replace_file = install_records.replace_file = die
main.main(sys.argv[2:])
"""


@pytest.mark.parametrize(
    ("count", "how"),
    [
        *((count, "between") for count in range(6)),
        (1, "torn"),
        *(pytest.param(count, "torn", marks=pytest.mark.full) for count in (0, 2, 3, 4, 5)),
    ],
)
def test_an_init_that_was_killed_can_be_taken_back_or_finished(project: Project, count: int, how: str) -> None:
    project.write(".gemini/settings.json", '{"theme": "x"}')
    before = project.look()
    command = [sys.executable, "-c", _KILLED, str(count), how, "init", "--agent", ALL]
    environment = {**os.environ, "HOME": str(project.home)}
    for is_finished in (False, True):
        killed = subprocess.run(command, cwd=project.root, env=environment, capture_output=True)
        assert killed.returncode == -9
        if is_finished:
            project.init()
            assert "nothing was written" in project.run("init", "--agent", ALL).stdout
        project.uninstall()
        assert project.look() == before


def test_it_is_taken_out_even_where_nothing_is_remembered(project: Project) -> None:
    project.init("--agent", ALL)
    project.write(LOCAL, json.dumps({**project.local(), "model": "opus"}))
    for record in Path(os.environ["PLANRAIL_STATE_DIR"]).glob("installs/*.json"):
        record.unlink()
    project.uninstall()
    assert project.local() == {"model": "opus"}
    assert [str(path.relative_to(project.root)) for path in walk(project.root) if path.is_file()] == [LOCAL]


def test_for_a_user_it_goes_into_the_users_own_settings_and_out_again(project: Project) -> None:
    settings = project.home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"model":"opus"}')
    assert project.run("init", "--user", "--agent", ALL).returncode == 0
    assert holds(
        load(settings.read_bytes()), make_target("claude", InstallPlace("/", is_user=True), {"HOME": "/none"}).entries
    )
    assert not (project.root / ".claude").exists()
    assert project.run("uninstall", "--user").returncode == 0
    assert settings.read_text() == '{"model":"opus"}'
    assert sorted(path.name for path in project.home.iterdir()) == [".claude"]


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
GROUPS = st.lists(
    JSON_VALUES | st.fixed_dictionaries({"hooks": st.lists(st.just(MINE) | JSON_VALUES, max_size=2)}), max_size=2
)
EVENTS = st.sampled_from(["PreToolUse", "Stop", "Setup"])
TABLES = {name: st.dictionaries(st.text(max_size=5), JSON_VALUES, max_size=2) for name in ("env", "enabledPlugins")}
RULE_LISTS = st.lists(st.sampled_from([*RULES, "Bash(make)", "Read"]), max_size=8)
DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "hooks": st.dictionaries(EVENTS, GROUPS, max_size=3),
        "permissions": st.fixed_dictionaries({}, optional={"allow": RULE_LISTS, "deny": JSON_VALUES}),
        "other": JSON_VALUES,
        **TABLES,
    },
)


ENTRIES = make_target("claude", InstallPlace("/x"), {"HOME": "/nowhere"}, allow=True).entries


@given(DOCUMENTS)
def test_what_is_put_in_can_be_taken_out_of_any_document(document: dict[str, object]) -> None:
    merged = put_in(document, ENTRIES)
    assert holds(merged, ENTRIES)
    assert take_out(merged, document) == document
    assert load(dump(merged)) == merged
