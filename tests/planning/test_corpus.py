"""Honest answers pass and nonsense does not: the bars of the corpus, which was written before the rules."""

from pathlib import Path

import pytest

from tests.planning.corpus import Case, build_project, cases, problems_of


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tally")
    build_project(folder)
    return folder


def _passed(pattern: str, root: Path) -> tuple[list[Case], list[str]]:
    """The cases, and those that pass, by how they begin."""
    found = list(cases(pattern))
    return found, [f"{case.phase} {case.wish}: {case.text[:60]!r}" for case in found if not problems_of(case, root)]


def test_of_a_hundred_honest_answers_in_free_form_at_least_95_pass(root: Path) -> None:
    found, passed = _passed("honest-*.txt", root)
    assert len(found) == 100
    assert len({case.language for case in found}) >= 4
    assert len(passed) >= 95


def test_of_forty_more_honest_ones_that_were_written_after_the_rules_few_are_refused(root: Path) -> None:
    found, passed = _passed("*-honest.txt", root)
    assert len(found) == 40
    assert len(passed) >= 38


def test_of_forty_more_that_are_nonsense_few_pass(root: Path) -> None:
    found, passed = _passed("*-nonsense.txt", root)
    assert len(found) == 40
    assert len(passed) <= 2, passed


def test_of_sixty_answers_that_are_nonsense_at_most_three_pass(root: Path) -> None:
    found, passed = _passed("nonsense.txt", root)
    assert len(found) == 60
    assert len({case.kind for case in found}) >= 6
    assert len(passed) <= 3, passed
