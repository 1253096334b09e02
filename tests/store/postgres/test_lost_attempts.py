"""A run that moves to another machine forgets what was only on the old one, and does not forget what it has paid for."""

from planrail.store.postgres.run_rows import judge_unfinished

ENDED = ["turn/1/choose", "phase/1/1/start", "phase/1/1/workspace", "phase/1/1/implement.1", "phase/1/1/end"]
AT_WORK = ["turn/2/choose", "phase/2/1/start", "phase/2/1/baseline", "phase/2/1/fresh", "phase/2/1/workspace"]
JUDGED = ["phase/2/1/implement.1", "phase/2/1/snapshot.1", "phase/2/1/checks.1"]


def test_an_attempt_that_ended_is_kept() -> None:
    assert judge_unfinished(ENDED) == ([], [])


def test_an_attempt_that_had_come_to_its_agent_is_lost_and_what_came_before_stays() -> None:
    assert judge_unfinished([*ENDED, *AT_WORK, *JUDGED]) == (JUDGED, ["phase/2/1/implement.1"])
    assert judge_unfinished(AT_WORK) == ([], ["phase/2/1/implement.1"])


def test_an_attempt_without_an_agent_begins_anew_and_costs_nothing() -> None:
    assert judge_unfinished([*ENDED, *AT_WORK[:-1]]) == (AT_WORK[1:-1], [])


def test_the_finish_is_done_again() -> None:
    gone = ["finish/verify_all", "finish/mark.1"]
    assert judge_unfinished([*ENDED, *gone]) == (gone, [])
