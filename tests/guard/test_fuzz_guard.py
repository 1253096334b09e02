"""Random commands against the guard: what it allows, shfmt can read and finds innocent, and the sandbox stays as it was.

Replay a failure with `compose("SEED")`, where SEED is printed with it; then add the command to the lists.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.guard.attacking import is_allowed
from tests.guard.fuzz_grammar import compose, compose_program
from tests.guard.sandbox import NoSandbox, open_sandbox
from tests.guard.shfmt_referee import complaints, is_bash, locate_shfmt, parse

_SEED = os.environ.get("PLANRAIL_FUZZ_SEED", "1")
# Words that only an attack has; such commands are executed before the others.
_BAIT = ("PWNED", "evil", "touch", "rm ", "-o", "-i", "bin", "victim", "$", "`", ">", "xargs", "-exec", "*")


def _accepted(count: int, compose: Callable[[str], str] = compose) -> Iterator[tuple[str, str]]:
    for number in range(count):
        seed = f"{_SEED}:{number}"
        command = compose(seed)
        if is_allowed(command):
            yield seed, command


def _judge_structure(count: int) -> tuple[int, list[tuple[str, str, list[str]]]]:
    shfmt = locate_shfmt()
    if shfmt is None:
        pytest.skip("shfmt is not here")
    wrong = []
    accepted = 0
    for seed, command in _accepted(count):
        accepted += 1
        if found := _find_fault(shfmt, command):
            wrong.append((seed, command, found))
    return accepted, wrong


def _find_fault(shfmt: str, command: str) -> list[str]:
    tree = parse(shfmt, command)
    if tree is not None:
        return complaints(tree)
    return [] if is_bash(command) else ["neither shfmt nor bash can read it"]


def _choose(accepted: list[tuple[str, str]], wanted: int) -> list[tuple[str, str]]:
    """Half of them are the most suspicious, the others are spread over the rest."""
    ranked = sorted(accepted, key=lambda pair: -sum(bait in pair[1] for bait in _BAIT))
    rest = ranked[wanted // 2 :]
    return ranked[: wanted // 2] + rest[:: max(1, len(rest) // (wanted // 2))][: wanted - wanted // 2]


def _judge_effect(folder: Path, chosen: list[tuple[str, str]]) -> tuple[int, list[tuple[str, str, tuple[str, ...]]]]:
    try:
        with open_sandbox(folder) as sandbox:
            effects = [(seed, command, sandbox.run(command, 2).changes) for seed, command in chosen]
    except NoSandbox as reason:
        pytest.skip(f"no sandbox here: {reason}")
    return len(chosen), [effect for effect in effects if effect[2]]


@pytest.mark.full
def test_what_is_allowed_is_innocent_in_the_eyes_of_shfmt() -> None:
    accepted, wrong = _judge_structure(2_000)
    assert not wrong, "\n".join(map(repr, wrong))
    assert accepted > 300


@pytest.mark.full
def test_what_is_allowed_changes_nothing(tmp_path: Path) -> None:
    executed, wrong = _judge_effect(tmp_path, _choose(list(_accepted(500)), 60))
    assert not wrong, "\n".join(map(repr, wrong))
    assert executed == 60


@pytest.mark.full
def test_the_programs_of_awk_and_sed_that_are_allowed_change_nothing(tmp_path: Path) -> None:
    executed, wrong = _judge_effect(tmp_path, _choose(list(_accepted(6_000, compose_program)), 60))
    assert not wrong, "\n".join(map(repr, wrong))
    assert executed > 20


@pytest.mark.soak
def test_a_thousand_programs_of_awk_and_sed_that_are_allowed_change_nothing(tmp_path: Path) -> None:
    executed, wrong = _judge_effect(tmp_path, _choose(list(_accepted(150_000, compose_program)), 1_500))
    assert not wrong, "\n".join(map(repr, wrong))
    assert executed > 1_000


@pytest.mark.soak
def test_of_a_hundred_thousand_commands_what_is_allowed_is_innocent() -> None:
    accepted, wrong = _judge_structure(100_000)
    assert not wrong, "\n".join(map(repr, wrong))
    assert accepted > 15_000


@pytest.mark.soak
def test_two_thousand_commands_that_were_allowed_change_nothing(tmp_path: Path) -> None:
    executed, wrong = _judge_effect(tmp_path, _choose(list(_accepted(30_000)), 2_000))
    assert not wrong, "\n".join(map(repr, wrong))
    assert executed == 2_000
