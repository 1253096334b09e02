"""Who has a submission, and whether it lives: by the process where that can be known, else by the lease."""

import os
import subprocess
import sys

from planrail.base.records import replace
from planrail.store.signs import is_worker_gone, name_worker
from planrail.team.process_notes import describe_self, is_dead, read_owner
from planrail.team.queueing import Submission, SubmissionRequest

ROW = Submission("1", "", "p", "p.md", SubmissionRequest(), owner=describe_self())
ELSEWHERE = describe_self().replace(f'"host": "{read_owner(describe_self()).host}"', '"host": "elsewhere"')  # type: ignore[union-attr]


def ended_process(expression: str) -> str:
    code = f"from planrail.team.process_notes import *; from planrail.store.signs import *; print({expression})"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_a_process_that_lives_here_keeps_its_submission_whatever_the_clock_says() -> None:
    assert not is_dead(ROW, is_lapsed=True)


def test_a_process_that_has_ended_here_loses_it_at_once() -> None:
    assert is_dead(replace(ROW, owner=ended_process("describe_self()")), is_lapsed=False)


def test_a_process_of_another_machine_keeps_it_as_long_as_its_lease() -> None:
    assert not is_dead(replace(ROW, owner=ELSEWHERE), is_lapsed=False)
    assert is_dead(replace(ROW, owner=ELSEWHERE), is_lapsed=True)


def test_a_machine_of_the_same_name_that_was_started_at_another_time_is_another_one() -> None:
    here = read_owner(describe_self())
    assert here is not None
    clone = describe_self().replace(here.boot, "another boot")
    assert not is_dead(replace(ROW, owner=clone), is_lapsed=False)
    assert is_dead(replace(ROW, owner=clone), is_lapsed=True)


def test_a_row_that_names_nobody_counts_by_its_lease() -> None:
    assert is_dead(replace(ROW, owner="rubbish"), is_lapsed=True)


def test_a_worker_is_gone_where_its_process_has_ended_on_this_machine() -> None:
    assert not is_worker_gone(name_worker())
    assert is_worker_gone(ended_process("name_worker()"))
    assert not is_worker_gone(f"elsewhere/{os.getpid()}/1")
