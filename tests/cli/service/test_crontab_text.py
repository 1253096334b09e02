"""The crontab: other people's lines are theirs, byte for byte."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.team.service.crontab_text import has_lines, put_lines, render_lines, render_script, take_lines
from planrail.team.service.starting import WorkerCall

LINES = render_lines(b"/st/service/start.sh")
_OTHERS = st.lists(
    st.sampled_from(
        [
            b"# planrail service",
            b"MAILTO=me",
            b"",
            b"0 3 * * * tar c /home % x",
            b"*/5 * * * * \xff\xfe\r",
            b"\t@daily x  ",
        ]
    )
)


@given(_OTHERS)
def test_other_lines_are_kept_byte_for_byte(others: list[bytes]) -> None:
    before = b"".join(line + b"\n" for line in others)
    after = put_lines(before, LINES)
    assert after.startswith(before)
    assert take_lines(after) == before
    assert has_lines(after)
    assert not has_lines(before)


@given(_OTHERS)
def test_a_second_time_changes_nothing(others: list[bytes]) -> None:
    once = put_lines(b"".join(line + b"\n" for line in others), LINES)
    assert put_lines(once, LINES) == once


def test_lines_of_an_older_place_are_replaced() -> None:
    old = put_lines(b"MAILTO=me\n", render_lines(b"/old/start.sh"))
    assert put_lines(old, LINES) == put_lines(b"MAILTO=me\n", LINES)


def test_lines_that_a_person_has_moved_stay_where_they_are() -> None:
    moved = LINES[0] + b"\n" + LINES[1] + b"\nMAILTO=me\n"
    assert put_lines(moved, LINES) == moved


def test_a_last_line_without_an_end_gets_one() -> None:
    assert put_lines(b"MAILTO=me", LINES).startswith(b"MAILTO=me\n@reboot")


def test_a_percent_sign_is_escaped_since_cron_ends_the_command_there() -> None:
    line = render_lines(b"/a%b/it's/start.sh")[1]
    assert line.replace(rb"\%", b"").count(b"%") == 0
    command = line.split(b" ", 5)[5].replace(rb"\%", b"%")  # what cron hands to the shell
    done = subprocess.run(["sh", "-c", b"set -- " + command + b'\nprintf %s "$2"'], capture_output=True, check=True)
    assert done.stdout == b"/a%b/it's/start.sh"


@pytest.mark.parametrize("folder", ["a b", "50%", 'say "hi"', "it's", "naïve-日本", "$HOME", "back\\slash", "[z]*"])
def test_odd_folders_survive_the_script(folder: str, tmp_path: Path) -> None:
    place = tmp_path / folder
    place.mkdir()
    program = place / "program"
    program.write_text('#!/bin/sh\nprintf "%s|" "$0" "$@" "$XDG_STATE_HOME" "$SECRET"\n')
    program.chmod(0o755)
    secrets = place / "environment"
    secrets.write_text('SECRET="a b"\n')
    call = WorkerCall((str(program), "worker"), {"PATH": "/usr/bin:/bin", "XDG_STATE_HOME": folder}, str(secrets))
    names = {name: str(place / name) for name in ("stopped", "pids", "log")}
    script = place / "start.sh"
    script.write_text(render_script(call, **names), "utf-8")
    subprocess.run(["sh", str(script)], check=True, env={})
    assert (place / "log").read_text("utf-8") == f"{program}|worker|--unless-running|{folder}|a b|"
    (place / "stopped").touch()
    subprocess.run(["sh", str(script)], check=True, env={})
    assert (place / "log").read_text("utf-8").count("|worker|") == 1
    subprocess.run(["sh", str(script), "boot"], check=True, env={})
    assert (place / "log").read_text("utf-8").count("|worker|") == 2
    assert not (place / "stopped").exists()
