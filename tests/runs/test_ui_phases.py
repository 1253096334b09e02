"""Which phases touch what people see: by whole words, never by a part of another word."""

import pytest

from planrail.plans.execution.executions import announce_ui, find_ui_words, is_ui_phase


@pytest.mark.parametrize(
    "text",
    [
        "two toolbars",
        "`EditorPanel.tsx`",
        "main_menu.py",
        "src/ui/app.ts",
        "styles/site.less",
        "Dark-mode",
        "a.css",
        "the UI",
    ],
)
def test_a_phase_that_names_a_part_of_the_interface_touches_it(text: str) -> None:
    assert is_ui_phase(text)


@pytest.mark.parametrize(
    "text", ["build the guide", "panelist", "documentation", "coding styles", "editorial", "quick", "No UI changes"]
)
def test_other_words_do_not(text: str) -> None:
    assert not is_ui_phase(text)


def test_the_words_are_named_once_each() -> None:
    assert find_ui_words("a Button, a button and a menu") == ("button", "menu")


def test_a_run_says_up_front_which_phases_a_person_has_to_look_at() -> None:
    assert announce_ui([("1", "parser"), ("2", "a toolbar")]) == "a person has to look at: phase 2 (toolbar)"
    assert announce_ui([("1", "parser")]) == ""
