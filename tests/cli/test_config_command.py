"""`planrail config`: which settings hold, where each comes from, and a change that changes nothing else."""

import json
import subprocess
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.errors import UsageError
from planrail.base.settings.tables import TABLES
from planrail.cli.main import main
from planrail.projects.settings_writing import set_value, spell_value
from tests.cli.run_projects import make_project

Out = pytest.CaptureFixture[str]
WORDS = st.text(st.characters(codec="utf-8"), max_size=12)
VALUES = st.booleans() | st.integers(-(2**40), 2**40) | WORDS | st.lists(WORDS, max_size=3)
NAMES = [(table, key) for table, keys in TABLES.items() for key in keys]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = make_project(tmp_path / "project")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(made)
    return made


def _ask(capsys: Out, *words: str) -> dict[str, dict[str, object]]:
    assert main(["config", *words, "--json"]) == 0
    return {one["name"]: one for one in json.loads(capsys.readouterr().out)["settings"]}


def test_only_what_differs_from_the_defaults_is_shown(project: Path, capsys: Out) -> None:
    told = _ask(capsys)
    assert list(told) == ["approval.required"]
    assert told["approval.required"]["origin"] == "planrail.toml"
    assert {f"{table}.{key}" for table, key in NAMES} == set(_ask(capsys, "--all"))
    assert main(["config", "worker"]) == 0
    assert "worker.slots      = 4" in capsys.readouterr().out


def test_a_change_holds_once_it_is_committed_and_until_then_says_so(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    (project / "sub").mkdir()
    monkeypatch.chdir(project / "sub")
    assert main(["config", "run.agent", "claude"]) == 0
    shown = capsys.readouterr().out
    assert "holds once it is committed" in shown
    assert _ask(capsys, "run.agent")["run.agent"]["value"] == "runbook"
    assert _ask(capsys)["run.agent"]["uncommitted"] is True
    command = shown.rpartition("next: ")[2].strip()
    subprocess.run(["sh", "-c", f"git config user.name t; git config user.email t@localhost; {command}"], check=True)
    assert _ask(capsys, "run.agent")["run.agent"] == {
        "name": "run.agent",
        "value": "claude",
        "origin": "planrail.toml",
        "accepts": 'the name of an agent, such as "claude"',
        "uncommitted": False,
    }


def test_the_users_own_file_holds_at_once(project: Path, tmp_path: Path, capsys: Out) -> None:
    assert main(["config", "context.warn", "40", "--user"]) == 0
    capsys.readouterr()
    own = tmp_path / "config" / "planrail" / "planrail.toml"
    assert own.read_text() == "[context]\nwarn = 40\n"
    found = _ask(capsys, "context.warn")["context.warn"]
    assert (found["value"], found["origin"]) == (40, str(own))
    assert main(["config", "context.warn", "--unset", "--user"]) == 0
    assert own.read_text() == "[context]\n"
    capsys.readouterr()
    assert _ask(capsys, "context.warn")["context.warn"]["origin"] == "default"
    for words in (["--unset"], ["context", "--unset"], ["context.warn", "3", "--unset"]):
        assert main(["config", *words]) == 2


def test_what_makes_no_sense_is_refused_and_changes_nothing(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    before = (project / "planrail.toml").read_bytes()
    for name, value, said in (
        ("run.landing", "sideways", 'one of "cherry-pick", "pr", "direct"'),
        ("worker.slots", "many", "a whole number from 1 to 64"),
        ("run.agent", "nonsense", "use one of: claude, codex"),
        ("planning.agent", "gemini", "'gemini' is not an agent that planrail can plan with"),
        ("run.lading", "pr", "did you mean run.landing"),
        ("timeout", "3", "name one: planning.timeout"),
        ("guard.block", "false", "--user"),
        ("database", "x", "stands at the top of the file"),
    ):
        assert main(["config", name, value]) == 2
        assert said in capsys.readouterr().err
    assert (project / "planrail.toml").read_bytes() == before
    (tmp_path / "plain").mkdir()
    monkeypatch.chdir(tmp_path / "plain")
    assert main(["config", "run.agent", "claude"]) == 2, "outside of a repository nothing is committed"
    assert "--user" in capsys.readouterr().err
    assert list((tmp_path / "plain").iterdir()) == []


TEXTS = st.lists(
    st.sampled_from(
        [
            "# a comment",
            "",
            "[run]",
            "  [ run ]  # of agents",
            'agent = "claude"',
            "[worker]",
            "slots = 2 # few",
            "parallel = 3",
            "include = [\n  'a',\n]",
            '"agent" = "quoted"',
            "[planning.words]",
            'aspects = ["x"]',
            "run.model = 'dotted'",
            'command = """\n[run]\nagent = 1\n"""',
        ]
    ),
    max_size=10,
).map("\n".join)


@given(TEXTS, st.sampled_from(NAMES), VALUES | st.none())
def test_a_change_changes_one_setting_and_not_one_other_byte_or_refuses(
    text: str, name: tuple[str, str], value: object
) -> None:
    table, key = name
    try:
        wanted = tomllib.loads(text)
        wanted.setdefault(table, {})[key] = value
        if value is None:
            del wanted[table][key]
    except (tomllib.TOMLDecodeError, TypeError):
        return
    try:
        changed = set_value(text, table, key, value)
    except UsageError:
        return
    assert tomllib.loads(changed) == wanted or (value is None and tomllib.loads(changed) | {table: {}} == wanted)
    kept = iter(changed.splitlines())
    lost = [line for line in text.splitlines() if line not in kept]
    assert len(lost) <= 1


@given(VALUES)
def test_a_value_is_spelled_as_toml_reads_it(value: object) -> None:
    assert tomllib.loads(f"value = {spell_value(value)}")["value"] == value
