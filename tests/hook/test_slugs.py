"""Names for plan files: readable, from the prompt's words, in any language, and nothing in them that does harm."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.plans.files.slugs import (
    ADJECTIVES,
    MAX_BYTES,
    MAX_CHARACTERS,
    NOUNS,
    STOP_WORDS,
    file_name,
    slug_of,
    two_words,
)


@pytest.mark.parametrize(
    ("prompt", "slug"),
    [
        ("Add dark mode to the settings page", "add-dark-mode-settings-page"),
        ("please, could you fix the flaky login test?", "fix-flaky-login-test"),
        ("Write a plan for OAuth2", "write-oauth2"),
        ("Füge bitte eine Anmeldung hinzu", "füge-anmeldung-hinzu"),
        ("Исправь вход на сайт", "исправь-вход-сайт"),
        ("修复登录页面的错误", "修复登录页面的错误"),
        ("हिन्दी में लॉगिन जोड़ें", "हिन्दी-में-लॉगिन-जोड़ें"),
        ("ação rápida", "ação-rápida"),
    ],
)
def test_a_name_says_what_the_prompt_asks_for(prompt: str, slug: str) -> None:
    assert slug_of(prompt) == slug


@pytest.mark.parametrize(
    ("prompt", "slug"),
    [
        ("see https://example.org/a/b?c=d and repair it", "see-repair"),
        ("repair [the docs](https://example.org/x)", "repair-docs"),
        ("<b>bold</b> **move** _now_", "bold-move"),
        ("before <!-- a secret remark --> after", "before-after"),
        ("rename ```sh\nrm -rf /\n``` things", "rename-things"),
        ("run `rm -rf /` never", "run-never"),
        ("rename `parse_config` everywhere", "rename-parse-config-everywhere"),
        ("split src/auth/login.py in two", "split-login-two"),
        ("split client/server code", "split-client-server-code"),
        ("compare a < b", "compare-b"),
    ],
)
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
        "use 3b18e512dba79e4c here",
    ],
)
def test_what_looks_like_a_key_does_not_become_a_name(prompt: str) -> None:
    assert slug_of(prompt) in ("use", "use-password")


def test_a_long_prompt_is_cut_at_a_word() -> None:
    words = ["refactor", "authentication", "middleware", "completely", "rewriting", "everything"]
    slug = slug_of(" ".join(words) * 1000)
    assert len(slug) <= MAX_CHARACTERS
    assert slug.split("-") == words[: slug.count("-") + 1]


def test_a_script_without_spaces_is_cut_at_a_letter() -> None:
    assert slug_of("修" * 500) == "修" * MAX_CHARACTERS


def test_a_letter_is_not_parted_from_its_marks() -> None:
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


def test_the_two_words_are_chosen_by_the_caller() -> None:
    assert two_words(lambda count: 0) == f"{ADJECTIVES[0]}-{NOUNS[0]}"


@pytest.mark.parametrize("words", [ADJECTIVES, NOUNS])
def test_the_words_are_many_short_and_plain(words: tuple[str, ...]) -> None:
    assert len(set(words)) == len(words) >= 60
    assert all(word.isascii() and word.isalpha() and word.islower() and len(word) <= 8 for word in words)
