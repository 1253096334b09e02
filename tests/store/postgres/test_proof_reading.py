"""What is known of a plan's phases is read from the team's ledger where there is one."""

import subprocess
from pathlib import Path

import pytest

from planrail.approval.book import find_root, identify
from planrail.plans.reading import read
from planrail.plans.states import ProofKind
from planrail.plans.text.source import PlanSource
from planrail.projects.proof_reading import read_known
from planrail.store.ledger import open_ledger
from planrail.store.runs.run_facts import add_adoption
from tests.support.postgres_server import PostgresServer

_TEXT = "# Plan\n\n## Phase 1: one\n\nStatus: done\n\n## Phase 2: two\n\nStatus: open\n"


@pytest.fixture
def plan(tmp_path: Path) -> str:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "plan.md").write_text(_TEXT)
    return str(tmp_path / "plan.md")


def test_what_another_machine_recorded_is_known_here(plan: str, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANRAIL_DATABASE", database)
    found = read(PlanSource(plan, _TEXT))
    root = find_root(plan)
    assert read_known(plan, found, _TEXT).words == {}
    with open_ledger(root) as ledger:
        add_adoption(ledger, identify(plan, root, found, _TEXT), ["1"], "me", key="k", at=1)
    words = read_known(plan, found, _TEXT).words
    assert {name: word.proof for name, word in words.items()} == {"1": ProofKind.ADOPTED}
    monkeypatch.delenv("PLANRAIL_DATABASE")
    assert read_known(plan, found, _TEXT).words == {}


def test_a_database_that_cannot_be_asked_says_nothing_of_a_plan(
    plan: str, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANRAIL_DATABASE", postgres.url("no_such_place"))
    assert read_known(plan, read(PlanSource(plan, _TEXT)), _TEXT).words == {}
