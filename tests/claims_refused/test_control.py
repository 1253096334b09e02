"""The other side: an honest phase lands on this stage, so that a refusal says something."""

from tests.claims_refused.stage import Stage


def test_an_honest_phase_lands(stage: Stage) -> None:
    stage.landed(stage.run())
