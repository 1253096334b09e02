"""What two texts are compared by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.memory.terms import STOP_WORDS, terms_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("fix CI", "The CI is red"),
        ("a db index", "DB access"),
        ("re-try", "retries"),
        ("type-check", "typecheck"),
        ("type-check", "type checking"),
        ("UserService", "user_service"),
        ("src/auth/login.py", "the login"),
        ("C++", "a c++ compiler"),
        ("validates", "validation"),
        ("running tests", "run every test"),
        ("테스트를 고쳐라", "테스트"),
        ("数据库迁移", "迁移失败"),
        ("データベース", "データの移行"),
        ("миграции базы", "миграция"),
        ("ＣＩ", "ci"),
    ],
)
def test_words_that_mean_the_same_meet(one: str, other: str) -> None:
    assert terms_of(one) & terms_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("a an the of", "the of a an"), ("re-use", "re-try"), ("", "x y"), ("C", "c++"), ("server", "zebra")],
)
def test_words_that_say_nothing_do_not_meet(one: str, other: str) -> None:
    assert not terms_of(one) & terms_of(other)


def test_the_tools_and_languages_that_look_like_small_words_are_no_stop_words() -> None:
    assert not STOP_WORDS & {"ci", "db", "go", "make", "ui", "ux", "qa", "r2", "js", "k8s", "ai", "io", "os", "pr"}


@given(st.text(max_size=100), st.text(max_size=100))
def test_a_text_has_the_terms_of_each_of_its_lines(one: str, other: str) -> None:
    assert terms_of(f"{one}\n{other}") == terms_of(one) | terms_of(other)
