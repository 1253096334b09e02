"""`planrail guard` as a process: JSON lines for programs, one command for people."""

import json
import subprocess
import sys

import pytest

from planrail.cli.sessions import guard_command
from planrail.guard.second_opinion import parse
from tests.support.patience import PATIENCE

_RUN = "import sys, argparse; from planrail.cli.sessions import guard_command as g; p = argparse.ArgumentParser(); g.configure(p); sys.exit(g.run(p.parse_args()))"


def _guard(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _RUN, *arguments],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def test_each_line_gets_one_answer_and_none_is_unsure() -> None:
    commands = ["git log | head", "touch x", "for f in a; do cat $f; done", "for f in a; do rm $f; done"]
    lines = [json.dumps({"tool": "Bash", "input": {"command": command}}) for command in commands]
    answers = [json.loads(line) for line in _guard("--json", text="\n".join(lines)).stdout.splitlines()]
    assert [answer["decision"] for answer in answers] == ["allow", "deny", "allow", "deny"]
    assert all(set(answer) == {"decision", "reason"} for answer in answers)


@pytest.mark.parametrize(
    "line", ["{", "[]", "3", '{"tool": "Bash"}', '{"tool": 3, "input": {}}', '{"tool": "Read", "input": []}']
)
def test_a_line_that_is_no_call_is_denied_and_says_so(line: str) -> None:
    answer = json.loads(_guard("--json", text=line + "\n").stdout)
    assert answer["decision"] == "deny"
    assert "no tool call" in answer["reason"]


def test_an_answer_comes_before_the_next_line_is_sent() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _RUN, "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(2):
            process.stdin.write('{"tool": "Read", "input": {}}\n')
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["decision"] == "allow"
        process.stdin.close()


@pytest.mark.parametrize(("command", "code", "word"), [("git log | head", 0, "allowed"), ("touch x", 1, "denied")])
def test_one_command_is_judged_for_a_person(command: str, code: int, word: str) -> None:
    ran = _guard(command)
    assert ran.returncode == code
    assert word in ran.stdout


def test_shfmt_gives_a_tree_and_nothing_for_a_syntax_error() -> None:
    assert isinstance(parse("ls | head"), dict)
    assert parse("ls |") is None
    assert parse("if") is None


def test_the_command_has_what_every_command_has() -> None:
    assert callable(guard_command.configure)
    assert callable(guard_command.run)
