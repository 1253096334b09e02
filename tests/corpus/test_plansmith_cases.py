"""The lines of `cases/in-session.jsonl` about the predecessor's phases: an answer is good enough iff it went on there.

Lines marked as its quirks are turned around: what it let pass by mistake is refused here, and the other way round.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from planrail.planning.answers.judging import PHASES, Bar, judge

_CASES = Path(__file__).parents[3] / "shared" / "cases" / "in-session.jsonl"
_PHASES = "understand,explore,alternatives,draft,critique,revise,critique,revise"
_MESSAGES = (
    "Do NOT write a plan",
    "Do NOT finalize",
    "Missing sections",
)
# Lines where the machine goes on whatever the answer says, and why planrail does not.
DIFFERENT = {
    "ps3-revise-nopromise-last": "there is no phase after the last: a plan without its promise is not finished",
    "ps3-open-critique": "three letters are no critique: what an answer says is judged, and not how many points it has",
    "ps4-q-paren-numbers": "three words that frame an answer are none, whatever their list looks like",
    "ps3-revise-missing": "it went on to a phase of its own with sections missing; the answer is refused here",
}

Row = dict[str, Any]


def _cases() -> list[Any]:
    if not _CASES.is_file():
        return []
    rows = [json.loads(line) for line in _CASES.read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["system"] == "plansmith" and row["event"] == "Stop" and _is_judged(row)]
    return [pytest.param(row, id=row["id"]) for row in rows]


def _front(row: Row) -> Row:
    return (row.get("setup") or {}).get("frontmatter") or {}


def _is_judged(row: Row) -> bool:
    """Whether an answer is judged at all: the loop runs, is at a phase that exists, and has turns left."""
    front = _front(row)
    is_running = front.get("active") != "false" and isinstance(front.get("phase_index"), int)
    has_turns = front.get("max_phases") is None
    return is_running and has_turns and front.get("phase") in PHASES and "last_assistant_message" in row["input"]


def _goes_on(row: Row) -> bool:
    expect = row["expect"]
    if expect["decision"] == "allow":
        return True
    return bool(expect["index_after"] != str(_front(row)["phase_index"]))


def _judge(row: Row) -> list[str]:
    front = _front(row)
    phases = str(front.get("phases", _PHASES)).strip('"').split(",")
    bar = Bar(
        is_final=int(front["phase_index"]) == len(phases) - 1,
        open_critique="open" in str(front.get("critique_mode", "")),
    )
    return [problem.message for problem in judge(front["phase"], row["input"]["last_assistant_message"], bar)]


@pytest.mark.parametrize("case", _cases())
def test_an_answer_is_good_enough_where_the_case_goes_on_and_refused_in_its_words(case: Row) -> None:
    problems = _judge(case)
    is_inverted = ("quirk" in case) != (case["id"] in DIFFERENT)
    assert (not problems) == (_goes_on(case) != is_inverted), problems
    if "quirk" not in case and not _goes_on(case):
        for phrase in case["expect"]["contains"]:
            assert phrase in " ".join(problems) or not phrase.startswith(_MESSAGES)
