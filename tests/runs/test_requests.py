"""A request for a run is kept as data; what lies in a database from before, as words, is read as well."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.runs.request import requests
from planrail.runs.request.requests import RunRequest, read_fields, read_spelled, spell
from planrail.team.queue_rows import decode_request, encode_request
from planrail.team.queueing import SubmissionRequest
from tests.support.tables import read_table

_NAMES = st.text("abcdefgh0123456789./_ ", min_size=1).map(str.strip).filter(bool)
_WORDS = st.sampled_from(["", "claude", "a b", "é", "--x"])
REQUESTS = st.builds(
    RunRequest,
    plan=_NAMES.map(lambda name: f"{name}.md"),
    phase=st.sampled_from(["", "1", "4a", "P-2"]),
    finish=st.booleans(),
    auto=st.booleans(),
    landing=st.sampled_from(["", "pr", "direct", "cherry-pick"]),
    agent=_WORDS,
    verifier=_WORDS,
    model=_WORDS,
    budget=st.sampled_from(["", "5", "money=5,minutes=90"]),
    parallel=st.none() | st.integers(0, 11),
    again=st.booleans(),
    wait_for_limit=st.booleans(),
    with_unpushed=st.booleans(),
    as_committed=st.booleans(),
)


@pytest.mark.full
@given(REQUESTS, st.dictionaries(st.text(), st.text()))
def test_what_is_kept_comes_back(request_: RunRequest, options: dict[str, str]) -> None:
    assert decode_request(encode_request(SubmissionRequest(request_, options))) == SubmissionRequest(request_, options)


@pytest.mark.full
@given(REQUESTS)
def test_a_row_of_words_is_the_same_request(request_: RunRequest) -> None:
    row = json.dumps({"words": list(spell(request_)), "options": {"priority": "2"}})
    assert decode_request(row) == SubmissionRequest(request_, {"priority": "2"})


@pytest.mark.parametrize(
    ("words", "request_"),
    [
        (["PLAN.md", "auto"], RunRequest("PLAN.md", auto=True)),
        (["my plan.md", "4a", "finish", "pr"], RunRequest("my plan.md", "4a", finish=True, landing="pr")),
        (["p.md", "pr", "--landing", "direct"], RunRequest("p.md", landing="direct")),
        (["p.md", "--parallel", "3", "--wait-for-limit"], RunRequest("p.md", parallel=3, wait_for_limit=True)),
    ],
)
def test_words_as_planrail_kept_them(words: list[str], request_: RunRequest) -> None:
    assert read_spelled(words) == request_


@pytest.mark.parametrize("row", read_table("runs/tables/requests", "rows"))
def test_what_nobody_understands_asks_for_nothing(row: str) -> None:
    assert decode_request(row) == SubmissionRequest()


def test_half_a_request_is_none() -> None:
    with pytest.raises(ValueError, match="parallel"):
        read_fields({"plan": "PLAN.md", "parallel": True})


_ADDED = '    colour: str = _option("", "what it is painted with", "NAME")\n'
_PROGRAM = """
import argparse, sys, types
import planrail.runs.request as above
known = types.ModuleType("planrail.runs.request.requests")
sys.modules[known.__name__] = above.requests = known
exec(compile(sys.stdin.read(), "requests.py", "exec"), vars(known))

from planrail.cli.options import runs, task_runs
from planrail.cli.runs import run_command
from planrail.team.queue_rows import decode_request, encode_request
from planrail.team.queueing import SubmissionRequest

parser = argparse.ArgumentParser()
run_command.configure(parser)
assert "what it is painted with" in parser.format_help()
arguments = parser.parse_intermixed_args(["p.md", "finish", "--colour", "red", "--again"])
request = runs.read_request(arguments, runs.read_words(arguments))
assert (request.colour, request.again) == ("red", True)
assert decode_request(encode_request(SubmissionRequest(request))).request == request
assert known.spell(request) == ("p.md", "finish", "--colour", "red", "--again")
assert known.read_spelled(known.spell(request)) == request
parser = argparse.ArgumentParser()
runs.add_agents(parser)
task_runs.add_common(parser)
assert task_runs.repeat_run_options(parser.parse_args(["--colour", "red"])) == ("--colour", "red")
"""


@pytest.mark.full
def test_an_option_is_declared_in_one_place() -> None:
    """One line beside the fields of a request: it is shown, typed, kept, read back and spelled."""
    before, marker, after = Path(requests.__file__).read_text("utf-8").partition("    again: bool = _option(")
    subprocess.run([sys.executable, "-c", _PROGRAM], input=before + _ADDED + marker + after, text=True, check=True)
