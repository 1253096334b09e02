"""An implementer works in its own copy: it cannot write into the person's repository, nor into planrail's records."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.testing.model_server import say
from tests.e2e.projects import Project
from tests.e2e.runs import Yard, open_yard
from tests.e2e.runs_casting import ALL_SAID, GOOD, HELLO, PAIRS, Cast, greeting_plan, phase, verdict


@pytest.fixture
def yard(project: Project) -> Iterator[Yard]:
    with open_yard(project) as made:
        made.plan(greeting_plan(phase(1)))
        yield made


@pytest.mark.parametrize("pair", PAIRS)
def test_an_implementer_cannot_write_where_it_does_not_work(yard: Yard, pair: str) -> None:
    """Claude Code is held by planrail's judge, Codex by its own sandbox."""
    cast = Cast(yard, *PAIRS[pair])
    repository, home, records = yard.project.folder, yard.project.home, yard.project.state / "ledgers"
    attempts = [
        cast.worker.write(str(repository / "slipped.txt"), "x\n"),
        cast.worker.write(str(home / "slipped.txt"), "x\n"),
        cast.worker.shell(f"echo x > {repository}/slipped.txt"),
        cast.worker.shell(f"git -C {repository} commit --allow-empty --message slipped"),
        cast.worker.shell(f"cd {records} && touch slipped.txt"),
    ]
    cast.play([*attempts, cast.worker.shell(HELLO), say("Done.")], cast.verifier.answer(verdict(**GOOD)))
    told = yard.run("finish", "auto", *cast.agents)
    assert (told.code, told.state) == (0, "complete"), (told, yard.attempts())
    assert cast.rest == ALL_SAID
    places = [found for folder in (repository, home, records) for found in Path(folder).rglob("slipped.txt")]
    assert places == []
    assert "slipped" not in yard.project.git("log", "--all", "--format=%s")
    assert yard.landed() == ["1"]
