"""The rows of `cases/execution.jsonl` that speak about schedules, and the predecessor's rules about its jobs."""

import json
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from planrail.errors import UsageError
from planrail.schedules.expressions import parse_schedule
from planrail.schedules.predecessor.backoff import DeferFacts, decide_defer, decide_verify_wait, find_cadence
from planrail.schedules.predecessor.inflight import Sentinel, check_inflight, clear_inflight, write_inflight
from planrail.schedules.predecessor.one_shot import parse_pin, pin_time

_CASES = Path(__file__).parents[3] / "shared" / "cases" / "execution.jsonl"
_NOON = datetime(2026, 4, 19, 12, tzinfo=ZoneInfo("Europe/Berlin"))

Case = dict[str, Any]


def _cases(kind: str) -> list[Any]:
    if not _CASES.is_file():
        return []
    rows = [json.loads(line) for line in _CASES.read_text("utf-8").splitlines()]
    return [pytest.param(row, id=row["id"]) for row in rows if row["kind"] == kind]


@pytest.mark.parametrize("case", _cases("schedule"))
def test_a_schedule_becomes_the_cron_expression_of_the_case(case: Case) -> None:
    at = _NOON.replace(minute=case["in"]["minute_now"])
    if case["out"].get("error"):
        with pytest.raises(UsageError) as refused:
            parse_schedule(case["in"]["expr"], at, "Europe/Berlin")
        assert refused.value.remedy
    else:
        assert parse_schedule(case["in"]["expr"], at, "Europe/Berlin").cron == case["out"]["cron"]


@pytest.mark.parametrize("case", _cases("cron_fire"))
def test_a_one_shot_job_is_pinned_as_the_case_has_it(case: Case) -> None:
    words = case["in"]["args"].split()
    if case["out"]["rc"]:
        with pytest.raises(UsageError) as refused:
            parse_pin(words)
        assert refused.value.exit_code == case["out"]["rc"]
    else:
        offset, allows_marks = parse_pin(words)
        now = datetime.fromisoformat(case["in"]["now_local"])
        assert pin_time(now, offset, allows_marks=allows_marks) == case["out"]["cron"]


@pytest.mark.parametrize("case", _cases("defer_backoff"))
def test_a_deferral_gives_the_directives_of_the_case(case: Case) -> None:
    known = case["in"]
    facts = DeferFacts(
        known["counter"],
        known["cadence"],
        known["cron_matches"],
        known["create_result"],
        known["case"],
        known["recovery_marker"] == "yes",
        known["phase"],
    )
    assert decide_defer(facts) == case["out"]


@pytest.mark.parametrize("case", _cases("final_verify_backoff"))
def test_the_wait_for_a_last_verification_is_that_of_the_case(case: Case) -> None:
    wait, wanted = decide_verify_wait(case["in"]["attempt"]), case["out"]
    assert (wait.reentry, wait.verify) == (wanted["reentry_minutes"], wanted["verify_offset_minutes"])
    assert (wait.verify is not None) is wanted["schedule_verify"]


@pytest.mark.parametrize("case", _cases("inflight"))
def test_a_pipeline_is_in_flight_as_the_case_has_it(case: Case) -> None:
    now, codes = 1_000_000.0, []
    files: tuple[Sentinel, ...] = ()
    for verb, skill, *names in case["in"]["steps"]:
        session, pipeline = names if len(names) == 2 else ("", names[0])
        if verb.startswith("write"):
            age = float(verb.removeprefix("write").removeprefix("-aged-") or 0)
            answer = write_inflight(files, skill, session, pipeline, now - age)
        elif verb == "clear":
            answer = clear_inflight(files, skill, pipeline)
        else:
            answer = check_inflight(files, skill, session, pipeline or "", now)
        files = answer.sentinels
        codes.append(answer.code)
    assert codes == case["out"]["rc"]


# ---------------------------------------------------------------------------------------------------- the rules behind


_ALL = [
    DeferFacts(*values)
    for values in product(
        (0, 1, 5, 8, 9, 10, 14, 15, 16, 24, 25, 26, 99),
        ("*/1", "*/10", "*/15", "*/30", "*/60"),
        (0, 1, 2),
        ("ok", "missing", "missing-after-3-retries"),
        (3, 4),
        (False, True),
        ("4a",),
    )
]


def test_a_deferral_is_counted_only_with_a_job_that_has_the_right_cadence() -> None:
    for facts in _ALL:
        directives = decide_defer(facts)
        counted = f"WRITE_COUNTER {facts.counter + 1}" in directives
        has_right_job = find_cadence(facts.counter + 1) in (
            facts.cadence,
            *(line.split()[1] for line in directives if line.startswith("REPLACE_CRON")),
        )
        assert not counted or (facts.matches > 0 and facts.case == 3 and has_right_job)


def test_jobs_are_deleted_only_where_one_is_created_or_the_loss_is_marked() -> None:
    for facts in _ALL:
        directives = decide_defer(facts)
        if "DELETE_ALL_MATCHING_CRONS" in directives:
            rest = directives[directives.index("DELETE_ALL_MATCHING_CRONS") :]
            assert any(line.startswith(("REPLACE_CRON", "WRITE_RECOVERY_MARKER 4a")) for line in rest)


def test_a_phase_that_goes_on_forgets_the_counter_unless_an_odd_job_is_put_right_first() -> None:
    for facts in _ALL:
        directives = decide_defer(facts)
        is_odd = facts.needs_recovery and facts.matches > 0 and facts.cadence == "*/15"
        assert (directives[-1] == "DELETE_COUNTER") is (facts.case == 4 and not is_odd)
        assert (directives[0] == "PRELUDE_RECOVERY_ATTEMPTED") is facts.needs_recovery


def test_people_hear_of_a_deferral_where_the_cadence_changes() -> None:
    told = [
        count
        for count in range(1, 200)
        if decide_defer(DeferFacts(counter=count - 1, cadence=find_cadence(count)))[-1].endswith("printed")
    ]
    assert told == [1, *(count for count in range(2, 200) if find_cadence(count) != find_cadence(count - 1))]


@pytest.mark.parametrize("facts", [DeferFacts(case=1), DeferFacts(case=2), DeferFacts(created="perhaps")])
def test_back_off_is_decided_for_nothing_else(facts: DeferFacts) -> None:
    with pytest.raises(UsageError):
        decide_defer(facts)


def test_a_pinned_time_avoids_full_and_half_hours_unless_they_are_allowed() -> None:
    start = datetime.fromisoformat("2026-12-31 22:00")
    for minutes in range(1, 200):
        exact = pin_time(start, minutes, allows_marks=True)
        assert exact == (start + timedelta(minutes=minutes)).strftime("%M %H %d %m *")
        shifted = pin_time(start, minutes)
        assert shifted.split()[0] not in ("00", "30")
        assert shifted == exact or exact.split()[0] in ("00", "30")


@pytest.mark.parametrize("words", [["--offset"], ["--offset", "-3"], ["--offset", "1.5"], ["--soon"], ["7"]])
def test_a_pinned_time_refuses_what_it_does_not_know(words: list[str]) -> None:
    with pytest.raises(UsageError):
        parse_pin(words)


def test_a_sign_counts_for_its_own_session_and_pipeline() -> None:
    files = write_inflight((), "run-plan", "S1", "P1", 0.0).sentinels
    assert check_inflight(files, "run-plan", "S1", "P1", 10.0).code == 0
    assert check_inflight(files, "run-plan", "S1", "", 10.0).code == 0
    assert check_inflight(files, "run-plan", "S2", "P1", 10.0).code == 1
    assert check_inflight(files, "run-plan", "S1", "P2", 10.0).code == 1
    assert check_inflight(files, "do", "S1", "P1", 10.0).code == 1


def test_writing_the_sign_again_makes_it_new() -> None:
    files = write_inflight((), "run-plan", "S1", "P1", 0.0).sentinels
    files = write_inflight(files, "run-plan", "S1", "P1", 7000.0).sentinels
    assert check_inflight(files, "run-plan", "S1", "P1", 10000.0).code == 0
    assert len(files) == 1


def test_old_and_undated_signs_of_anybody_are_removed_while_looking() -> None:
    files = (
        Sentinel("run-plan", "P1", "S9", None),
        Sentinel("run-plan", "P2", "S9", 0.0),
        Sentinel("do", "P", "S", 0.0),
    )
    answer = check_inflight(files, "run-plan", "S1", "P1", 9000.0)
    assert (answer.code, answer.sentinels) == (1, files[2:])


def test_taking_down_a_sign_twice_is_well_and_leaves_others() -> None:
    files = write_inflight((), "run-plan", "S1", "P2", 0.0).sentinels
    assert clear_inflight(files, "run-plan", "P1").sentinels == files
    assert clear_inflight(files, "run-plan", "P1").code == 0


@pytest.mark.parametrize(("skill", "pipeline"), [("", "P"), ("Run", "P"), ("../x", "P"), ("run-plan", "a/b")])
def test_names_that_could_leave_the_folder_are_a_mistake_in_the_call(skill: str, pipeline: str) -> None:
    assert write_inflight((), skill, "S", pipeline, 0.0).code == 2
    assert check_inflight((), skill, "S", pipeline, 0.0).code == 2
    assert clear_inflight((), skill, pipeline).code == 2
