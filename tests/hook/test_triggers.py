"""What is a command, and what is a sentence."""

import pytest

from planrail.hook.sessions.triggers import APPROVE, BLOCK, EXECUTE, LOAD, OFF, OPEN, PLAN, STATUS, read_command
from tests.hook.phrases import ASKING, EXECUTING, LOADING

_SENTENCES = """
do not execute the plan yet
don't run the plan
never reload
make the spinner show progress
the progress bar should show progress while it loads
run the plan through a spell checker
run the plan by me first
reload the page
reload the configuration file
reload and then deploy
what is the plan status page for?
explain how "execute the plan" works
I would rather not resume the plan
can you plan this?
let us plan the plan
plan
planet
load the planetarium
start the planner service
execute the plant simulation
continue the planning
!planet
!plans
! plan
!plan-statuses
!reload
/planet
/plans
/plan-statuses
/ plan
/reload
/approved
/approve-all
/other:plan
please
führe den Plan aus
führe den Plan noch nicht aus
exécute le plan
计划
計画を実行
플랜 실행
"""


def _lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.mark.parametrize("prompt", LOADING)
def test_a_load_phrase_loads(prompt: str) -> None:
    command = read_command(prompt)
    assert command is not None
    assert (command.verb, command.text) == (LOAD, "")


@pytest.mark.parametrize("prompt", EXECUTING)
def test_who_says_what_to_do_with_a_plan_wants_it_carried_out(prompt: str) -> None:
    command = read_command(prompt)
    assert command is not None
    assert (command.verb, command.text) == (EXECUTE, "")


@pytest.mark.parametrize("prompt", ASKING)
def test_a_status_phrase_asks_for_the_status(prompt: str) -> None:
    command = read_command(prompt)
    assert command is not None
    assert command.verb == STATUS


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


@pytest.mark.parametrize("prompt", [*EXECUTING, *LOADING, *ASKING])
@pytest.mark.parametrize(
    "form", ["do not {}", "don't {}", "please do not {} yet", "why did you {}", "when I say {}, wait"]
)
def test_a_command_inside_a_sentence_is_none(prompt: str, form: str) -> None:
    assert read_command(form.format(prompt)) is None


@pytest.mark.parametrize("prompt", ["execute the plan", "reload", "plan status"])
@pytest.mark.parametrize("end", [" yet?", "?", " tomorrow", " if the tests pass", ", but not yet", ". No, wait: don't"])
def test_a_condition_or_a_doubt_is_no_command(prompt: str, end: str) -> None:
    if (prompt, end) != ("plan status", "?"):
        assert read_command(prompt + end) is None


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("!load-plan auth", "auth"),
        ("!plan auth", "auth"),
        ("!load-plan  My Plan.md ", "My Plan.md"),
        ("/load-plan auth", "auth"),
        ("/run-plan ../../etc/passwd", "../../etc/passwd"),
    ],
)
def test_a_plan_can_be_named(prompt: str, name: str) -> None:
    command = read_command(prompt)
    assert command is not None
    assert (command.verb, command.text) == (LOAD, name)


@pytest.mark.parametrize(
    "prompt", ["run the plan and commit", "execute the plan, then push", "resume the plan: start with 3"]
)
def test_a_command_may_be_the_first_of_several_requests(prompt: str) -> None:
    command = read_command(prompt)
    assert command is not None
    assert command.verb == EXECUTE


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
    ],
)
def test_a_slash_command_is_read_with_its_text(prompt: str, verb: str, text: str) -> None:
    command = read_command(prompt)
    assert command is not None
    assert (command.verb, command.text) == (verb, text)


def test_a_long_text_that_begins_like_a_command_is_none() -> None:
    assert read_command("reload " + "the whole cache of the thing " * 500) is None
    assert read_command("execute the plan" + "x" * 100_000) is None


@pytest.mark.parametrize("prompt", ["", " ", "\n", "/", "!", "\x00", "\ud800", "?" * 1000])
def test_an_odd_prompt_is_no_command(prompt: str) -> None:
    assert read_command(prompt) is None
