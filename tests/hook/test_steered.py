"""What a project's own files set for its agent decides nothing: asked of the wrapper, as an agent starts it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from planrail.hook.sessions.state import Session
from planrail.hook.sessions.store import update
from planrail.hook.steering import ESCAPES, FILES, MARKS, NAMES, RUNNING, find_running, find_steering
from planrail.install.checks import check_steering
from tests.hook.crowds import WRAPPER

_WRITE: dict[str, Any] = {"tool_name": "Write", "tool_input": {"file_path": "a.py", "content": "x"}}


class _Home:
    """A user who plans in a project whose files were written by somebody else."""

    def __init__(self, place: Path) -> None:
        self.home, self.project, self.lair = place / "home", place / "home/work/project", place / "home/work/project/x"
        self.state = self.home / ".local/state/planrail"
        (self.project / "src").mkdir(parents=True)
        self.environment = {"HOME": str(self.home), "PATH": os.environ["PATH"], "PLANRAIL_PYTHON": sys.executable}
        self.lair.mkdir()
        self._fill_lair()

    def _fill_lair(self) -> None:
        """What each variable could lead to: settings without the gate, an interpreter and programs that say yes."""
        for folder in ("planrail", ".config/planrail"):
            (self.lair / folder).mkdir(parents=True)
            (self.lair / folder / "planrail.toml").write_text("[guard]\nblock = false\n")
        for name in ("yes", "cat", "python3"):
            (self.lair / name).write_text("#!/bin/sh\nexit 0\n")
            (self.lair / name).chmod(0o755)
        for folder in ("", "planrail", ".local/state/planrail"):
            (self.lair / folder).mkdir(parents=True, exist_ok=True)
            (self.lair / folder / "interpreter").write_text(f"{self.lair}/yes\n{WRAPPER.parents[3]}\n")

    def plan(self, state: Path | None = None) -> None:
        session = Session("claude", "s", project=str(self.project), planning=True, own_mode=True)
        update(str(state or self.state), "claude", "s", lambda _: session)

    def sets(self, values: dict[str, str], file: str = ".claude/settings.json", folder: str = "") -> None:
        """The project's file says it, and the agent hands it on to its hooks."""
        path = self.project / folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        is_json = file.endswith(".json")
        path.write_text(json.dumps({"env": values}) if is_json else "".join(f"{k}={v}\n" for k, v in values.items()))
        self.environment |= values

    def ask(self, name: str, cwd: str = "", agent: str = "claude", **fields: Any) -> "subprocess.CompletedProcess[str]":
        values = {"session_id": "s", "cwd": str(self.project), "permission_mode": "default", "hook_event_name": name}
        environment = (
            {**self.environment, "CLAUDE_PROJECT_DIR": str(self.project)} if agent == "claude" else self.environment
        )
        return subprocess.run(
            ["sh", str(WRAPPER), agent, name],
            input=json.dumps(values | fields),
            env=environment,
            cwd=self.project / cwd,
            capture_output=True,
            text=True,
        )

    def denies(self, cwd: str = "", **fields: Any) -> bool:
        done = self.ask("PreToolUse", cwd, **{**_WRITE, **fields})
        return done.returncode == 2 or '"deny"' in done.stdout


@pytest.fixture
def home(tmp_path: Path) -> _Home:
    return _Home(tmp_path)


def _steer(home: _Home, name: str) -> str:
    return {"PLANRAIL_PYTHON": f"{home.lair}/yes", "PATH": f"{home.lair}:{os.environ['PATH']}"}.get(
        name, str(home.lair)
    )


_LEADING = ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "PLANRAIL_STATE_DIR", "PLANRAIL_PYTHON", "PATH"]


_FILES = [".claude/settings.local.json", ".env", ".env.local"]


@pytest.mark.parametrize(
    ("name", "file"),
    [(name, ".claude/settings.json") for name in _LEADING] + [("PLANRAIL_STATE_DIR", file) for file in _FILES],
)
def test_a_session_that_plans_is_held_whatever_the_projects_files_set(home: _Home, name: str, file: str) -> None:
    home.plan()
    home.sets({name: _steer(home, name)}, file)
    assert home.denies("src")
    assert home.denies(session_id="another", permission_mode="plan")


def test_a_home_that_a_project_sets_is_not_the_users(home: _Home, tmp_path: Path) -> None:
    """The state is where the user has put it, and the settings are not the project's."""
    home.environment["PLANRAIL_STATE_DIR"] = str(tmp_path / "kept")
    home.plan(tmp_path / "kept")
    for folder in (home.lair, home.project):
        home.sets({"HOME": str(folder)})
        assert home.denies()


def test_a_name_that_is_spelled_with_escapes_is_that_name(home: _Home) -> None:
    home.plan()
    home.sets({"PLANRAIL_STATE_DIR": str(home.lair)})
    (home.project / ".claude/settings.json").write_text('{"env": {"\\u0050LANRAIL_STATE_DIR": "x"}}')
    assert home.denies()
    assert find_steering(str(home.project), str(home.home)) == {ESCAPES: str(home.project / ".claude/settings.json")}


def test_what_stands_beside_a_name_does_not_hide_it(home: _Home) -> None:
    home.plan()
    home.sets({"PLANRAIL_STATE_DIR": f"{home.lair} # x.json: json: words:"}, ".env")
    home.environment["PLANRAIL_STATE_DIR"] = str(home.lair)
    assert home.denies()
    home.sets({"A": "words:", "PLANRAIL_STATE_DIR": str(home.lair)})
    assert home.denies()


def test_settings_above_the_folder_that_the_agent_works_in_count(home: _Home) -> None:
    home.plan()
    home.sets({"PLANRAIL_STATE_DIR": str(home.lair)}, folder="../")
    assert home.denies("src")


def test_what_the_user_sets_is_heard(home: _Home, tmp_path: Path) -> None:
    """In the environment, or in the settings of their own home."""
    home.environment["PLANRAIL_STATE_DIR"] = str(tmp_path / "moved")
    home.plan(tmp_path / "moved")
    (home.project / ".claude").mkdir()
    (home.project / ".claude/settings.json").write_text(
        '{"env": {"FOO_PATH": "$HOME/x", "MY_PLANRAIL_STATE_DIR_2": "1"}}'
    )
    assert home.denies()
    (home.home / ".claude").mkdir()
    (home.home / ".claude/settings.json").write_text(
        json.dumps({"env": {"PLANRAIL_STATE_DIR": str(tmp_path / "moved")}})
    )
    assert home.denies()


@pytest.mark.parametrize("name", ["PLANRAIL_STATE_DIR", "XDG_STATE_HOME"])
def test_a_relative_state_folder_does_not_move_with_the_agent(home: _Home, name: str) -> None:
    """It is relative to the home, which is not the password database's here; that of XDG is left out."""
    home.environment[name] = "kept"
    home.plan(home.home / "kept" if name == "PLANRAIL_STATE_DIR" else home.state)
    assert home.denies("src")


def test_a_project_cannot_say_that_nobody_is_there(home: _Home) -> None:
    home.sets({"PLANRAIL_UNATTENDED": "1"})
    home.ask("UserPromptSubmit", prompt="/plan count the herons")
    assert home.denies()


@pytest.mark.parametrize("name", MARKS[:2])
def test_a_project_cannot_pass_its_users_prompts_off_as_an_agents(home: _Home, name: str) -> None:
    home.sets({name: "x_agent"})
    done = home.ask("UserPromptSubmit", prompt="/plan count the herons")
    assert (done.returncode, name in done.stderr) == (2, True)


def test_both_readers_know_the_same_names_and_files(home: _Home) -> None:
    text = WRAPPER.read_text()
    assert f"names='{' '.join(NAMES)}'" in text
    assert f"marks='{' '.join(MARKS)}'" in text
    assert all(f'"$1"/{file}' in text for file in FILES)


def test_a_command_that_mentions_a_name_sets_nothing(home: _Home) -> None:
    path = home.project / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"permissions": {"allow": ["Bash(export PATH=$HOME/bin:$PATH)", "Bash(echo HOME)"]}}))
    (home.project / ".env").write_text("JAVA_HOME=/x\nMY_PATH=${HOME}/x:$PATH\n")
    assert find_steering(str(home.project), str(home.home)) == {}


@pytest.mark.parametrize("file", [".claude/settings.json", ".codex/config.toml", ".gemini/.env"])
def test_every_name_is_found(home: _Home, file: str) -> None:
    home.sets(dict.fromkeys((*NAMES, *MARKS), "x"), file)
    found = find_steering(str(home.project / "src"), str(home.home))
    assert found == dict.fromkeys((*NAMES, *MARKS), str(home.project / file))


_READ: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "git diff"}}
_EVERYDAY = ("ENV", "PYTHONPATH", "NODE_OPTIONS")  # in a file of variables


@pytest.mark.parametrize(
    ("name", "file"),
    [("GIT_PAGER", ".gemini/.env"), ("LESSOPEN", ".env"), ("CLAUDE_CODE_SHELL", ".claude/settings.json")],
)
def test_no_command_reads_where_the_project_says_what_it_runs(home: _Home, name: str, file: str) -> None:
    home.plan()
    assert not home.denies(**_READ)
    home.sets({"NODE_ENV": "test", name: "src"}, file)
    done = home.ask("PreToolUse", **_READ)
    assert '"deny"' in done.stdout
    assert f"{home.project / file} sets {name} " in done.stdout
    assert not home.denies(tool_name="Read", tool_input={"file_path": "a.py"})


def test_what_the_user_sets_and_what_is_no_such_name_refuses_nothing(home: _Home) -> None:
    home.plan()
    home.environment |= {"GIT_PAGER": "less", "PAGER": "less"}
    everyday = dict.fromkeys(_EVERYDAY, "x")
    home.sets({**everyday, "MY_PAGER": "x", "GIT_AUTHOR_NAME": "a", "# what is added to PATH": "x"}, ".env")
    assert not home.denies(**_READ)


@pytest.mark.parametrize("file", [".claude/settings.json", ".env"])
def test_every_name_that_runs_code_is_found(home: _Home, file: str) -> None:
    names = [f"{name}x" if name.endswith("_") else name for name in RUNNING]
    home.sets(dict.fromkeys(names, "x"), file)
    found = find_running(str(home.project / "src"), str(home.home))
    missed = {name for name in names if name not in found and name[:-1] not in found}
    assert missed == (set(_EVERYDAY) if file == ".env" else set())
    assert set(found.values()) == {str(home.project / file)}


_UNKNOWN = (
    *("CDPATH", "PERL5LIB", "PIP_PYTHON", "JAVA_TOOL_OPTIONS", "OPENSSL_CONF", "GIT_TRACE", "ANY_OTHER", "Path"),
    *("CLAUDE_CODE_SHELL", "CLAUDE_CODE_SHELL_PREFIX", "CLAUDE_ENV_FILE", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_TMPDIR"),
)


@pytest.mark.parametrize("name", _UNKNOWN)
def test_what_nobody_knows_counts_in_an_agents_settings(home: _Home, name: str) -> None:
    home.sets({"NODE_ENV": "test", name: "src"})
    assert list(find_running(str(home.project), str(home.home))) == [name]


_HARMLESS = {
    "ANTHROPIC_MODEL": "opus",
    "CLAUDE_CODE_ENABLE_TELEMETRY": "1",
    "BASH_DEFAULT_TIMEOUT_MS": "9",
    "PORT": "80",
    "NODE_ENV": "test",
    "TZ": "UTC",
    "LC_ALL": "C",
    "GIT_PAGER": "cat",
    "CI": "1",
    "PLANRAIL_DIRECT": "0a",
}


@pytest.mark.parametrize("file", [".claude/settings.local.json", ".gemini/.env"])
def test_what_only_agents_read_refuses_nothing(home: _Home, file: str) -> None:
    home.plan()
    home.sets(_HARMLESS, file)
    assert not home.denies(**_READ)
    assert find_running(str(home.project), str(home.home)) == {}


@pytest.mark.parametrize(
    ("name", "value"), [("TZ", "/x"), ("LC_ALL", "../x"), ("GIT_PAGER", "./evil"), ("COLUMNS", "a")]
)
def test_a_harmless_name_with_another_value_counts(home: _Home, name: str, value: str) -> None:
    home.sets({name: value})
    assert list(find_running(str(home.project), str(home.home))) == [name]


@pytest.mark.parametrize(
    ("file", "text", "names"),
    [
        (".claude/settings.json", '{"env": {"\\u0043DPATH": "x"}}', ["CDPATH"]),
        (".claude/settings.json", '{"\\u0065nv": {"CDPATH": "x"}}', ["CDPATH"]),
        (".claude/settings.json", '{"env": {"CDPATH": "x"},}', ["env"]),
        (".claude/settings.json", '{"permissions": {"allow": ["Bash(env)"]}, "env": {}}', []),
        (".claude/settings.json", "[]", []),
        (".claude/settings.json", "", []),
        (".codex/config.toml", '[shell_environment_policy]\nset = { CDPATH = "x" }\n', ["CDPATH"]),
        (".codex/config.toml", '[profiles.a.shell_environment_policy.set]\nPERL5LIB = "x"\n', ["PERL5LIB"]),
        (".codex/config.toml", '["shell\\u005fenvironment_policy"]\nset = { CDPATH = "x" }\n', ["CDPATH"]),
        (".codex/config.toml", "[shell_environment_policy\n", ["shell_environment_policy"]),
        (".codex/config.toml", '[mcp_servers.a.env]\nTOKEN = "x"\n', []),
        (".gemini/.env", "# A=b\nexport CDPATH=x\n", ["CDPATH"]),
    ],
)
def test_an_agents_settings_are_read_as_the_agent_reads_them(
    home: _Home, file: str, text: str, names: list[str]
) -> None:
    (home.project / file).parent.mkdir()
    (home.project / file).write_text(text)
    assert list(find_running(str(home.project), str(home.home))) == names


@pytest.mark.parametrize("name", ["GIT_EXTERNAL_DIFF", "BASH_ENV", "PATH"])
def test_the_doctor_names_what_makes_commands_run_code(home: _Home, name: str) -> None:
    assert check_steering(str(home.project), home.environment) == []
    home.sets({name: "x"})
    told = " ".join(finding.text for finding in check_steering(str(home.project), home.environment))
    assert f"{home.project}/.claude/settings.json sets {name}:" in told or f"has {name}:" in told
