"""Names: plain texts keep theirs, and no text leads to a name that a file system, a ref or another text has trouble with."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planrail.base.identity import branch_name, safe_name, slug

_CASES = Path(__file__).parents[3] / "shared" / "cases" / "execution.jsonl"
_ALLOWED = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


def _cases(kind: str) -> list[Any]:
    if not _CASES.is_file():
        return []
    rows = [json.loads(line) for line in _CASES.read_text("utf-8").splitlines()]
    return [pytest.param(row["in"], row["out"], id=row["id"]) for row in rows if row["kind"] == kind]


@pytest.mark.parametrize(("given_", "expected"), _cases("slug"))
def test_a_plan_has_the_names_that_people_know(given_: dict[str, str], expected: dict[str, Any]) -> None:
    name = slug(given_["plan_file"])
    assert name == expected["slug"]
    assert branch_name(given_["branch_prefix"], name) == expected["branch"]


@pytest.mark.parametrize("text", ["4b", "phase-1", "A.2", "x_y"])
def test_a_plain_text_is_its_own_name(text: str) -> None:
    assert safe_name(text) == text
    assert safe_name(safe_name("a b")) != safe_name("a b")


@example("a.lock")
@example("A.LOCK")
@example("a..b")
@example("x" * 65)
@given(st.text())
def test_every_text_has_a_name_for_files_and_refs(text: str) -> None:
    name = safe_name(text)
    assert name
    assert set(name) <= _ALLOWED
    assert name[0] not in ".-"
    assert not name.lower().endswith((".", ".lock"))
    assert len(name) <= 64
    assert ".." not in name
    assert safe_name(text) == name


@given(st.text(), st.text())
def test_two_texts_have_two_names(one: str, other: str) -> None:
    assert (safe_name(one) == safe_name(other)) == (one == other)
