"""Bad input: a clear message, what to do about it, exit code 3, and no more work than a moment's."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from planrail.cli.main import main
from tests.cli.processes import planrail

_MEGABYTE = 1024 * 1024


def _make_holes(path: Path, size: int) -> None:
    path.touch()
    os.truncate(path, size)


# How each bad file is made, and a word of the message that it gets.
BAD: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "missing": ("plan.md", lambda path: None, "there is no file"),
    "folder": ("plan.md", lambda path: path.mkdir(), "is a folder"),
    "pipe": ("plan.md", os.mkfifo, "not a regular file"),
    "binary": ("plan.md", lambda path: path.write_bytes(bytes(range(256)) * 40), "binary"),
    "50 MB": ("plan.md", lambda path: path.write_bytes(b"- [ ] a task\n" * (50 * _MEGABYTE // 13)), "MB"),
    "50 MB of holes": ("plan.md", lambda path: _make_holes(path, 50 * _MEGABYTE), "MB"),
    "invalid UTF-8": ("plan.md", lambda path: path.write_bytes(b"# Phase 1: caf\xe9\n"), "not valid UTF-8"),
    "UTF-16": ("plan.md", lambda path: path.write_bytes("# Phase 1\n".encode("utf-16")), "UTF-16"),
    "UTF-16 without a mark": ("plan.md", lambda path: path.write_bytes("# Phase 1\n".encode("utf-16-le")), "binary"),
    "10,000 lists on a line": ("plan.md", lambda path: path.write_text("- " * 10_000 + "x\n"), "nested"),
    "10,000 counted lists on a line": ("plan.md", lambda path: path.write_text("1. " * 10_000 + "x\n"), "nested"),
    "2,000 lists by indentation": (
        "plan.md",
        lambda path: path.write_text("".join("  " * depth + "- x\n" for depth in range(2000))),
        "nested",
    ),
    "2,000 lists by tabs": (
        "plan.md",
        lambda path: path.write_text("".join("\t" * depth + "- x\n" for depth in range(2000))),
        "nested",
    ),
    "5 MB on a line": ("plan.md", lambda path: path.write_text("x" * 5 * _MEGABYTE), "characters"),
    "5 MB in an item": ("plan.md", lambda path: path.write_text("# T\n- [ ] " + "x" * 5 * _MEGABYTE), "characters"),
    "10,000 brackets of JSON": (
        "plan.json",
        lambda path: path.write_text("[" * 10_000 + "]" * 10_000),
        "nested too deeply",
    ),
    "10,000 braces of JSON": (
        "plan.json",
        lambda path: path.write_text('{"a":' * 10_000 + "1" + "}" * 10_000),
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
    done = planrail("show", str(tmp_path / name), cpu_seconds=4)
    assert (done.returncode, done.stdout) == (3, "")
    said, remedy = done.stderr.splitlines()
    assert said.startswith("planrail: ")
    assert message in said
    assert remedy.startswith("  → ")


@pytest.mark.parametrize(
    "arguments", [["show"], ["show", "--json"], ["next"], ["next", "--json"], ["lint"], ["set", "1", "done"]]
)
def test_every_command_refuses_what_cannot_be_read(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plan.md"
    path.write_bytes(b"\xff")
    assert main([arguments[0], str(path), *arguments[1:]]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "not valid UTF-8" in captured.err
    assert path.read_bytes() == b"\xff"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("empty", ""),
        ("blank", " \n\n\t\n"),
        ("only a mark", "\ufeff"),
        ("10,000 quotes", ">" * 10_000 + " x\n"),
        ("only front matter", "---\ntitle: x\n---\n"),
        ("front matter that never ends", "---\ntitle: x\n"),
        ("half a table", "| Phase | Status |\n|---|"),
        ("an open comment", "<!-- x\n## Phase 1\n"),
    ],
)
def test_a_text_without_phases_is_readable_and_has_nothing_to_execute(
    name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plan.md"
    path.write_text(text, "utf-8")
    assert main(["show", str(path)]) == 0
    assert main(["next", str(path)]) == 0
    assert "nothing to execute" in capsys.readouterr().out
