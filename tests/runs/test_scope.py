"""Whether the work of a phase keeps to what its text says: the files that it names, and the items that are ticked."""

import pytest

from planrail.runs.evidence.scope import PhaseScope, TickedItem, judge_items, judge_kept, judge_scope, read_scope
from planrail.runs.in_session.handed_out import describe_change


@pytest.mark.parametrize(
    ("text", "named", "is_closed"),
    [
        ("Change `a.py` and `b.py`, and nothing else.", {"a.py", "b.py"}, True),
        ("These files, and nothing else: a.txt, src/b.txt", {"a.txt", "src/b.txt"}, True),
        ("Only touch `src/a.py`.", {"src/a.py"}, True),
        ("Ändere a.py, sonst nichts.", {"a.py"}, True),
        ("- [ ] write hello.txt\n```sh check\ngrep x own.txt\n```", {"hello.txt"}, False),
        ("Write it. Do not change own.txt.", set(), False),
        ("Edit only hello.txt and leave own.txt", {"hello.txt"}, True),
        ("Work in src/ and docs/; update the Makefile", {"src", "docs", "Makefile"}, False),
        ("Python 3.11 or v1.2, e.g. Node.js.", set(), False),
    ],
)
def test_a_text_names_files_and_says_whether_there_are_others(text: str, named: set[str], is_closed: bool) -> None:
    scope = read_scope(text)
    assert (set(scope.named), bool(scope.closed_by)) == (named, is_closed)


def test_what_the_plan_names_outside_of_its_phases_counts_unless_the_phase_is_closed() -> None:
    assert read_scope("Write a.py.", "Files: b.py").named == {"a.py", "b.py"}
    assert read_scope("Write a.py, and nothing else.", "Files: b.py").named == {"a.py"}
    assert read_scope("Do it.", "Files: b.py").named == frozenset()


def test_what_a_rule_keeps_is_not_what_a_phase_may_change() -> None:
    assert read_scope("Write a.py. `b.py` must not change.").named == {"a.py"}
    assert read_scope("Write a.py.", "`b.py` stays as it is.").named == {"a.py"}
    assert read_scope("Write a.py.", "- `b.py`\n- `c.py`", ["Out of scope: `b.py`"]).named == {"a.py", "c.py"}


@pytest.mark.parametrize(
    ("text", "changed", "found"),
    [
        ("Change `a.py`", ["a.py", "tests/test_a.py", "__pycache__/a.pyc"], []),
        ("Work in src/", ["src/deep/a.py"], []),
        ("Change `a.py`", ["a.py", "x.md"], [("not accounted for by the phase: x.md", False)]),
        ("Do it", ["a.py", "x.md"], [("changed: a.py, x.md", False)]),
        ("Do it", [], []),
        ("Only change a.py", ["a.py", "x.md"], [("x.md: changed, and the phase says “Only change a.py”", True)]),
    ],
)
def test_files_that_a_phase_does_not_account_for_are_named(
    text: str, changed: list[str], found: list[tuple[str, bool]]
) -> None:
    assert [(finding.text, finding.is_failure) for finding in judge_scope(read_scope(text), changed)] == found


def test_a_scope_without_names_judges_nothing() -> None:
    assert not judge_scope(PhaseScope(frozenset(), "nothing else"), ["a"])[0].is_failure


@pytest.mark.parametrize(
    ("text", "is_ticked", "why"),
    [
        ("write hello.txt", True, "there is no hello.txt"),
        ("write hello.txt", False, "there is no hello.txt"),
        ("extend hello.txt", False, ""),
        ("write `hello.txt` if it is needed", True, ""),
        ("delete old.txt", True, ""),
        ("update a.py", True, ""),
        ("update b.py", True, "nothing changed in b.py"),
        ("update b.py", False, ""),
        ("add `greet()` to `a.py`", True, "there is no `greet` anywhere"),
        ("implement `parse_args`", True, ""),
        ("say hello in it", True, ""),
    ],
)
def test_an_item_that_is_ticked_and_false_is_found_with_its_line(text: str, is_ticked: bool, why: str) -> None:
    found = judge_items(
        [TickedItem(text, 7, is_ticked)], {"a.py", "b.py"}.__contains__, ["a.py"], {"parse_args"}.__contains__
    )
    assert [finding.text.rpartition(", and ")[2] for finding in found] == ([why] if why else [])
    assert all(finding.is_failure and finding.text.startswith("line 7, ") for finding in found)


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ("# P\n- [ ] a\ngrep x", "# P\n- [x] a\ntrue", "line 12: “grep x” is now “true”"),
        ("# P\na\nb", "# P\nb", "line 11: “a” is gone"),
        ("# P\nb", "# P\nb\nc", "line 12: “c” is new"),
        ("", "# P", "the phase's text changed"),
    ],
)
def test_the_line_that_changed_since_a_phase_was_handed_out_is_named(before: str, now: str, said: str) -> None:
    assert describe_change(before, now, 10) == said


@pytest.mark.parametrize(
    ("rule", "changed", "is_kept"),
    [
        ("Constraints: `packages/web` must not change", ["packages/web/package.json"], False),
        ("Constraints: `packages/web` must not change", ["packages/website.py", "packages/calc.py"], True),
        ("Constraints: Do not touch `setup.cfg`.", ["setup.cfg"], False),
        ("Non-goals: leave `./api/` as it is (spec.md)", ["api/v1.py"], False),
        ("Constraints: never edit `Makefile`; it is generated", ["Makefile"], False),
        ("Constraints: `api/v1.py` must not change unless the tests ask for it", ["api/v1.py"], True),
        ("Constraints: `add` must not change", ["add/a.py"], True),
        ("Constraints: No changes to `api/v1.py`.", ["api/v1.py"], False),
        ("Constraints: Leave src/old alone", ["src/old/a.py"], False),
        ("Constraints: keep `setup.cfg` and `tox.ini` as they are", ["tox.ini"], False),
        ("Constraints: `api/v1.py` stays untouched; the rest is free", ["api/v1.py"], False),
        ("Non-goals: do not touch `a.py`, `b.py` or `c.py`", ["c.py"], False),
        ("Constraints: `api/v1.py` bleibt unverändert", ["api/v1.py"], False),
        ("Contraintes : ne pas modifier `api/v1.py`", ["api/v1.py"], False),
        ("Restricciones: no tocar `api/v1.py`", ["api/v1.py"], False),
        ("Constraints: `api/v1.py` は変更しない", ["api/v1.py"], False),
        ("Constraints: `a.py`と`b.py`には触れないこと。", ["b.py"], False),
        ("Constraints: `api/v1.py` の動作は変更しない", ["api/v1.py"], True),
        ("约束: 不要修改 `api/v1.py`", ["api/v1.py"], False),
        ("约束: `api/v1.py` 保持不变。", ["api/v1.py"], False),
        ("约束: 不要修改 `api/v1.py` 的行为", ["api/v1.py"], True),
        ("Ограничения: не изменять `api/v1.py`", ["api/v1.py"], False),
        ("Ограничения: `api/v1.py` остаётся без изменений", ["api/v1.py"], False),
        ("Restrições: `api/v1.py` não deve ser alterado", ["api/v1.py"], False),
        ("Restrições: não modificar `api/v1.py`", ["api/v1.py"], False),
        ("Vincoli: non modificare `api/v1.py`", ["api/v1.py"], False),
        ("Vincoli: `api/v1.py` resta invariato", ["api/v1.py"], False),
        ("Vincoli: il comportamento di `api/v1.py` non deve cambiare", ["api/v1.py"], True),
        ("Ograniczenia: nie zmieniać `api/v1.py`", ["api/v1.py"], False),
        ("Ograniczenia: `api/v1.py` pozostaje bez zmian", ["api/v1.py"], False),
        ("Kısıtlar: `api/v1.py` değiştirilmemeli", ["api/v1.py"], False),
        ("Kısıtlar: `api/v1.py` dosyasına dokunmayın", ["api/v1.py"], False),
        ("제약: `api/v1.py`는 변경하지 않는다", ["api/v1.py"], False),
        ("제약: `api/v1.py`는 그대로 둔다", ["api/v1.py"], False),
        ("Constraints: Nothing in `shop/vendor/` may be changed", ["shop/vendor/a.py"], False),
        ("Constraints: nothing in `a.py` may be changed without a test", ["a.py"], True),
        ("Out of scope: `shop/legacy.py`", ["shop/legacy.py"], False),
        ("2. Nicht-Ziele: shop/legacy.py, `shop/old/` (später)", ["shop/old/a.py"], False),
        ("Out of scope: `shop/legacy.py` gets no cache", ["shop/legacy.py"], True),
        ("Constraints: `shop/legacy.py`", ["shop/legacy.py"], True),
        ("Constraints: no changes to `api/v1.py` without a test", ["api/v1.py"], True),
        ("Constraints: no changes to the behaviour of `api/v1.py`", ["api/v1.py"], True),
        ("Constraints: keep `setup.cfg` short", ["setup.cfg"], True),
        ("Constraints: the version in setup.cfg stays the same", ["setup.cfg"], True),
        ("Constraints: do not change `api/v1.py`, unless a test asks for it", ["api/v1.py"], True),
        ("Constraints: `api/v1.py` may change", ["api/v1.py"], True),
    ],
)
def test_a_path_that_the_plan_keeps_speaks_against_work_that_changes_it(
    rule: str, changed: list[str], is_kept: bool
) -> None:
    found = judge_kept([rule], changed)
    assert [finding.is_failure for finding in found] == ([] if is_kept else [True])
