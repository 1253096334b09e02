"""Decisive lines are held by tests: of the mutants of the modules that decide, nine in ten are noticed."""

from pathlib import Path

import pytest

from tests.mutation.mutants import make_mutants
from tests.mutation.trials import PACKAGE, ROOT, Copies, draw_trials, read_equivalents, read_modules

EACH = 6  # mutants of each module
LEAST, SHARE = 200, 0.9


def test_the_table_names_modules_and_tests_that_exist() -> None:
    named = {PACKAGE / module for module in read_modules()} | {
        Path(t) for tests in read_modules().values() for t in tests
    }
    assert not [str(path) for path in named if not (ROOT / path).exists()]


def test_what_is_said_to_change_nothing_can_still_be_made() -> None:
    made = {mutant.name for module in read_modules() for mutant in make_mutants((ROOT / PACKAGE / module).read_bytes())}
    assert not read_equivalents().keys() - made


@pytest.mark.soak
def test_of_ten_mutants_nine_are_noticed(tmp_path: Path) -> None:
    trials = draw_trials(EACH)
    survivors = Copies(tmp_path).try_all(trials)
    print(f"{len(survivors)} of {len(trials)} survived")
    assert len(trials) >= LEAST
    assert len(survivors) <= len(trials) * (1 - SHARE), "\n".join(trial.name for trial in survivors)
