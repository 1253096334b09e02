"""JSON without `json`: the same answers as the library, ValueError for everything else, and no dear import."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planrail.base.decoding import decode, encode

_SOURCES = Path(__file__).parents[2] / "src"
_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=5),
    max_leaves=20,
)
# Text that is nearly JSON: pieces of it in any order.
_PIECES = st.sampled_from(
    [*'{}[]:,"\\ \t\n0123.e+-', "true", "null", "NaN", '"a"', "\\u00", "\ud800", "é", "\ufeff", "\0"]
)
NEARLY_JSON = st.lists(_PIECES, max_size=12).map("".join) | st.text(max_size=20)


def _library(text: str) -> object:
    def refuse(name: str) -> object:
        raise ValueError(name)

    return json.loads(text, parse_constant=refuse)


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_what_the_library_writes_is_read_as_it_reads_it(value: object, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert repr(decode(f" \r\n\t{text}\n ")) == repr(json.loads(text))


@given(VALUES)
def test_what_is_written_is_what_the_library_writes(value: object) -> None:
    assert encode(value) == json.dumps(value, separators=(",", ":"))


@given(NEARLY_JSON | VALUES.map(json.dumps).flatmap(lambda text: st.sampled_from([text[: len(text) // 2], text[:-1]])))
@example("9" * 5000)
@example('{"a": 1, "a": 2}')
@example('{"a": -Infinity}')
@example("1 2")
def test_text_is_accepted_exactly_where_the_library_accepts_it(text: str) -> None:
    try:
        expected = _library(text)
    except ValueError:
        with pytest.raises(ValueError, match=r"."):
            decode(text)
    else:
        assert repr(decode(text)) == repr(expected)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 100_000 + "]" * 100_000])
def test_a_document_that_is_nested_too_deeply_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match="not JSON"):
        decode(text)


@pytest.mark.parametrize("value", [math.nan, [math.inf], {"a": -math.inf}, {1, 2}, b"x", object(), {(1,): 2}])
def test_what_json_cannot_say_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        encode(value)


def test_a_circle_or_a_deep_value_is_refused_and_the_next_value_is_written() -> None:
    circle: list[object] = []
    circle.append(circle)
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (circle, deep):
        with pytest.raises(ValueError, match=r"."):
            encode(value)
    assert encode([[], []]) == "[[],[]]"


def _in_an_interpreter_of_its_own(program: str) -> str:
    start = f"import sys; sys.path.insert(0, {str(_SOURCES)!r})\n"
    command = [sys.executable, "-I", "-S", "-c", start + program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_errors_are_value_errors_also_where_the_library_was_never_loaded() -> None:
    """In this process pytest has loaded `json`, and the C code then raises other errors than in the hook."""
    texts = ['{"a" 1}', '"abc', '{"a":1,}', '"\\x"', "[1,", "nul", "", "[" * 100_000, '"\n"', '{"a":}']
    program = f"""
from planrail.base.decoding import decode
for text in {texts!r}:
    try:
        decode(text)
    except ValueError as error:
        print(type(error).__name__)
print("json" in sys.modules)
"""
    lines = _in_an_interpreter_of_its_own(program).split()
    assert len(lines) == len(texts) + 1
    assert set(lines[:-1]) <= {"ValueError", "JSONDecodeError"}


def test_without_the_c_half_the_library_takes_its_place() -> None:
    program = """
sys.modules["_json"] = None
from planrail.base.decoding import decode, encode
print(decode(' {"a": [1, 2.5, null]} '), encode({"a": [1, "é"]}))
for act, value in ((decode, "{"), (decode, "1 2"), (decode, "NaN"), (decode, "[" * 100000), (encode, {1}), (encode, float("nan"))):
    try:
        print("accepted", act(value))
    except ValueError:
        pass
"""
    assert _in_an_interpreter_of_its_own(program) == """{'a': [1, 2.5, None]} {"a":[1,"\\u00e9"]}\n"""
