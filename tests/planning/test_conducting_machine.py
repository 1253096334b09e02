"""Whatever agents answer, whenever they fail, wherever the process dies: no phase is skipped, none repeats for ever."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.agents.model import Outcome
from planrail.planning.answers.plan_text import extract_plan
from planrail.planning.conducting import Exhausted, PlanningFinished, PlanningHalted, conduct
from planrail.planning.machine import INTERVIEWS
from planrail.planning.options import PlanningOptions
from tests.planning.conducting_fakes import (
    ASKING,
    COMPARED,
    CRITIQUE,
    EXPLORED,
    PLAN,
    PROMISED,
    UNDERSTOOD,
    FakeCrew,
    FakeKeeper,
    Killed,
    good_answer,
    reply,
    stand_at_start,
)

_ANSWERS = [
    UNDERSTOOD,
    EXPLORED,
    COMPARED,
    PLAN,
    CRITIQUE,
    PROMISED,
    ASKING,
    f"{ASKING}\n<promise>PLAN_OK</promise>",
    "",
    "no",
]
_FAILURES = ["failed", "timeout", "limit", "missing", "no_conversation", "stopped"]
_MOST_LIVES = 60


class _Chance:
    """An agent that answers anything, and a process that dies anywhere."""

    def __init__(self, seed: int, deadliness: float) -> None:
        self.random, self.deadliness = random.Random(seed), deadliness
        self.asked = 0

    def answer(self, role: str, prompt: str) -> Outcome:
        self.asked += 1
        self.survive("agent")
        kind = self.random.random()
        if kind < 0.55:
            return good_answer(role, prompt)
        if kind < 0.85:
            return reply(self.random.choice(_ANSWERS), conversation=self.random.choice(["", "c1", "c2"]))
        return reply("", ok=False, reason=self.random.choice(_FAILURES), error="it failed")

    def survive(self, call: str) -> None:
        if self.random.random() < self.deadliness:
            raise Killed


@pytest.mark.full
@given(
    seed=st.integers(0, 2**32),
    rounds=st.integers(1, 4),
    explorers=st.integers(1, 4),
    interview=st.booleans(),
    can_ask=st.booleans(),
    deadliness=st.sampled_from([0.0, 0.02, 0.1]),
)
def test_any_answers_failures_and_deaths_leave_the_planning_whole(
    seed: int, rounds: int, explorers: int, interview: bool, can_ask: bool, deadliness: float
) -> None:
    chance = _Chance(seed, deadliness)
    stand = stand_at_start(rounds=rounds, interview=interview, attempts=3)
    phases = PlanningOptions(rounds=rounds, interview=interview).phases
    keeper = FakeKeeper(stand, can_ask=can_ask, survives=chance.survive)
    ended: PlanningFinished | Exhausted | PlanningHalted | None = None
    for _ in range(_MOST_LIVES):
        crew = FakeCrew(keeper, chance.answer)
        before = chance.asked
        try:
            ended = conduct(keeper.stand, crew, explorers=explorers)
        except Killed:
            continue
        finally:
            assert chance.asked - before <= len(phases) * (INTERVIEWS + 1) * 3 * 4 * (explorers + 1)
        if not isinstance(ended, PlanningHalted):
            break
    # No phase is skipped, and none is done again once its answer was taken.
    assert keeper.accepted == list(range(len(keeper.accepted)))
    progress = keeper.stand.planning.progress
    assert progress.index == len(keeper.accepted)
    if isinstance(ended, PlanningFinished):
        plan = ended.stand.planning.plan
        assert progress.index == len(phases) - 1
        assert extract_plan(plan) == plan  # nothing is saved as a plan that is not one
        assert "<promise>" not in plan
    else:
        assert keeper.stand.planning.proposed == ""
