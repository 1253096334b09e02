"""Bad input: a clear message, what to do about it, exit code 3, and no more work than a moment's."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.processes import call, planrail

_MEGABYTE = 1024 * 1024


# How each bad file is made, and a word of the message that it gets.
BAD: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "missing": ("plan.md", lambda path: None, "there is no file"),
    "folder": ("plan.md", lambda path: path.mkdir(), "is a folder"),
    "pipe": ("plan.md", os.mkfifo, "not a regular file"),
    "binary": ("plan.md", lambda path: path.write_bytes(bytes(range(256)) * 40), "binary"),
    "50 MB": ("plan.md", lambda path: path.write_bytes(b"- [ ] a task\n" * (50 * _MEGABYTE // 13)), "MB"),
    "invalid UTF-8": ("plan.md", lambda path: path.write_bytes(b"# Phase 1: caf\xe9\n"), "not valid UTF-8"),
    "UTF-16": ("plan.md", lambda path: path.write_bytes("# Phase 1\n".encode("utf-16")), "UTF-16"),
    "UTF-16 without a mark": ("plan.md", lambda path: path.write_bytes("# Phase 1\n".encode("utf-16-le")), "binary"),
    "10,000 lists on a line": ("plan.md", lambda path: path.write_text("- " * 10_000 + "x\n"), "nested"),
    "2,000 lists by indentation": (
        "plan.md",
        lambda path: path.write_text("".join("  " * depth + "- x\n" for depth in range(2000))),
        "nested",
    ),
    "5 MB in an item": ("plan.md", lambda path: path.write_text("# T\n- [ ] " + "x" * 5 * _MEGABYTE), "characters"),
    "10,000 brackets of JSON": (
        "plan.json",
        lambda path: path.write_text("[" * 10_000 + "]" * 10_000),
        "nested too deeply",
    ),
    "10,000 brackets in a task": (
        "plan.json",
        lambda path: path.write_text(
            '{"tasks": [{"id": 1, "status": "done", "x": ' + "[" * 10_000 + "]" * 10_000 + "}]}"
        ),
        "nested too deeply",
    ),
    "10,000 brackets of YAML": ("plan.yaml", lambda path: path.write_text("a: " + "{a: " * 10_000), "YAML"),
    "broken JSON": ("plan.json", lambda path: path.write_text('{"tasks": ['), "not valid JSON"),
    "broken YAML": ("plan.yaml", lambda path: path.write_text('a: "b'), "not valid YAML"),
    "JSON without tasks": ("plan.json", lambda path: path.write_text('{"name": "x"}'), "no list of tasks"),
    "YAML without tasks": ("plan.yml", lambda path: path.write_text("name: x\n"), "no list of tasks"),
    "empty JSON": ("plan.json", lambda path: path.touch(), "JSON"),
    "a name that is too long": ("x" * 300 + ".md", lambda path: None, "cannot be read"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_exit_code_3_with_a_message_and_a_remedy(what: str, tmp_path: Path) -> None:
    name, make, message = BAD[what]
    make(tmp_path / name)
    is_large = what[0].isdigit()
    done = planrail("show", str(tmp_path / name), cpu_seconds=4) if is_large else call("show", str(tmp_path / name))
    assert (done.returncode, done.stdout) == (3, "")
    said, remedy = done.stderr.splitlines()
    assert said.startswith("planrail: ")
    assert message in said
    assert remedy.startswith("  → ")


def test_every_command_refuses_what_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_bytes(b"\xff")
    for command, *words in (["show"], ["show", "--json"], ["next"], ["next", "--json"], ["lint"], ["set", "1", "done"]):
        done = call(command, str(path), *words)
        assert (done.returncode, "not valid UTF-8" in done.stderr) == (3, True), command
        refused = json.loads(done.stdout)["status"] if done.stdout else ""
        assert refused == ("refused" if "--json" in words else "")
    assert path.read_bytes() == b"\xff"


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\n\t\n",
        "\ufeff",
        ">" * 10_000 + " x\n",
        "---\ntitle: x\n---\n",
        "---\ntitle: x\n",
        "| Phase | Status |\n|---|",
        "<!-- x\n## Phase 1\n",
    ],
)
def test_a_text_without_phases_is_readable_and_has_nothing_to_execute(text: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_text(text, "utf-8")
    assert call("show", str(path)).returncode == 0
    done = call("next", str(path))
    assert (done.returncode, "nothing to execute" in done.stdout) == (0, True)
