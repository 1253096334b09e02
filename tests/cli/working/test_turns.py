"""What a worker makes of a row of the queue."""

import pytest

from planrail.base.errors import UsageError
from planrail.runs.request.requests import RunRequest
from planrail.team.queueing import Submission, SubmissionRequest
from planrail.team.worker.serving import read_request


def submit(wish: SubmissionRequest) -> Submission:
    return Submission("1", "", "p", "my plan.md", wish)


def test_a_row_that_this_planrail_does_not_understand_is_not_run_by_guessing() -> None:
    with pytest.raises(UsageError, match=r"my plan\.md is nothing that this planrail can run") as refused:
        read_request(submit(SubmissionRequest()))
    assert refused.value.remedy == "planrail run 'my plan.md'"


def test_what_was_asked_for_is_what_is_run() -> None:
    asked = RunRequest("my plan.md", finish=True, auto=True)
    assert read_request(submit(SubmissionRequest(asked))) == asked
