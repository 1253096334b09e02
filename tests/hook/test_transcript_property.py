"""Read backwards in chunks of any size, a transcript says what it says to one who reads it whole from the start."""

import json

from hypothesis import given
from hypothesis import strategies as st

from planrail.hook.sessions.transcript import find_usage, read_backwards
from tests.hook import test_transcript as examples

_COUNTS = st.sampled_from([0, 1, 12, 150_000])
_USAGE = st.fixed_dictionaries(
    {"input_tokens": _COUNTS},
    optional={"cache_creation_input_tokens": _COUNTS, "cache_read_input_tokens": _COUNTS, "output_tokens": _COUNTS},
)
_ANSWER = st.fixed_dictionaries(
    {
        "type": st.just("assistant"),
        "message": st.fixed_dictionaries(
            {"content": st.text(max_size=40), "model": st.sampled_from(["a", "b", "<synthetic>"]), "usage": _USAGE}
        ),
    },
    optional={"isSidechain": st.booleans(), "isApiErrorMessage": st.booleans()},
)
_BOUNDARY = st.fixed_dictionaries(
    {"type": st.just("system"), "subtype": st.sampled_from(["compact_boundary", "compact_boundary", "other"])},
    optional={
        "compactMetadata": st.fixed_dictionaries({}, optional={"postTokens": _COUNTS}),
        "isSidechain": st.booleans(),
    },
)
_NOISE = st.sampled_from(
    [examples.PROGRESS, examples.TOOL_RESULT, examples.QUOTED, examples.QUOTED_RESULT, examples.MICRO]
)
_LINE = st.one_of(_ANSWER, _ANSWER, _BOUNDARY, _NOISE).map(lambda line: json.dumps(line).encode())
_TORN = st.tuples(_LINE, st.integers(0, 200)).map(lambda torn: torn[0][: torn[1]])
_RAW = st.sampled_from([b"", b"\r", b"\xff", b'"usage"', b'{"usage":', b"[]"])
TRANSCRIPTS = st.lists(st.one_of(_LINE, _LINE, _TORN, _RAW), max_size=12).map(b"\n".join)


def read_whole(content: bytes) -> tuple[int, str, bool] | None:
    """A second reader, written apart from the first: forwards, every line decoded, in the words of the rule."""
    answers: tuple[int, str, bool] | None = None
    model = ""
    for raw in content.decode("utf-8", "replace").split("\n"):
        try:
            line = json.loads(raw)
        except ValueError:
            continue
        if not isinstance(line, dict) or line.get("isSidechain"):
            continue
        if line.get("type") == "system" and line.get("subtype") == "compact_boundary":
            left = line.get("compactMetadata", {}).get("postTokens", 0)
            answers = (left, model, True) if left else None
        elif line.get("type") == "assistant" and not line.get("isApiErrorMessage"):
            message = line["message"]
            counts = {key: value for key, value in message["usage"].items() if "input" in key}
            if message["model"] != "<synthetic>" and sum(counts.values()):
                model = message["model"]
                answers = (sum(counts.values()), model, False)
    return answers


@given(TRANSCRIPTS, st.integers(1, 700), st.booleans())
def test_the_direction_and_the_chunks_make_no_difference(content: bytes, chunk: int, ends_with_newline: bool) -> None:
    content += b"\n" * ends_with_newline
    usage = find_usage(read_backwards(lambda start, length: content[start : start + length], len(content), chunk=chunk))
    found = None if usage is None else (usage.tokens, usage.model, usage.compacted)
    assert found == read_whole(content)


@given(st.lists(st.sampled_from([b"a", b'"usage"', b'x"gemini"y', b""]), max_size=8), st.integers(1, 12))
def test_each_line_that_may_matter_comes_once_and_whole(lines: list[bytes], chunk: int) -> None:
    content = b"\n".join(lines)
    found = list(read_backwards(lambda start, length: content[start : start + length], len(content), chunk=chunk))
    assert found == [line for line in reversed(lines) if b'"' in line]
