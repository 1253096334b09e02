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
from planrail.cli.install.targets import plugin_folder, wrapper_path
from planrail.settings import load_settings

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


def test_it_listens_only_to_events_that_the_oldest_version_knows() -> None:
    assert set(read_hooks()) <= KNOWN_EVENTS


def test_the_gate_alone_blocks_when_its_hook_breaks() -> None:
    blocking = {event for event, hooks in read_hooks().items() for hook in hooks if "onFailure" in hook}
    assert blocking == {"PreToolUse"}


def test_every_hook_says_how_long_it_may_take() -> None:
    for hooks in read_hooks().values():
        for hook in hooks:
            assert isinstance(hook["timeout"], int)


def test_every_hook_names_its_own_event_and_quotes_the_folder() -> None:
    for event, hooks in read_hooks().items():
        for hook in hooks:
            assert f'"${{CLAUDE_PLUGIN_ROOT}}/hooks/planrail-hook" claude {event} ' in str(hook["command"])


@pytest.mark.parametrize(
    ("direct", "project", "runs"),
    [
        (None, "/a/project", True),
        ("/a/project/", "/a/project", False),
        ("/a/project/", "/a/project/sub", False),
        ("/a/project/", "/a/project-two", True),
        ("/", "/anywhere", False),
        ("", "/a/project", True),
    ],
)
def test_its_hooks_step_aside_only_where_the_settings_have_them(
    direct: str | None, project: str, runs: bool, tmp_path: Path
) -> None:
    (tmp_path / "a b/hooks").mkdir(parents=True)
    (tmp_path / "a b/hooks/planrail-hook").write_text('echo "$@"\n')
    environment = {
        "CLAUDE_PLUGIN_ROOT": str(tmp_path / "a b"),
        "CLAUDE_PROJECT_DIR": project,
        "PATH": os.environ["PATH"],
    }
    if direct is not None:
        environment["PLANRAIL_DIRECT"] = direct
    for event, hooks in read_hooks().items():
        done = subprocess.run(["sh", "-c", str(hooks[0]["command"])], env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, f"claude {event}\n" if runs else "")


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.stem)
def test_what_a_user_types_after_a_command_never_reaches_a_shell(path: Path) -> None:
    assert not re.search(r"(^|\s)!`|^!", path.read_text(), re.MULTILINE)
    assert "allowed-tools" not in front_matter(path)


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.stem)
def test_a_command_is_the_users_and_the_model_cannot_call_it(path: Path) -> None:
    fields = front_matter(path)
    assert fields["disable-model-invocation"] == "true"
    assert fields["description"]


@pytest.mark.parametrize("path", sorted((PLUGIN / "agents").glob("*.md")), ids=lambda path: path.stem)
def test_its_agents_have_no_tool_that_writes(path: Path) -> None:
    assert set(front_matter(path)["tools"].split(", ")) == {"Read", "Grep", "Glob", "Bash"}


def test_its_commands_are_those_that_the_hook_understands() -> None:
    from planrail.sessions.triggers import read_command

    answered_by_the_program = {"task"}
    for path in COMMANDS:
        if path.stem in answered_by_the_program:
            continue
        assert read_command(f"/planrail:{path.stem} x") is not None, path.stem


def test_it_has_the_version_of_the_package() -> None:
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


def test_it_is_shipped_whole_in_the_wheel(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    shipped = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("planrail/plugin/")}
    there = {f"planrail/plugin/{path.relative_to(PLUGIN)}" for path in PLUGIN.rglob("*") if path.is_file()}
    assert shipped == there
    assert f"planrail/plugin/{Path(wrapper_path()).relative_to(PLUGIN)}" in shipped


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
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
