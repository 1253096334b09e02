"""Limits hold: a usage limit parks a run or is waited for, and past a ceiling nothing more is started."""

import time
from collections.abc import Callable, Iterator

import pytest

from planrail.testing.model_server import Turn, say
from planrail.testing.model_server.script import ServiceError
from tests.e2e.projects import Project
from tests.e2e.runs import PATH, Yard, open_yard
from tests.e2e.runs_casting import (
    ALL_SAID,
    CLAUDE_ACTOR,
    CODEX_ACTOR,
    GOOD,
    HELLO,
    PAIRS,
    SPENT,
    Cast,
    greeting_plan,
    phase,
    verdict,
)
from tests.support.lanes import sampled


def claude_limit(resets_at: int, now: float) -> Turn:
    """A subscription of Claude is used up for its five hours. Claude Code reads the headers, not the message."""
    window = {"status": "rejected", "reset": str(resets_at)}
    unified = {
        **window,
        "representative-claim": "five_hour",
        "fallback": "unavailable",
        **{f"5h-{name}": value for name, value in window.items()},
        "5h-utilization": "1.0",
        "overage-status": "rejected",
        "overage-disabled-reason": "org_level_disabled",
    }
    headers = {f"anthropic-ratelimit-unified-{name}": value for name, value in unified.items()}
    headers |= {"retry-after": str(max(1, int(resets_at - now))), "x-should-retry": "true"}
    message = "This request would exceed your account's rate limit. Please try again later."
    return Turn(fault=ServiceError(429, "rate_limit_error", message, tuple(headers.items())))


def codex_limit(resets_at: int, now: float) -> Turn:
    """A plan of Codex is used up. Codex reads the body, and tells people the time without its seconds."""
    body = {"plan_type": "pro", "resets_at": resets_at, "resets_in_seconds": max(0, int(resets_at - now))}
    fault = ServiceError(429, "usage_limit_reached", "The usage limit has been reached", fields=tuple(body.items()))
    return Turn(fault=fault)


LIMITS: dict[str, Callable[[int, float], Turn]] = {"claude": claude_limit, "codex": codex_limit}


@pytest.fixture
def yard(project: Project) -> Iterator[Yard]:
    with open_yard(project) as made:
        made.subscribe()
        made.plan(greeting_plan(phase(1)))
        yield made


def _limit(agent: str, seconds: int) -> tuple[Turn, int]:
    now = time.time()
    return LIMITS[agent](int(now) + seconds, now), int(now) + seconds


@pytest.mark.parametrize("pair", sampled(PAIRS, "codex works"))
def test_a_run_is_parked_at_a_usage_limit_and_goes_on_in_the_same_conversation(yard: Yard, pair: str) -> None:
    cast = Cast(yard, *PAIRS[pair])
    limit, until = _limit(cast.worker.name, 7200)
    work = [cast.worker.shell("echo OSPREY"), limit, cast.worker.shell(HELLO), say("Done.")]
    cast.play(work, cast.verifier.answer(verdict(**GOOD)))
    told = yard.run("finish", "auto", *cast.agents)
    assert (told.code, told.state) == (0, "parked"), told
    assert 0 <= int(str(told.answer["until"])) - until <= 120  # Codex tells no seconds
    assert time.strftime("%Y-%m-%d %H:%M", time.localtime(int(str(told.answer["until"])))) in str(told.answer["text"])
    assert yard.processes() == []
    status = yard.status()
    assert status["run"] == {**dict(status["run"]), "state": "parked", "until": told.answer["until"]}  # type: ignore[call-overload]
    assert status["next"] == f"planrail resume {PATH}"
    told = yard.call("resume")
    assert (told.code, told.state) == (0, "complete"), told
    assert cast.rest == ALL_SAID
    assert yard.landed() == ["1"]
    last = cast.worked[-1]
    assert last.was_told("OSPREY")  # what the tool said before the limit
    assert last.said_by("user").count("[planrail] Implement phase 1") == 1
    assert len(yard.attempts()) == 1


def test_a_run_waits_for_a_usage_limit_where_the_person_opted_in(yard: Yard) -> None:
    cast = Cast(yard, CLAUDE_ACTOR, CODEX_ACTOR)
    limit, until = _limit("claude", 20)
    cast.play([limit, cast.worker.shell(HELLO), say("Done.")], cast.verifier.answer(verdict(**GOOD)))
    told = yard.run("finish", "auto", *cast.agents, "--wait-for-limit")
    assert (told.code, told.state) == (0, "complete"), told
    assert cast.rest == ALL_SAID
    assert "usage limit" in told.errors
    second = next(place for place in yard.jobs("*implement.2"))
    assert (second / "job.json").stat().st_mtime >= until
    assert yard.landed() == ["1"]


def test_a_verifier_at_its_usage_limit_says_nothing_about_the_work(yard: Yard) -> None:
    """Nobody is asked to fix what was not judged; the verifier goes on, and so does the run."""
    cast = Cast(yard, CLAUDE_ACTOR, CODEX_ACTOR)
    limit, _ = _limit("codex", 7200)
    cast.play(
        [cast.worker.shell(HELLO), say("Done.")],
        [
            cast.verifier.shell("cat hello.txt"),
            limit,
            *cast.verifier.answer(verdict(W1="hello.txt:1", C1="$ cat hello.txt")),
        ],
    )
    told = yard.run("finish", "auto", *cast.agents)
    assert (told.code, told.state) == (0, "parked"), told
    told = yard.call("resume")
    assert (told.code, told.state) == (0, "complete"), told
    assert cast.rest == ALL_SAID
    assert yard.landed() == ["1"]


def test_past_a_ceiling_nothing_more_is_started_until_somebody_raises_it(yard: Yard) -> None:
    cast = Cast(yard, CODEX_ACTOR, CLAUDE_ACTOR)
    cast.play([cast.worker.shell(HELLO), say("Done.", SPENT)], cast.verifier.answer(verdict(**GOOD)))
    told = yard.run("finish", "auto", *cast.agents, "--budget", "tokens=1000")
    for _ in range(2):  # the second time after a restart
        assert told.state == "paused", told
        assert "1,215 tokens of 1,000 tokens" in str(told.answer["text"])
        assert cast.verified == []
        assert yard.landed() == []
        told = yard.call("resume")
    assert "--budget tokens=" in str(told.answer["command"])
    told = yard.call("resume", "--budget", "tokens=100k")
    assert (told.code, told.state) == (0, "complete"), told
    assert cast.rest == ALL_SAID
    assert len(cast.worked) == 2  # the work was not done again
    assert yard.landed() == ["1"]
