"""Loop files: only their front matter is read and changed, whatever the prompt contains."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.hook.sessions.loops import end_loop, read_loop

_LOOP, _ORCHESTRATOR = ".claude/ralph-loop.local.md", ".claude/ralph-orchestrator.local.md"
_HEAD = '---\nactive: true\niteration: 5\nmax_iterations: 20\ncompletion_promise: "ALL TESTS PASS"\n---\n'
_PROMPT = """
Run the tests.

---
active: false
max_iterations: 99
iteration: 0
---

and again
"""


def test_a_loop_is_read_and_its_prompt_is_not_taken_for_its_front_matter() -> None:
    loop = read_loop(_HEAD + _PROMPT, _LOOP)
    assert loop is not None
    assert (loop.kind, loop.iteration, loop.max) == ("loop", 5, 20)
    assert (loop.promise, loop.prompt) == ("ALL TESTS PASS", _PROMPT.strip())


def test_ending_a_loop_changes_one_line_and_no_byte_of_the_prompt() -> None:
    ended = end_loop(_HEAD + _PROMPT)
    assert ended == _HEAD.replace("max_iterations: 20", "max_iterations: 5") + _PROMPT


def test_a_loop_with_windows_line_ends_is_read_and_ended() -> None:
    text = (_HEAD + _PROMPT).replace("\n", "\r\n")
    loop = read_loop(text, _LOOP)
    assert loop is not None
    assert (loop.iteration, loop.max, loop.promise) == (5, 20, "ALL TESTS PASS")
    ended = end_loop(text)
    assert ended is not None
    assert ended.replace("\r\n", "\n") == end_loop(_HEAD + _PROMPT)
    assert ended.count("\r\n") == ended.count("\n")


@pytest.mark.parametrize(("iteration", "most", "remaining"), [(5, 20, 15), (7, 0, 0), (20, 20, 1)])
def test_what_is_left_of_a_loop(iteration: int, most: int, remaining: int) -> None:
    loop = read_loop(f"---\nactive: true\niteration: {iteration}\nmax_iterations: {most}\n---\ngo\n", _LOOP)
    assert loop is not None
    assert loop.to_json()["remaining"] == remaining


@pytest.mark.parametrize(
    "text",
    [
        "",
        "go\n",
        "---\n",
        "---\nactive: true\n",
        "---\nactive: false\nmax_iterations: 3\n---\ngo\n",
        "---\nactive: TRUE?\n---\ngo\n",
        "go\n---\nactive: true\n---\n",
        "---\nmax_iterations: 3\n---\nactive: true\n",
    ],
)
def test_what_is_no_active_loop_is_none(text: str) -> None:
    assert read_loop(text, _LOOP) is None


def test_a_loop_without_a_maximum_cannot_be_ended() -> None:
    assert end_loop("---\nactive: true\niteration: 3\n---\nmax_iterations: 9\n") is None


def test_an_orchestrator_is_told_by_its_file() -> None:
    text = "---\nactive: true\niteration: 3\nmax_iterations: 20\ncurrent_task: 'auth'\ncompletion_promise: null\n---\n"
    loop = read_loop(text, f"/project/{_ORCHESTRATOR}")
    assert loop is not None
    assert (loop.kind, loop.task, loop.promise) == ("orchestrator", "auth", "")


@given(st.text(), st.integers(0, 50), st.integers(0, 50))
def test_an_ended_loop_ends_and_keeps_its_prompt_and_any_text_can_be_looked_at(
    prompt: str, iteration: int, most: int
) -> None:
    read_loop(prompt, _LOOP)
    end_loop(prompt)
    text = f"---\nactive: true\niteration: {iteration}\nmax_iterations: {most}\n---\n{prompt}"
    before, ended = read_loop(text, _LOOP), end_loop(text)
    assert ended is not None
    after = read_loop(ended, _LOOP)
    assert before is not None
    assert after is not None
    assert (after.prompt, after.iteration) == (before.prompt, iteration)
    assert after.max == max(1, iteration)
