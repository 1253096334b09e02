"""The Claude Code plugin: what it listens to, what it may do, and that it is shipped whole."""

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import planrail
from planrail.base.settings import load_settings
from planrail.hook.sessions.triggers import read_command
from planrail.install.secrets import forget_secret, keep_secret, secret_of
from planrail.install.targets import InstallPlace, plugin_folder, wrapper_path
from tests.support.patience import PATIENCE

ROOT = Path(__file__).parent.parent.parent
PLUGIN = Path(plugin_folder())
CLAUDE = ROOT / ".agents/claude-2.1.325/node_modules/.bin/claude"
# An event that is not in this list makes the oldest version that is supported, 2.1.197, drop the whole file.
_EVENTS = (
    "PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit UserPromptExpansion "
    "SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PermissionRequest "
    "PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange "
    "WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged MessageDisplay"
)
KNOWN_EVENTS = set(_EVENTS.split())
COMMANDS = sorted((PLUGIN / "commands").glob("*.md"))


def read_hooks() -> dict[str, list[dict[str, object]]]:
    """Every hook of the plugin, by event."""
    events = json.loads((PLUGIN / "hooks/hooks.json").read_text())["hooks"]
    return {event: [hook for group in groups for hook in group["hooks"]] for event, groups in events.items()}


def front_matter(path: Path) -> dict[str, str]:
    """The fields at the top of a document."""
    lines = path.read_text().split("---\n")[1].splitlines()
    return dict(line.split(": ", 1) for line in lines)


def test_its_hooks_name_their_events_which_the_oldest_version_knows_and_the_gate_alone_blocks() -> None:
    hooks = read_hooks()
    assert set(hooks) <= KNOWN_EVENTS
    assert {event for event, listed in hooks.items() for hook in listed if "onFailure" in hook} == {"PreToolUse"}
    for event, listed in hooks.items():
        for hook in listed:
            assert isinstance(hook["timeout"], int)
            assert f'"${{CLAUDE_PLUGIN_ROOT}}/hooks/planrail-hook" claude {event} ' in str(hook["command"])


class _Steps:
    """A project beside a state folder, and whether the plugin's hook answers there."""

    def __init__(self, place: Path) -> None:
        self.state, self.project = place / "state", place / "a project"
        self.project.mkdir()
        self.secret = secret_of(InstallPlace(str(self.project)).scope, str(self.state))

    def keep(self, state: Path | None = None, *, is_user: bool = False) -> None:
        keep_secret(InstallPlace(str(self.project), is_user=is_user).scope, str(state or self.state), self.secret)

    def answers(self, direct: str | None, project: Path | None = None, **more: str) -> bool:
        """A plan mode without a session is denied by whichever hook answers."""
        environment = {
            "CLAUDE_PLUGIN_ROOT": str(PLUGIN),
            "CLAUDE_PROJECT_DIR": str(project or self.project),
            "PATH": os.environ["PATH"],
            "HOME": str(self.state.parent),
            "PLANRAIL_STATE_DIR": str(self.state),
            "PLANRAIL_PYTHON": sys.executable,
            **more,
        }
        if direct is not None:
            environment["PLANRAIL_DIRECT"] = direct
        event = b'{"hook_event_name": "PreToolUse", "permission_mode": "plan", "tool_name": "Bash"}'
        command = str(read_hooks()["PreToolUse"][0]["command"])
        done = subprocess.run(
            ["sh", "-c", command], env=environment, input=event, capture_output=True, cwd=self.project
        )
        assert done.returncode in (0, 2), done.stderr
        return done.returncode == 2


@pytest.fixture
def steps(tmp_path: Path) -> _Steps:
    return _Steps(tmp_path)


def test_its_hooks_step_aside_where_the_settings_have_the_secret_of_the_folder(steps: _Steps) -> None:
    assert steps.answers(steps.secret)  # known to nobody yet
    steps.keep()
    (steps.project / "sub").mkdir()
    assert not steps.answers(steps.secret)
    assert not steps.answers(steps.secret, steps.project / "sub")
    assert steps.answers(None)
    assert steps.answers("")


def test_a_secret_for_one_folder_is_none_for_another_and_nothing_can_be_guessed(steps: _Steps, tmp_path: Path) -> None:
    steps.keep()
    for direct in ("/", "*", "../direct", "0" * 64, "?" * 64, "../interpreter\n", f"{steps.project}/"):
        assert steps.answers(direct)
    (tmp_path / "a project two").mkdir()
    assert steps.answers(steps.secret, tmp_path / "a project two")
    steps.keep(is_user=True)
    assert not steps.answers(steps.secret, tmp_path / "a project two")


def test_a_project_cannot_bring_the_record_of_a_secret_along(steps: _Steps, tmp_path: Path) -> None:
    """Its settings may move the state as well: into itself, through a link, or to a package that it depends on."""
    steps.keep(steps.project / "state")
    assert steps.answers(steps.secret, PLANRAIL_STATE_DIR=str(steps.project / "state"))
    assert steps.answers(steps.secret, PLANRAIL_STATE_DIR="a project/state")
    assert steps.answers(steps.secret, PLANRAIL_STATE_DIR="/proc/self/cwd/state")
    assert steps.answers(steps.secret, PLANRAIL_STATE_DIR="", XDG_STATE_HOME=str(steps.project / "xdg"))
    package = tmp_path / "packages/evil/state"
    steps.keep(package)
    (package / "direct" / steps.secret).chmod(0o644)  # what installers and git write
    assert steps.answers(steps.secret, PLANRAIL_STATE_DIR=str(package))


def test_the_secret_of_a_folder_is_long_its_own_and_stays(steps: _Steps, tmp_path: Path) -> None:
    steps.keep()
    assert len(steps.secret) == 64
    assert secret_of(InstallPlace(str(steps.project)).scope, str(steps.state)) == steps.secret
    assert secret_of(InstallPlace(str(tmp_path)).scope, str(steps.state)) != steps.secret
    forget_secret(InstallPlace(str(steps.project)).scope, str(steps.state))
    assert steps.answers(steps.secret)


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.stem)
def test_a_command_is_the_users_and_what_they_type_after_it_never_reaches_a_shell(path: Path) -> None:
    fields = front_matter(path)
    assert fields["disable-model-invocation"] == "true"
    assert fields["description"]
    assert "allowed-tools" not in fields
    assert not re.search(r"(^|\s)!`|^!", path.read_text(), re.MULTILINE)
    assert path.stem == "task" or read_command(f"/planrail:{path.stem} x") is not None  # that one the program answers


def test_its_agents_have_no_tool_that_writes_and_it_has_the_version_of_the_package() -> None:
    for path in (PLUGIN / "agents").glob("*.md"):
        assert set(front_matter(path)["tools"].split(", ")) == {"Read", "Grep", "Glob", "Bash"}
    assert json.loads((PLUGIN / ".claude-plugin/plugin.json").read_text())["version"] == planrail.__version__


def test_the_settings_to_choose_from_are_the_defaults(tmp_path: Path) -> None:
    text = (PLUGIN / "planrail.toml").read_text()
    alone = {"XDG_CONFIG_HOME": str(tmp_path)}
    defaults = load_settings(None, alone)
    assert load_settings(_written(tmp_path / "as-is", text), alone) == defaults
    chosen = re.sub(r"^# (?=\w+ = )", "", text, flags=re.MULTILINE)
    settings = load_settings(_written(tmp_path / "chosen", chosen), alone)
    assert (settings.lint, settings.planning, settings.guard) == (defaults.lint, defaults.planning, defaults.guard)
    assert (settings.context.warn, settings.context.hold) == (defaults.context.warn, defaults.context.hold)
    assert settings.tasks == defaults.tasks
    assert len(re.findall(r"^\w+ = ", chosen, re.MULTILINE)) == 46


def _written(folder: Path, text: str) -> str:
    folder.mkdir()
    (folder / "planrail.toml").write_text(text)
    return str(folder)


@pytest.mark.full
def test_it_is_shipped_whole_in_the_wheel(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    shipped = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("planrail/plugin/")}
    there = {f"planrail/plugin/{path.relative_to(PLUGIN)}" for path in PLUGIN.rglob("*") if path.is_file()}
    assert shipped == there
    assert f"planrail/plugin/{Path(wrapper_path()).relative_to(PLUGIN)}" in shipped


@pytest.mark.full
@pytest.mark.skipif(not CLAUDE.exists(), reason="Claude Code 2.1.325 is not installed in .agents")
def test_claude_code_finds_nothing_to_complain_about(tmp_path: Path) -> None:
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    command = [str(CLAUDE), "plugin", "validate", str(PLUGIN), "--strict", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
