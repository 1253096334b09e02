"""What runs things outside of a workspace is seen wherever it lies; what changes with each use of a program is not."""

import json
import subprocess
from pathlib import Path

import pytest

from planrail.runs.steps.outside import OutsideFiles

# One for each way to name a file in the table: plain, by a pattern, by a folder, by keys, by settings that lead to it.
# By the path in the home folder (`repo/` is the repository): what stands there before, and what an agent makes of it.
_PLANTS: dict[str, tuple[str | None, str]] = {
    ".gitconfig-work": ("[user]\n  name = Ann\n", "[core]\n  sshCommand = sh x\n"),
    ".gitconfig-deep": ("", "[alias]\n  st = !sh x\n"),
    ".gitattributes": ("", "* filter=x\n"),
    ".config/git/ignore": ("", "tests/\n"),
    ".ssh/hosts/work.conf": ("", "Host *\n  ProxyCommand sh x\n"),
    ".claude.json": (
        json.dumps({"projects": {"/a": {"mcpServers": {}}}}),
        json.dumps({"projects": {"/a": {"mcpServers": {"x": {"command": "sh"}}}}}),
    ),
    ".claude/plugins/cache/market/helper/1.0/hooks/hooks.json": (None, "{}"),
    ".claude/plugins/installed_plugins.json": (
        '{"plugins": {"a": [{"installPath": "/a"}]}}',
        '{"plugins": {"a": [{"installPath": "/x"}]}}',
    ),
    ".codex/config.toml": ("", 'notify = ["sh", "x"]\n'),
    ".gemini/extensions/helper/gemini-extension.json": (None, "{}"),
    ".config/opencode/opencode.jsonc": ("{} // mine", '{"$schema": "x", "mcp": {}} // mine'),
    "repo/.git/config": (None, '[remote "origin"]\n  pushurl = x\n'),
    "bin/tool": (None, "x"),
    ".local/bin/tool": ("x", "y"),
    ".config/systemd/user/x.service": (None, "x"),
    ".docker/config.json": ('{"credsStore": "desktop"}', '{"credsStore": "x"}'),
    ".config/gh/config.yml": ("", "aliases:\n  co: '!sh x'\n"),
    ".pythonrc": (None, "x"),
}
_BEFORE = {
    ".gitconfig": '[include]\n\tpath = .gitconfig-work\n[include] path = "~/.gitconfig-new"\n'
    '[includeIf "gitdir:/elsewhere/"]\n  path = ~/.gitconfig-between ; a remark\n[core]\n attributesFile = ~/.gitattributes\n',
    ".gitconfig-between": "[include]\npath = .gitconfig-deep\n",
    ".ssh/config": "Include hosts/*.conf\nHost a\n",
}
# What programs write whenever they are used.
_USES: dict[str, tuple[str, str]] = {
    ".jupyter/lab/workspaces/default.jupyterlab-workspace": ("{}", '{"data": 1}'),
    ".claude.json": (
        '{"numStartups": 1, "mcpServers": {"a": {"command": "b"}}}',
        '{"numStartups": 2, "projects": {"/w": {"mcpServers": {}, "history": ["x"]}}, "mcpServers": {"a": {"command": "b"}}}',
    ),
    ".claude/plugins/installed_plugins.json": (
        '{"plugins": {"a": [{"installPath": "/a", "lastUpdated": "1"}]}}',
        '{"plugins": {"a": [{"installPath": "/a", "lastUpdated": "2"}]}}',
    ),
    ".config/opencode/opencode.json": ('{"model": "a"}', '{"$schema": "x", "model": "a"}'),
    ".docker/config.json": ('{"auths": {}}', '{"auths": {"ghcr.io": {}}, "currentContext": "x"}'),
    ".ssh/known_hosts": ("", "host key"),
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", "-b", "main", str(tmp_path / "repo")], check=True)
    for name, text in _BEFORE.items():
        _write(tmp_path, name, text)
    return tmp_path


@pytest.mark.parametrize("name", _PLANTS)
def test_what_runs_things_is_seen(home: Path, name: str) -> None:
    before, after = _PLANTS[name]
    assert str(home / name) in _changed(home, name, before, after)


@pytest.mark.parametrize("name", _USES)
def test_what_changes_with_each_use_of_a_program_is_not(home: Path, name: str) -> None:
    assert _changed(home, name, *_USES[name]) == set()


@pytest.mark.parametrize(
    ("key", "value", "is_seen"),
    [
        ("branch.main.remote", "origin", False),
        ("branch.main.merge", "refs/heads/main", False),
        ("branch.main.remote", "https://example.org/x.git", True),
        ("branch.main.pushRemote", "origin", True),
        ("remote.origin.url", "x", True),
        ("core.fsmonitor", "x", True),
        ("alias.st", "!x", True),
    ],
)
def test_settings_of_the_repository_count_but_for_what_a_push_notes(
    home: Path, key: str, value: str, *, is_seen: bool
) -> None:
    looker = _looker(home)
    before = looker.look()
    subprocess.run(["git", "-C", str(home / "repo"), "config", key, value], check=True)
    assert (looker.look() != before) is is_seen


def test_programs_of_the_path_are_left_to_the_comparison_of_what_checks_run(home: Path) -> None:
    looker = OutsideFiles(str(home / "repo"), {"HOME": str(home), "PATH": str(home / ".local" / "bin")})
    before = looker.look()
    _write(home, ".local/bin/tool", "x")
    assert looker.look() == before


def _changed(home: Path, name: str, before: str | None, after: str) -> set[str]:
    if before is not None:
        _write(home, name, before)
    looker = _looker(home)
    was = looker.look()
    _write(home, name, after)
    now = looker.look()
    return {place for place in was.keys() | now.keys() if was.get(place) != now.get(place)}


def _looker(home: Path) -> OutsideFiles:
    return OutsideFiles(str(home / "repo"), {"HOME": str(home), "PATH": "/nowhere"})


def _write(home: Path, name: str, text: str) -> None:
    place = home / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
