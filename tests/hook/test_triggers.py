"""What is a command, and what is a sentence."""

import pytest

from planrail.hook.sessions.triggers import APPROVE, BLOCK, EXECUTE, LOAD, OFF, OPEN, PLAN, STATUS, read_command
from tests.hook.phrases import ASKING, EXECUTING, LOADING

_SENTENCES = """
do not execute the plan yet
don't run the plan
never reload
make the spinner show progress
run the plan through a spell checker
reload the page
reload and then deploy
what is the plan status page for?
explain how "execute the plan" works
can you plan this?
plan
execute the plant simulation
continue the planning
!planet
! plan
!plan-statuses
!reload
/planet
/ plan
/reload
/approved
/other:plan
führe den Plan aus
führe den Plan noch nicht aus
计划
"""


def _lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.mark.parametrize(("phrases", "verb"), [(LOADING, LOAD), (EXECUTING, EXECUTE), (ASKING, STATUS)])
def test_a_phrase_loads_carries_out_or_asks_and_is_nothing_inside_a_sentence(phrases: list[str], verb: str) -> None:
    for prompt in phrases:
        command = read_command(prompt)
        assert command is not None
        assert (command.verb, command.text) == (verb, "")
        for form in ("do not {}", "don't {}", "please do not {} yet", "why did you {}", "when I say {}, wait"):
            assert read_command(form.format(prompt)) is None


@pytest.mark.parametrize("prompt", _lines(_SENTENCES))
def test_a_sentence_triggers_nothing(prompt: str) -> None:
    assert read_command(prompt) is None


@pytest.mark.parametrize("prompt", [line for line in [*EXECUTING, *LOADING] if line[0] not in "!/"])
@pytest.mark.parametrize(
    "form", ["{}.", "{}!", "please {}", "Please {}", "{} please", "{}, please", "  {}\n", "ok, {}"]
)
def test_manners_and_capitals_do_not_matter(prompt: str, form: str) -> None:
    for text in (form.format(prompt), form.format(prompt).upper()):
        command = read_command(text)
        assert command is not None
        assert command.verb == (EXECUTE if prompt in EXECUTING else LOAD)


@pytest.mark.parametrize("prompt", ["execute the plan", "reload", "plan status"])
@pytest.mark.parametrize("end", [" yet?", "?", " tomorrow", " if the tests pass", ", but not yet", ". No, wait: don't"])
def test_a_condition_or_a_doubt_is_no_command(prompt: str, end: str) -> None:
    if (prompt, end) != ("plan status", "?"):
        assert read_command(prompt + end) is None


@pytest.mark.parametrize(
    ("prompt", "verb", "text"),
    [
        ("/plan", PLAN, ""),
        ("/plan add a cache", PLAN, "add a cache"),
        ("/plan\nadd a cache\nwith tests", PLAN, "add a cache\nwith tests"),
        ("/planrail:plan add a cache", PLAN, "add a cache"),
        ("/plan open", OPEN, ""),
        ("/plan OPEN ", OPEN, ""),
        ("/plan open the door", PLAN, "open the door"),
        ("/plan off", OFF, ""),
        ("/plan off-by-one errors", PLAN, "off-by-one errors"),
        ("/plan-off", OFF, ""),
        ("/plan approve", APPROVE, ""),
        ("/plan approve all pull requests", PLAN, "approve all pull requests"),
        ("/approve", APPROVE, ""),
        ("/plan block off", BLOCK, "off"),
        ("/plan unblock", BLOCK, "off"),
        ("/plan block on", BLOCK, "on"),
        ("/plan block storage", PLAN, "block storage"),
        ("/plan status of orders", PLAN, "status of orders"),
        ("execute the plan, then push", EXECUTE, ""),
        ("!load-plan  My Plan.md ", LOAD, "My Plan.md"),
        ("!plan auth", LOAD, "auth"),
        ("/run-plan ../../etc/passwd", LOAD, "../../etc/passwd"),
    ],
)
def test_a_slash_command_is_read_with_its_text(prompt: str, verb: str, text: str) -> None:
    command = read_command(prompt)
    assert command is not None
    assert (command.verb, command.text) == (verb, text)


_ODD = ["", " \n", "/", "!", "\x00", "\ud800", "?" * 1000, "execute the plan" + "x" * 100_000]


@pytest.mark.parametrize("prompt", [*_ODD, "reload " + "the whole cache of the thing " * 500])
def test_an_odd_or_a_long_prompt_is_no_command(prompt: str) -> None:
    assert read_command(prompt) is None
