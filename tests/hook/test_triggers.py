"""What is a command, and what is a sentence."""

import pytest

from planrail.hook.sessions.triggers import EXECUTE, LOAD, STATUS, read_command
from tests.hook.phrases import ASKING, EXECUTING, LOADING
from tests.support.tables import read_table


@pytest.mark.parametrize(("phrases", "verb"), [(LOADING, LOAD), (EXECUTING, EXECUTE), (ASKING, STATUS)])
def test_a_phrase_loads_carries_out_or_asks_and_is_nothing_inside_a_sentence(phrases: list[str], verb: str) -> None:
    for prompt in phrases:
        command = read_command(prompt)
        assert command is not None
        assert (command.verb, command.text) == (verb, "")
        for form in ("do not {}", "don't {}", "please do not {} yet", "why did you {}", "when I say {}, wait"):
            assert read_command(form.format(prompt)) is None


@pytest.mark.parametrize("prompt", read_table("hook/tables/triggers", "sentences"))
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


@pytest.mark.parametrize(("prompt", "verb", "text"), read_table("hook/tables/triggers", "commands"))
def test_a_slash_command_is_read_with_its_text(prompt: str, verb: str, text: str) -> None:
    command = read_command(prompt)
    assert command is not None
    assert (command.verb, command.text) == (verb, text)


_ODD = ["", " \n", "/", "!", "\x00", "\ud800", "?" * 1000, "execute the plan" + "x" * 100_000]


@pytest.mark.parametrize("prompt", [*_ODD, "reload " + "the whole cache of the thing " * 500])
def test_an_odd_or_a_long_prompt_is_no_command(prompt: str) -> None:
    assert read_command(prompt) is None
