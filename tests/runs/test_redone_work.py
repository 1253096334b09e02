"""Verified work that contradicts what others landed meanwhile is done once more by a fresh agent, and judged anew."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.claims_refused.stage import PLAN, Stage

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
# Somebody else commits the same file while an agent works, so often as `{times}` says.
_WORKS = """
cp "$prompt" "$CAST/prompt.$(ls "$CAST" | grep -c prompt)"
[ -e .planrail/earlier.diff ] && cp .planrail/earlier.diff "$CAST/earlier"
echo hello >> greeting.txt
[ "$(ls "$CAST" | grep -c prompt)" -le {times} ] || exit 0
cd "$ROOT" && printf 'theirs %s\\n' "$$" > greeting.txt && git add greeting.txt && git commit -q -m "Theirs"
"""


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path / "stage")
    yield made
    made.end()


def test_an_agent_does_it_once_more_on_the_target_as_it_is(stage: Stage) -> None:
    stage.implementer(_WORKS.format(times=1))
    answer = stage.run()
    assert answer.out.startswith("complete"), answer.told
    landed = stage.show("greeting.txt") or ""
    assert landed.startswith("theirs ")
    assert landed.endswith("\nhello\n")
    assert "could not be merged" in (stage.cast / "prompt.1").read_text()
    assert "+hello" in (stage.cast / "earlier").read_text()
    assert "a fresh agent does it on the target as it is now" in stage.call("report", PLAN, "--full").out


@pytest.mark.full
def test_a_second_contradiction_waits_for_a_person(stage: Stage) -> None:
    stage.implementer(_WORKS.format(times=2))
    answer = stage.run()
    assert "the verified work waits on planrail/greeter" in answer.told
    assert len(list(stage.cast.glob("prompt.*"))) == 2
    assert "hello" not in (stage.show("greeting.txt") or "")
