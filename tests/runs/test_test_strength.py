"""Tests cannot be weakened in silence: every shape of a weak test is found, and honest changes are not."""

from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.run_model import Finding
from planrail.runs.strength import weakening as strength
from planrail.runs.strength.reasons import apply_reasons, open_changes, read_reasons
from tests.support.tables import read_table

LANGUAGES = {
    file.stem: file.read_text("utf-8").partition("## weaker\n")[0]
    for file in sorted((Path(__file__).parent / "weakened").iterdir())
}
PY, SHELL, CLASS = (LANGUAGES[name] for name in ("python", "shell", "class"))
# Below each text: the file that it is, what is replaced by what (`*`: all of it), and what that is.
WEAK = [
    (path, text, text if old == "*" else old, new, kind)
    for name, text in LANGUAGES.items()
    for path, old, new, kind in read_table(f"runs/weakened/{name}", "weaker")
]


def find(path: str, old: str | None, new: str | None, **others: tuple[str | None, str | None]) -> list[Finding]:
    pairs = {path: (old, new), **others}
    changes = {
        name: tuple(None if text is None else dedent(text).encode() for text in pair) for name, pair in pairs.items()
    }
    return strength.find_weakened(changes)  # type: ignore[arg-type]


def failures(findings: list[Finding]) -> set[str]:
    return {finding.kind for finding in findings if finding.is_failure}


@pytest.mark.parametrize(("path", "text", "old", "new", "kind"), WEAK)
def test_every_shape_of_a_weaker_test_is_found(path: str, text: str, old: str, new: str, kind: str) -> None:
    assert old in text
    assert kind in failures(find(path, text, text.replace(old, new, 1)))


@pytest.mark.parametrize(("path", "text"), sorted({(path, text) for path, text, *_ in WEAK}))
def test_a_deleted_test_file_is_found(path: str, text: str) -> None:
    assert failures(find(path, text, None)) == {"test_removed"}


@pytest.mark.parametrize(("path", "old", "new"), read_table("runs/tables/reasons", "numbers that demand less"))
def test_a_number_that_demands_less_is_found(path: str, old: str, new: str) -> None:
    frame = "def test_a():\n{}\n    assert f(1) == 2\n" if path.endswith(".py") else "{}\n"
    assert "threshold_lowered" in failures(find(path, frame.format(old), frame.format(new)))
    assert "threshold_lowered" not in failures(find(path, frame.format(new), frame.format(old)))


HONEST = [
    ("a class is renamed", CLASS, CLASS.replace("TestSums", "TestAdding")),
    ("a test is added", PY, PY + "\n\ndef test_new():\n    assert new(1) == 2\n"),
    ("an assertion is added", PY, PY.replace("== 0\n", "== 0\n    assert add(5, 5) == 10\n")),
    ("a value changes", PY, PY.replace("== 3", "== 4")),
    ("a test is renamed", PY, PY.replace("test_subtracts", "test_takes_away")),
    ("lines are set anew", PY, PY.replace("    assert sub(3, 2) == 1", "    assert sub(3,  2) == 1")),
    ("tests change places", PY, "\nimport pytest\n\n\ndef test_subtracts():\n    assert sub(3, 2) == 1\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n    assert add(0, 0) == 0\n"),
    ("a helper is added", PY, PY.replace("import pytest\n", "import pytest\n\n\ndef make():\n    if not ready:\n        return None\n    return 1\n")),
    ("a comment speaks of skipping", PY, PY.replace("    assert sub", "    # we do not skip this: exit 0 would hide it\n    assert sub")),
]  # fmt: skip


@pytest.mark.parametrize(("what", "old", "new"), HONEST)
def test_an_honest_change_is_no_failure(what: str, old: str, new: str) -> None:
    assert not failures(find("tests/test_a.py", old, new)), what


def test_a_test_that_moved_to_another_file_is_not_lost() -> None:
    old = "def test_moves():\n    assert move(1, 2) == 3\n"
    found = find("tests/test_a.py", old, None, **{"tests/test_b.py": (None, old)})
    assert not failures(found)
    unseen = find("tests/test_a.py", old, None, **{"tests/old_a.py": (None, old)})
    assert failures(unseen) == {"test_removed"}, "no runner looks there"
    weaker = old.replace("== 3", "is not None")
    found = find("tests/test_a.py", old + PY, PY, **{"tests/test_b.py": (None, weaker)})
    assert "assertion_weakened" in failures(found)


def test_which_files_have_tests() -> None:
    assert not find("src/a.py", "assert x\n", None)
    assert not find("tests/README.md", "assert x\n", None)
    assert not strength.find_weakened({"checks/a.py": (PY.encode(), None)})
    said = strength.find_weakened({"checks/a.py": (PY.encode(), None)}, files=["checks/*.py"])
    assert failures(said) == {"test_removed"}, "as the settings say"
    found = find("src/__snapshots__/a.snap", "exports = 1\n", "exports = 2\n")
    assert [(one.kind, one.is_failure) for one in found] == [("snapshot_changed", False)]


@pytest.mark.parametrize(
    ("text", "kind", "is_failure"),
    [
        ("@pytest.mark.skip\ndef test_n():\n    assert f()\n", "test_skipped", True),
        ("@pytest.mark.skipif(x == 'y', reason='x')\ndef test_n():\n    assert f() == 1\n", "test_skipped", False),
        ("def test_n():\n    assert True\n", "assertion_hollow", True),
        ("def test_n():\n    f()\n", "no_assertion", False),
    ],
)
def test_a_new_test_that_is_skipped_or_hollow_is_found(text: str, kind: str, is_failure: bool) -> None:
    found = find("tests/test_n.py", None, text)
    assert (kind, is_failure) in [(one.kind, one.is_failure) for one in found]


def test_a_finding_names_the_test_and_its_lines() -> None:
    (found,) = find("tests/test_a.py", PY, PY.replace("    assert add(0, 0) == 0\n", ""))
    assert found.text == "`test_adds` asserts less: 1 of 2 assertions are gone (assert add(0, 0) == 0)"
    (found,) = find("tests/a.sh", SHELL, SHELL.replace("./sum 3 | grep -q 3\n", ""))
    assert found.text.startswith("the file asserts less")


def test_assertions_elsewhere_do_not_make_up_for_lost_ones() -> None:
    lost = PY.replace("    assert add(0, 0) == 0\n", "")
    more = "def test_more():\n    assert 1 + 1 == 2\n    assert 2 + 2 == 4\n    assert 3 + 3 == 6\n"
    found = find("tests/test_a.py", PY, lost, **{"tests/test_b.py": (None, more)})
    assert failures(found) == {"assertion_removed"}


@given(
    st.binary(max_size=300), st.binary(max_size=300), st.sampled_from(["tests/a.py", "a.test.ts", "x_test.go", "t.sh"])
)
def test_any_bytes_can_be_compared(old: bytes, new: bytes, path: str) -> None:
    assert not [one for one in strength.find_weakened({path: (old, old)}) if one.is_failure]
    strength.find_weakened({path: (old, new)})


@given(st.sets(st.integers(0, 9), min_size=1), st.sets(st.integers(0, 9), min_size=1))
def test_a_test_that_is_gone_is_always_told(old: set[int], new: set[int]) -> None:
    def text(numbers: set[int]) -> str:
        return "".join(f"def test_{one}():\n    assert f({one}) == {one * one}\n\n" for one in sorted(numbers))

    found = find("tests/test_a.py", text(old), text(new))
    assert bool(failures(found)) == bool(old - new)


# ---- reasons ----

GONE = Finding("test_removed", "the test `test_subtracts` is gone", "tests/test_a.py:9")


def settle(finding: Finding, text: str = "", said: str = "", *, has_verifier: bool = True) -> Finding:
    return apply_reasons([finding], text, said, has_verifier=has_verifier)[0]


@pytest.mark.parametrize("text", read_table("runs/tables/reasons", "asked for"))
def test_what_the_plan_asks_for_is_no_failure(text: str) -> None:
    assert not settle(GONE, text).is_failure
    assert not settle(GONE, text, has_verifier=False).is_failure
    assert not open_changes([settle(GONE, text)])


@pytest.mark.parametrize("text", read_table("runs/tables/reasons", "not asked for"))
def test_what_the_plan_does_not_ask_for_is_a_failure(text: str) -> None:
    assert settle(GONE, text).is_failure


@pytest.mark.parametrize(("text", "is_failure"), read_table("runs/tables/reasons", "harnesses"))
def test_a_check_that_names_a_harness_does_not_ask_for_its_change(text: str, is_failure: bool) -> None:
    told = "`sh tools/check.sh` goes through tools/check.sh, which this phase changed; it ends with exit code 1"
    assert settle(Finding("harness_changed", told, "tools/check.sh"), text).is_failure == is_failure


@pytest.mark.parametrize(("kind", "text", "expected"), read_table("runs/tables/reasons", "for a verifier"))
def test_a_verifier_is_asked_about_changes_that_honest_work_needs(kind: str, text: str, expected: str) -> None:
    """Where there is none, what the plan does not want is a failure, and the line that would want it is told."""
    finding = Finding(kind, "it fails", "tests/test_a.py")
    with_one, without = settle(finding, text), settle(finding, text, has_verifier=False)
    assert ("asked" if open_changes([with_one]) else "refused" if with_one.is_failure else "wanted") == expected
    assert without.is_failure == (expected != "wanted")
    assert ("TEST-CHANGE: tests/test_a.py: " in without.text) == without.is_failure


def test_a_reason_of_the_implementer_waits_for_the_verifier() -> None:
    odd = "TEST-CHANGE: a_test.go: the format was dropped\nTEST-CHANGE: : nothing at all here\nTEST-CHANGE: b.py:"
    assert read_reasons(odd) == {"a_test.go": "the format was dropped"}
    said = "All done.\n\n- `TEST-CHANGE: ./tests/test_a.py: subtraction is no longer offered`\n"
    waiting = settle(GONE, said=said)
    assert not waiting.is_failure
    assert list(open_changes([waiting])) == ["tests/test_a.py"]
    assert settle(GONE, said=said, has_verifier=False).is_failure


def test_no_reason_excuses_a_failing_check() -> None:
    failed = Finding("check_failed", "`x` ended with exit code 1", "tests/test_a.py")
    assert settle(failed, "Remove tests/test_a.py", "TEST-CHANGE: tests/test_a.py: it fails all the time").is_failure


def test_fewer_tests_follow_from_tests_that_were_taken_away_for_a_reason() -> None:
    fewer = Finding("fewer_tests", "5 tests were run, and on the base it were 6", "the project's tests")
    assert apply_reasons([fewer], "", "", has_verifier=True)[0].is_failure
    assert apply_reasons([fewer, GONE], "", "", has_verifier=True)[0].is_failure
    assert not apply_reasons([fewer, GONE], "- [ ] Remove tests/test_a.py", "", has_verifier=True)[0].is_failure
