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
    answers = (first, second, second[:1])  # the last one is about the whole plan
    told_items = [json.dumps({"items": items, "scope": [], "test_changes": [], "drift": []}) for items in answers]
    numbered = "".join(f"{number}) echo '{told}';; " for number, told in enumerate(told_items))
    stage.verifier(
        f"n=$(cat {stage.cast}/n 2>/dev/null || echo 0); echo $((n + 1)) > {stage.cast}/n; case $n in {numbered}esac"
    )
    done = stage.run("finish", "auto")
    assert done.code == 0, done.told
    assert "at least 91 lines in more.txt" in (stage.show(PLAN) or "")
