"""Names that are alike, and slips of the fingers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.plans.lint.grounding.files import FileIndex, Names, is_slip_of

_NAMES = st.text(alphabet="abcdefgh_", min_size=5, max_size=14)


@pytest.mark.parametrize(
    ("name", "other"),
    [("lexer", "lexr"), ("lexr", "lexer"), ("lexer", "lexar"), ("lexer", "lxeer"), ("lexer", "exer")],
)
def test_one_letter_more_less_other_or_exchanged_is_a_slip(name: str, other: str) -> None:
    assert is_slip_of(name, other)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("lexer", "lexer"),
        ("lexer", "lexers"),
        ("step_1", "step_2"),
        ("step1", "step"),
        ("lexer", "parser"),
        ("io", "os"),
        ("lexer", "lexical"),
    ],
)
def test_a_plural_the_next_of_a_series_and_another_word_are_none(name: str, other: str) -> None:
    assert not is_slip_of(name, other)


@given(st.lists(_NAMES, min_size=1, max_size=80), st.data())
def test_a_name_with_a_letter_left_out_is_close_to_something(names: list[str], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(names))
    at = data.draw(st.integers(1, len(name) - 1))
    assert Names(names).closest(name[:at] + name[at + 1 :])


@given(st.lists(_NAMES, max_size=30), _NAMES)
def test_what_is_suggested_is_one_of_the_names(names: list[str], name: str) -> None:
    assert Names(names).closest(name) in {"", *names}


_PARTS = st.sampled_from(["src", "lib", "a", "b", "app.py", "x.ts"])
_PATHS = st.lists(_PARTS, min_size=1, max_size=4).map("/".join)


@pytest.mark.full
@given(st.sets(_PATHS, max_size=20), _PATHS)
def test_a_path_is_found_by_every_end_of_it(paths: set[str], path: str) -> None:
    index = FileIndex(sorted({*paths, path}))
    parts = path.split("/")
    for at in range(len(parts)):
        assert index.find("/".join(parts[at:]), "")


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ("src/*.py", True),
        ("src/**", True),
        ("src/**/*.py", True),
        ("**/deep/*.py", True),
        ("deep/*.py", True),
        ("src/*.ts", False),
        ("lib/**", False),
        ("src/a?p.py", True),
        ("src/(x)/*.py", False),
    ],
)
def test_globs_match_as_in_a_shell(pattern: str, matches: bool) -> None:
    assert FileIndex(["src/app.py", "src/one/deep/x.py"]).matches(pattern) is matches
