"""Names for plan files: readable, from the prompt's words, in any language, and nothing in them that does harm."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.plans.files.slugs import (
    MAX_BYTES,
    MAX_CHARACTERS,
    STOP_WORDS,
    file_name,
    slug_of,
)
from tests.support.tables import read_table


@pytest.mark.parametrize(("prompt", "slug"), read_table("hook/tables/slugs", "words"))
def test_a_name_says_what_the_prompt_asks_for(prompt: str, slug: str) -> None:
    assert slug_of(prompt) == slug


@pytest.mark.parametrize(("prompt", "slug"), read_table("hook/tables/slugs", "left out"))
def test_links_mark_up_code_and_folders_are_left_out(prompt: str, slug: str) -> None:
    assert slug_of(prompt) == slug


@pytest.mark.parametrize(
    "prompt", ["", "   \n", "the", "please!", "https://example.org", "🚀❤️", "```code```", "\x00\x1b", "`", "<", "../.."]
)
def test_a_prompt_without_a_telling_word_gives_no_slug(prompt: str) -> None:
    assert slug_of(prompt) == ""


@pytest.mark.parametrize("prompt", ["don't break auth", "do not break auth", "no login", "nicht löschen", "не трогай"])
def test_a_negation_is_never_dropped(prompt: str) -> None:
    assert slug_of(prompt).split("-")[0] in ("dont", "not", "no", "nicht", "не")


@pytest.mark.parametrize(
    "prompt",
    [
        "use sk-ant-REDACTED-KEY here",
        "use ghp_16C7e42F292c6912E7710c838347Ae178B4a here",
        "use AKIAIOSFODNN7EXAMPLE here",
        "use password=hunter2 here",
        "use 3b18e512dba79e4c8300dd08aeb37f8e728b8dad here",
    ],
)
def test_what_looks_like_a_key_does_not_become_a_name(prompt: str) -> None:
    assert slug_of(prompt) in ("use", "use-password")


def test_a_long_prompt_is_cut_at_a_word() -> None:
    words = ["refactor", "authentication", "middleware", "completely", "rewriting", "everything"]
    slug = slug_of(" ".join(words) * 1000)
    assert len(slug) <= MAX_CHARACTERS
    assert slug.split("-") == words[: slug.count("-") + 1]


def test_a_script_without_spaces_is_cut_at_a_letter_that_is_not_parted_from_its_marks() -> None:
    assert slug_of("修" * 500) == "修" * MAX_CHARACTERS
    letter = "q\u0301\u0302"
    slug = slug_of(letter * 100)
    assert slug == letter * (len(slug) // len(letter))


@pytest.mark.parametrize("hidden", ["\ufe0f", "\u3164", "\u034f", "\u200b", "\u202e", "\u2066", "\ufeff", "\U000e0100"])
def test_a_name_holds_nothing_that_cannot_be_seen(hidden: str) -> None:
    assert slug_of(f"lock{hidden} {hidden} door{hidden}{hidden}bell") == "lock-door-bell"


@given(st.text())
def test_any_prompt_gives_a_safe_file_name(prompt: str) -> None:
    name = file_name(prompt, lambda count: count - 1)
    slug = slug_of(prompt)
    assert name == (f"{slug}-zesty-wren.md" if slug else "zesty-wren.md")
    assert name.isprintable()
    assert name[0].isalnum()
    assert "/" not in name
    assert ".." not in name
    assert len(slug) <= MAX_CHARACTERS
    assert len(slug.encode()) <= MAX_BYTES
    assert slug == slug_of(prompt)
    assert not set(slug.split("-")) & STOP_WORDS
