"""The quick reading and shfmt's tree: what the first has found, the second has to have, and no shell reads a third text.

Replay a failure with `_compose("SEED")`, where SEED is printed with it; then add the command to the lists.
"""

import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from planrail.guard.judging import judge_tree
from planrail.guard.second_opinion import parse
from planrail.guard.shell.parsing import parse_commands
from planrail.guard.shell.scanning import Malformed
from planrail.guard.shell.words import Simple
from tests.guard.attacking import POLICY, is_allowed, judge_quickly
from tests.guard.corpora import load_commands
from tests.guard.sandbox import NoSandbox, open_sandbox

_SEED = os.environ.get("PLANRAIL_FUZZ_SEED", "1")
_OPENINGS = (
    *(("zz=a; ", ""), ("zz=a\n", ""), ("f='-oPWNED'; ", ""), ("f='*(e:touch PWNED:)'; ", ""), ("y=ab; ", "")),
    *(("x='path[$(touch PWNED)]'; y=ab; ", ""), ("[[ a ]] && ", ""), ("cat <<E\nx\nE\n", "")),
    *(("if true; then ", "\nfi"), ("for f in -oPWNED; do ", "\ndone"), ("case a in a) ", "\n;; esac"), ("{ ", "\n}")),
)
_COMMANDS = (
    "ls",
    "echo",
    "cat README.md",
    "sort README.md",
    "git log -1",
    "touch PWNED",
    "touch PWNED",
    "rm victim.txt",
)
_WORDS = (
    *(" $f", ' "$f"', " $=f", ' "$=f"', " $~f", ' "$~f"', " $^f", ' "$^f"', " $:f", " $", " $#", " $#y", " $y[x]"),
    *(
        " $#y[x]",
        ' "$#y[x]"',
        " $+y[x]",
        " ${y[1$(touch PWNED)]}",
        " ${z:-$y[x]}",
        " ${z:-<(touch PWNED)}",
        " $'a'",
        " \\$=f",
    ),
    *(" $(ls)", " `ls`", " <<< $f", " 2>&1", " *", " {a,b}", " \\#", " '#'", ' "#"', " a#b", " '", ' "', " \\"),
)
_JOINTS = (
    *("; ", "\n", " && ", " | ", " # ", " # \\\n", " # \\\n", " #\n", " # x \\\n ", " \\\n", ";# \\\n", " \\\n# \\\n"),
    *(" # ' \\\n", ' # " \\\n', " # ` \\\n", " # $( \\\n", " <<E\nx\nE\n", " <<E # \\\nx\nE\n", " <<E\n$y[x]\nE\n"),
)


# What some shell runs, each in every place that a construct has for a word.
_PAYLOADS = (
    *(
        "<(touch PWNED)",
        ">(touch PWNED)",
        "=(touch PWNED)",
        "$(touch PWNED)",
        "`touch PWNED`",
        "$y[x]",
        "$#y[x]",
        "$+y[x]",
    ),
    *("${y[x]}", "${#y[x]}", "${y[1$(touch PWNED)]}", "${y:x}", "$((x))", "$[x]", "$~f", "${~f}", "*(e:touch PWNED:)"),
    *("README.md(e:touch PWNED:)", "${(e)e}", "${e@P}", "${x:-<(touch PWNED)}", "${z:-`touch PWNED`}", "a;touch PWNED"),
)
_PLACES = (
    *(
        "echo {}",
        'echo "{}"',
        "echo a{}",
        "echo {}a",
        "echo a'b'{}",
        'echo "a"{}',
        "echo $f{}",
        "echo ${{f}}{}",
        "cat < {}",
    ),
    *(
        "cat <<< {}",
        'cat <<< "{}"',
        "ls 2>&1 {}",
        "z={}",
        'z="{}"',
        "z=({})",
        "z+={}",
        "LC_ALL={} ls",
        "export LC_ALL={}",
    ),
    *("declare z={}", "for z in {}; do ls; done", "case {} in a) ls;; esac", "case a in {}) ls;; esac", "[ -e {} ]"),
    *(
        "case a in b|{}) ls;; esac",
        "[[ -e {} ]]",
        "[[ a == {} ]]",
        "[[ a == a{} ]]",
        "[[ a =~ {} ]]",
        "[[ a =~ (a|{}) ]]",
    ),
    *(
        "[[ a =~ ({}) ]]",
        '[[ a == "{}" ]]',
        "[[ {} -eq 1 ]]",
        "[[ a < {} ]]",
        "! [[ -n {} ]]",
        "echo $(({}))",
        "((i+={}))",
    ),
    *(
        "for ((i={};i<1;i++)); do ls; done",
        "echo ${{u:-{}}}",
        'echo "${{u:-{}}}"',
        "echo ${{u:-a{}}}",
        "echo ${{y:+{}}}",
    ),
    *(
        "echo ${{y#{}}}",
        "echo ${{y%%{}}}",
        "echo ${{y/{}/b}}",
        "echo ${{y/a/{}}}",
        "echo ${{y//a/{}}}",
        "echo ${{y:{}}}",
    ),
    *(
        "echo ${{y:0:{}}}",
        "echo ${{y[{}]}}",
        "echo ${{y^{}}}",
        "echo ${{u:-${{u:-{}}}}}",
        "cat <<E\n{}\nE",
        "cat <<E\n${{u:-{}}}\nE",
    ),
    *(
        "echo $(echo {})",
        "echo `echo {}`",
        "cat <(echo {})",
        "time echo {}",
        "if echo {}; then ls; fi",
        "{{ echo {}; }}",
    ),
    *("while [[ -n {} ]]; do break; done", "echo {{a,{}}}", "echo ~{}", "printf %d {}", "[ {} -eq 1 ]", "exit {}"),
)
_VALUES = "x='path[$(touch PWNED)]'; y=ab; f='*(e:touch PWNED:)'; e='$(touch PWNED)'; i=0; "


def _compose(seed: str) -> str:
    random = Random(seed)
    opening, ending = random.choice(_OPENINGS)
    text = opening + random.choice(_COMMANDS)
    for _ in range(random.randrange(4)):
        text += random.choice(_WORDS) if random.random() < 0.4 else random.choice(_JOINTS) + random.choice(_COMMANDS)
    return text + ending


def _composed(count: int) -> list[str]:
    return [_compose(f"{_SEED}:{number}") for number in range(count)]


def _found_quickly(text: str) -> list[Simple]:
    try:
        return parse_commands(text, readable=True)
    except Malformed:
        return []


def _tree(text: str) -> dict[str, Any]:
    tree = parse(text)
    assert isinstance(tree, dict)
    return tree


def test_a_comment_that_ends_in_a_backslash_hides_no_line() -> None:
    assert not is_allowed("zz=a; ls # \\\ntouch PWNED")
    assert not is_allowed("[[ a ]] && ls # \\\ntouch PWNED")


def test_what_the_quick_reading_refuses_whatever_the_variables_are_is_not_left_to_the_tree() -> None:
    assert judge_quickly("zz=a; touch PWNED").decision == "deny"
    assert judge_quickly("zz=a; sort $zz; touch PWNED").decision == "deny"
    assert judge_quickly("zz=a; sort $zz").decision == "unsure"


@pytest.mark.parametrize("command", ["cat b", "ls > /dev/null", "export LC_ALL=C", "zz=b", "ls $zz"])
def test_a_tree_without_a_command_that_the_quick_reading_found_is_not_believed(command: str) -> None:
    text = f"zz=a; ls; {command}"
    assert judge_tree(text, _tree(text), POLICY).decision == "allow"
    shorter = {**_tree("zz=a; ls"), "End": {"Offset": len(text)}}
    assert "two readings" in judge_tree(text, shorter, POLICY).reason


def test_a_tree_without_a_command_before_a_construct_is_not_believed() -> None:
    text = "ls; cat b; if true; then ls; fi"
    shorter = {**_tree("ls; if true; then ls; fi"), "End": {"Offset": len(text)}}
    assert "two readings" in judge_tree(text, shorter, POLICY).reason


def test_a_tree_that_ends_before_the_text_is_not_believed() -> None:
    assert "ends before" in judge_tree("if true; then ls; fi; é", _tree("if true; then ls; fi"), POLICY).reason
    assert is_allowed("if true; then echo é; fi # é\n \n")


@pytest.mark.full
@pytest.mark.parametrize("name", ["harmless", "exploring", "exploring_again"])
def test_the_two_readings_of_what_explores_do_not_differ(name: str) -> None:
    commands = [command for command in load_commands(name) if is_allowed(command)]
    assert [command for command in commands if judge_tree(command, parse(command), POLICY).decision != "allow"] == []


def _judge_composed(count: int) -> int:
    """How many trees there were of texts in which the quick reading found what it refuses."""
    trees = 0
    for text in _composed(count):
        if any(found.words and found.words[0].text == "touch" for found in _found_quickly(text)):
            tree = parse(text)
            trees += tree is not None
            assert judge_tree(text, tree, POLICY).decision == "deny", text
    return trees


def test_the_tree_allows_nothing_in_which_the_quick_reading_found_a_mutating_command() -> None:
    assert _judge_composed(1_000) > 100


def _shells() -> Iterator[list[str]]:
    for name in ("bash", "dash", "zsh"):
        path = shutil.which(name)
        if path:
            yield [path, "-f"] if name == "zsh" else [path]


def _run_allowed(folder: Path, texts: list[str]) -> tuple[int, list[str]]:
    allowed = [text for text in texts if "PWNED" in text and is_allowed(text)]
    try:
        with open_sandbox(folder) as sandbox:
            lines = [shlex.join([*shell, "-c", text]) for text in allowed for shell in _shells()]
            return len(lines), [line for line in lines if sandbox.run(line, 2).changes]
    except NoSandbox as reason:
        pytest.skip(f"no sandbox here: {reason}")


@pytest.mark.full
def test_what_is_allowed_changes_nothing_in_any_shell(tmp_path: Path) -> None:
    executed, wrong = _run_allowed(tmp_path, _composed(800))
    assert not wrong, "\n".join(wrong)
    assert executed > 20


@pytest.mark.full
def test_nothing_runs_in_any_place_for_a_word(tmp_path: Path) -> None:
    _, wrong = _run_allowed(tmp_path, [_VALUES + place.format(payload) for place in _PLACES for payload in _PAYLOADS])
    assert not wrong, "\n".join(wrong)


@pytest.mark.soak
def test_of_fifty_thousand_texts_what_is_allowed_changes_nothing_in_any_shell(tmp_path: Path) -> None:
    executed, wrong = _run_allowed(tmp_path, _composed(50_000))
    assert not wrong, "\n".join(wrong)
    assert executed > 1_000
    assert _judge_composed(50_000) > 5_000
