"""Random histories: an honest merge is built and proven, and whatever is lost or planted is found."""

import random
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.run_model import Candidate, Proof
from planrail.runs.landing.candidates import Conflict, build_candidate
from planrail.runs.landing.hunks import find_problem
from planrail.runs.landing.proofs import prove
from tests.landing.histories import History


def merge_file(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """What git makes of it; None where it sees a conflict."""
    with tempfile.TemporaryDirectory() as folder:
        names = [Path(folder, name) for name in ("ours", "base", "theirs")]
        for name, content in zip(names, (ours, base, theirs), strict=True):
            name.write_bytes(content)
        done = subprocess.run(["git", "merge-file", "-p", "-q", *names], capture_output=True)
    return done.stdout if done.returncode == 0 else None


def mutate(chance: random.Random, lines: list[bytes], words: list[bytes]) -> list[bytes]:
    """Some lines removed, added, changed."""
    result = list(lines)
    for _ in range(chance.randint(1, 3)):
        place = chance.randint(0, len(result))
        removed = chance.choice([0, 0, 1, 2])
        added = [chance.choice(words) for _ in range(chance.choice([0, 1, 1, 2]))]
        result[place : place + removed] = added
    return result


@pytest.mark.full
@given(st.integers(0, 2**32))
def test_a_file_that_git_merges_without_a_conflict_is_proven(seed: int) -> None:
    chance = random.Random(seed)
    words = [b"a\n", b"b\n", b"}\n", b"\n"] if chance.random() < 0.5 else [b"%d\n" % number for number in range(40)]
    base = [chance.choice(words) for _ in range(chance.randint(3, 25))]
    phase, target = mutate(chance, base, words), mutate(chance, base, words)
    texts = [b"".join(lines) for lines in (base, phase, target)]
    merged = merge_file(texts[0], texts[2], texts[1])
    if merged is not None:
        assert find_problem(texts[0], texts[1], texts[2], merged) == ""
        planted = split_and_plant(chance, merged)
        assert find_problem(texts[0], texts[1], texts[2], planted)


def split_and_plant(chance: random.Random, text: bytes) -> bytes:
    lines = text.splitlines(keepends=True)
    lines.insert(chance.randint(0, len(lines)), b"planted by nobody\n")
    return b"".join(lines)


def check(folder: Path, seed: int) -> None:
    """Build, prove and spoil one history, beside what git's own cherry-pick makes of it."""
    history = History(folder, seed)
    root = str(history.stage.root)
    built = build_candidate(root, history.snapshot, history.target, "m\n", {})
    picked = history.pick()
    assert isinstance(built, Conflict) == (picked is None), built
    if isinstance(built, Conflict) or picked is None:
        assert isinstance(built, Conflict)
        assert built.paths
        return
    assert built.tree == picked.tree
    assert build_candidate(root, history.snapshot, history.target, "m\n", {}) == built
    for candidate in (built, picked):
        assert prove(root, history.snapshot, candidate, history.target, ()) == Proof(True)
    for _ in range(2):
        spoilt = history.spoil(picked)
        if isinstance(spoilt, Candidate):
            assert not prove(root, history.snapshot, spoilt, history.target, ()).ok


@pytest.mark.parametrize("seed", range(12))
def test_a_history_is_merged_as_git_does_and_a_loss_is_found(tmp_path: Path, seed: int) -> None:
    check(tmp_path, seed)


@pytest.mark.soak
def test_many_histories_are_merged_as_git_does_and_every_loss_is_found(tmp_path: Path) -> None:
    for number in range(400):
        seed = random.randrange(2**32)
        try:
            check(tmp_path / str(number), seed)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}") from error
