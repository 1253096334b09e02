"""Names: plain texts keep theirs, and no text leads to a name that a file system, a ref or another text has trouble with."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.runs.identity import (
    branch_name,
    claimable,
    default_pipeline_id,
    new_run_id,
    pipeline_id,
    safe_name,
    slug,
    tracking_id,
    worktree_names,
)

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
    assert {
        "slug": name,
        "tracking_id": tracking_id(given_["plan_file"]),
        "pipeline_id": default_pipeline_id(given_["plan_file"]),
        "branch": branch_name(given_["branch_prefix"], name),
        "pr_worktree": worktree_names(name, given_["project"], prefix="pr").path,
        "claimable": claimable(name),
    } == expected


@pytest.mark.parametrize(("given_", "expected"), _cases("pipeline_id"))
def test_an_identity_of_a_pipeline_is_made_of_plain_signs(given_: dict[str, str], expected: dict[str, Any]) -> None:
    assert pipeline_id(given_["raw"]) == expected["id"]


@pytest.mark.parametrize(("given_", "expected"), _cases("worktree_path"))
def test_a_worktree_lies_where_people_look_for_it(given_: dict[str, str], expected: dict[str, str]) -> None:
    found = worktree_names(
        given_["slug"],
        "proj",
        prefix=given_.get("prefix", ""),
        root=given_.get("root", ""),
        branch=given_.get("branch_name", ""),
        configured_root=given_.get("config.worktree_root", ""),
    )
    assert {"path": found.path, "branch": found.branch} == expected


@pytest.mark.parametrize("text", ["4b", "phase-1", "A.2", "x_y"])
def test_a_plain_text_is_its_own_name(text: str) -> None:
    assert safe_name(text) == text


@pytest.mark.parametrize(
    "text",
    ["", ".", "..", "a b", "../x", "a.lock", "A.LOCK", "-rf", ".x", "x.", "a..b", "é", "x" * 65, "a\n", "\udcff"],
)
def test_another_text_has_a_name_with_a_hash(text: str) -> None:
    name = safe_name(text)
    assert name != text
    assert set(name) <= _ALLOWED
    assert name[0] not in ".-"
    assert ".." not in name
    assert len(name) < 64


@given(st.text())
def test_every_text_has_a_name_for_files_and_refs(text: str) -> None:
    name = safe_name(text)
    assert name
    assert set(name) <= _ALLOWED
    assert name[0] not in ".-"
    assert not name.endswith((".", ".lock"))
    assert ".." not in name
    assert safe_name(text) == name


@given(st.text(), st.text())
def test_two_texts_have_two_names(one: str, other: str) -> None:
    assert (safe_name(one) == safe_name(other)) == (one == other)


def test_a_text_that_looks_like_a_made_name_does_not_take_it() -> None:
    made = safe_name("a b")
    assert safe_name(made) != made


def test_two_runs_of_a_plan_have_two_identities_that_are_safe_names() -> None:
    one, other = new_run_id("my plan", 1, "a"), new_run_id("my plan", 1, "b")
    assert one != other
    assert new_run_id("my plan", 1, "a") == one
    assert safe_name(one) == one


@given(st.text(), st.integers(), st.text())
def test_every_identity_of_a_run_is_a_safe_name(name: str, began: int, seed: str) -> None:
    made = new_run_id(name, began, seed)
    assert safe_name(made) == made
