"""The other side: an honest phase lands on this stage, so that a refusal says something."""

import json

import pytest

from tests.claims_refused.stage import PLAN, Stage, verdict
from tests.claims_refused.test_drift import drifting


def test_an_honest_phase_lands(stage: Stage) -> None:
    stage.landed(stage.run())


@pytest.mark.full
def test_a_bullet_that_was_reported_exact_was_not_corrected(stage: Stage) -> None:
    drifting(stage, 100)
    told = "echo 'PLAN-TEXT-DRIFT: phase=2 bullet=1 field=lines plan=at least 100 actual={}'"
    stage.implementer(
        f"if [ -e greeting.txt ]; then seq 100 > more.txt; {told.format(91)}; "
        f"else seq 100 > greeting.txt; {told.format(100)}; fi"
    )
    first = [*(verdict(part, "greeting.txt:1") for part in ("W1", "C1")), verdict("C2", "greeting.txt:2")]
    second = [verdict("W1", "more.txt:1"), verdict("C1", "more.txt:2")]
    one, two = (json.dumps({"items": items, "scope": [], "test_changes": [], "drift": []}) for items in (first, second))
    stage.verifier(f"if [ -e more.txt ]; then echo '{two}'; else echo '{one}'; fi")
    done = stage.run("finish", "auto")
    assert done.code == 0, done.told
    assert "at least 91 lines in more.txt" in (stage.show(PLAN) or "")
