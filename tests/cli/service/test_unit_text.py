"""The systemd unit: what it says is what systemd reads, whatever the folders are called."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planrail.team.service.starting import WorkerCall, find_value, is_plain, quote_value, set_variable
from planrail.team.service.systemd import quote_pattern, quote_word, render_command, render_unit
from tests.cli.service.machines import is_tool
from tests.cli.service.systemd_rules import (
    expand_specifiers,
    read_command,
    read_environment_file,
    read_pattern,
    read_unit,
    split_words,
)

_NAMES = st.text(st.sampled_from("ab /%'\"\\$ \u00e9\u65e5#;[]*?=~`&|"), min_size=1, max_size=12)


def _settings(text: str, section: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, value in read_unit(text)[section]:
        found.setdefault(key, []).append(value)
    return found


@given(_NAMES)
@example("naïve-日本")
@example("%h")
def test_any_folder_survives_the_quoting_of_systemd(folder: str) -> None:
    words = (f"/opt/{folder}/bin/python", "-P", "-m", "planrail", "worker", "--slots", "3")
    variables = {"PATH": f"/usr/bin:/opt/{folder}", "XDG_STATE_HOME": f"/{folder}"}
    call = WorkerCall(words, variables, f"/st/{folder}/environment")
    settings = _settings(render_unit(call), "Service")
    assert tuple(read_command(settings["ExecStart"][0]))[-len(words) :] == words
    said = [expand_specifiers(word) for value in settings["Environment"] for word in split_words(value)]
    assert said == [f"{name}={value}" for name, value in variables.items()]
    assert read_pattern(settings["EnvironmentFile"][0]) == call.secrets


@given(_NAMES)
@example("%")
def test_any_name_survives(name: str) -> None:
    assert expand_specifiers(split_words(quote_word(name))[0]) == name
    assert read_pattern(quote_pattern(f"/{name}x")) == f"/{name}x"
    words = (f"/{name}", name, "x")
    assert tuple(read_command(render_command(words)))[-3:] == words


def test_agents_survive_a_restart_and_one_that_is_killed_for_memory_ends_no_other() -> None:
    text = render_unit(WorkerCall(("/usr/bin/python3", "-m", "planrail", "worker"), {}, "/x", stop_seconds=777))
    settings = _settings(text, "Service")
    assert settings["ExecStart"] == ["/usr/bin/python3 -m planrail worker"], "without a shell"
    expected = {"KillMode": "process", "OOMPolicy": "continue", "Restart": "always", "RestartSec": "5"}
    assert {name: settings[name] for name in expected} == {name: [value] for name, value in expected.items()}
    assert settings["TimeoutStopSec"] == ["777"]
    assert "agents" in text[: text.index("KillMode")].rsplit("\n\n", 1)[-1]
    assert _settings(text, "Install")["WantedBy"] == ["default.target"]


@pytest.mark.skipif(not is_tool("systemd-analyze"), reason="no systemd here")
@pytest.mark.parametrize("folder", ["50% of h", 'it\'s "so"', "a$b\\c", "#x;[z]*?=é"])
def test_systemd_itself_finds_nothing_wrong(folder: str, tmp_path: Path) -> None:
    place, runtime, unit = tmp_path / folder / "bin", tmp_path / "run", tmp_path / "planrail.service"
    place.mkdir(parents=True)
    runtime.mkdir(mode=0o700)
    (place / "python").symlink_to("/bin/true")
    words = (str(place / "python"), "-P", "-m", "planrail", "worker")
    call = WorkerCall(words, {"PATH": str(place)}, str(tmp_path / folder / "environment"))
    unit.write_text(render_unit(call), "utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", str(unit)],
        env={**os.environ, "XDG_RUNTIME_DIR": str(runtime), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    if "Failed to initialize manager" in done.stderr:
        pytest.skip("systemd-analyze does not work here")
    # of this machine's other units it may say more
    assert (done.returncode, [line for line in done.stderr.splitlines() if unit.name in line]) == (0, [])


@given(st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=30))
def test_a_secret_is_read_as_it_was_written_by_systemd_and_by_planrail(value: str) -> None:
    text = set_variable("# mine\nKEY=1\n", "PLANRAIL_DATABASE", value)
    assert find_value(text, "PLANRAIL_DATABASE") == value
    assert read_environment_file(text) == {"KEY": "1", "PLANRAIL_DATABASE": value}


@pytest.mark.parametrize("value", ['a$b`c"d\\e', "x'y z", "%s%%", "日本"])
def test_a_secret_is_read_as_it_was_written_by_a_shell(value: str, tmp_path: Path) -> None:
    file = tmp_path / "environment"
    file.write_text(f"NAME={quote_value(value)}\n", "utf-8")
    done = subprocess.run(["sh", "-c", '. "$0"; printf %s "$NAME"', str(file)], capture_output=True, check=True)
    assert done.stdout.decode() == value


def test_what_a_person_wrote_beside_a_secret_stays() -> None:
    mine = "# keys\nANTHROPIC_API_KEY='x y'\nexport OTHER=1"
    text = set_variable(mine, "PLANRAIL_DATABASE", "one")
    again = set_variable(text, "PLANRAIL_DATABASE", "two")
    assert again == f'{mine}\nPLANRAIL_DATABASE="two"\n'
    assert set_variable(again, "PLANRAIL_DATABASE", None) == f"{mine}\n"


def test_a_control_or_no_text_at_all_is_not_plain() -> None:
    assert not is_plain("a\nb")
    assert not is_plain("a\udcffb")
    assert is_plain("日本 %$'\"")
