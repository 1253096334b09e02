"""What an agent's environment may hold, and where its program is taken from."""

from pathlib import Path

import pytest

from planrail.agents.claude import CLAUDE, claude_names
from planrail.agents.codex import CODEX, variable_names
from planrail.agents.drivers import ALL_NAMES, load_driver
from planrail.agents.environment import build_environment, find_program
from planrail.base.errors import UsageError


def test_only_what_is_on_the_list_is_passed_on() -> None:
    given = {
        **dict.fromkeys(["PATH", "HOME", "LC_ALL", "XDG_CONFIG_HOME", "HTTPS_PROXY", "ANTHROPIC_API_KEY"], "kept"),
        **dict.fromkeys(
            ["GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "LD_PRELOAD", "OPENAI_API_KEY"], "not"
        ),
    }
    built = build_environment(given, CLAUDE)
    assert set(built.values()) == {"kept"}
    assert len(built) == 6


def test_what_ties_an_agent_to_the_session_that_we_were_started_from_is_left_out() -> None:
    given = dict.fromkeys(
        ["CLAUDE_CODE_SESSION_ID", "CLAUDE_PID", "CLAUDE_PROJECT_DIR", "CODEX_SANDBOX_NETWORK_DISABLED"], "x"
    )
    assert build_environment(given, (*CLAUDE, *CODEX)) == {}
    assert build_environment({"CLAUDECODE": "1"}, CLAUDE) == {}


def test_credentials_of_a_provider_are_passed_on_only_where_it_is_used() -> None:
    given = {"AWS_PROFILE": "work"}
    assert build_environment(given, claude_names(given)) == {}
    used = {**given, "CLAUDE_CODE_USE_BEDROCK": "1"}
    assert build_environment(used, claude_names(used)) == used


def test_the_keys_that_codex_is_configured_with_are_passed_on(tmp_path: Path) -> None:
    config = '[model_providers.own]\nenv_key = "OUR_KEY"\nenv_http_headers = { "X-Team" = "OUR_TEAM" }\n'
    (tmp_path / "config.toml").write_text(config)
    assert variable_names({"CODEX_HOME": str(tmp_path)}) == ("OUR_KEY", "OUR_TEAM")
    (tmp_path / "config.toml").write_text("not toml at all [")
    assert variable_names({"CODEX_HOME": str(tmp_path)}) == ()


def test_a_program_is_never_taken_from_the_folder_one_stands_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert find_program("claude", {"PATH": ".::bin"}) is None
    assert find_program("claude", {"PATH": f".:{tmp_path}"}) == str(program)
    assert find_program(str(program), {}) == str(program)
    assert find_program(str(tmp_path / "codex"), {}) is None


def test_every_name_has_a_driver_and_others_are_a_wrong_call() -> None:
    assert [load_driver(name, {}).name for name in ALL_NAMES] == list(ALL_NAMES)
    with pytest.raises(UsageError, match="'heron' is not an agent") as caught:
        load_driver("heron", {})
    assert "claude" in caught.value.remedy
