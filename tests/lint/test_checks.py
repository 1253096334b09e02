"""The checks of a phase: blocks, and criteria that begin with a command."""

import pytest

from planrail.plans.checks import read_checks, read_unrun
from planrail.plans.command_shapes import can_verify, looks_runnable
from planrail.plans.model import Check, Unrun
from planrail.plans.text.outline import outline
from planrail.plans.text.scanning import scan
from tests.support.lanes import sampled
from tests.support.tables import read_table


def _checks(text: str) -> list[Check]:
    return read_checks(outline(scan(text)[1]).sections[1:])


def _criteria(*bullets: str) -> list[str]:
    text = "## Phase 1\n\n### Acceptance Criteria\n\n" + "\n".join(bullets) + "\n"
    return [check.command for check in _checks(text)]


def _unrun(bullet: str) -> list[Unrun]:
    return read_unrun(outline(scan(f"## Phase 1\n\n### Acceptance Criteria\n\n{bullet}\n")[1]).sections[1:])


def test_the_example_of_the_contract_has_one_check_and_several_come_in_order() -> None:
    text = (
        "## Phase 1 — Greet\n- [ ] write hello.txt\n\n"
        "```sh run\necho hello > hello.txt\n```\n```sh check\ngrep -q hello hello.txt\n```\n"
    )
    assert _checks(text) == [Check("grep -q hello hello.txt", 7)]
    text = "## P\n\n### Acceptance Criteria\n\n- `make test`\n\n```sh check\na\n```\n\n```sh check\nb\n```\n"
    assert [check.command for check in _checks(text)] == ["make test", "a", "b"]


def test_a_block_is_a_check_by_its_info_string() -> None:
    for info in ("sh check", "bash check", "shell check", "sh  check", "SH check"):
        assert [check.command for check in _checks(f"## P\n\n```{info}\na\nb\n```\n")] == ["a\nb"]
    for info in ("sh", "sh run", "python check", "check", "sh checklist"):
        assert _checks(f"## P\n\n```{info}\na\n```\n") == []


@pytest.mark.parametrize(("bullet", "command"), read_table("lint/tables/checks", "a check"))
def test_a_criterion_that_begins_with_a_command_is_a_check(bullet: str, command: str) -> None:
    assert _criteria(bullet) == [command]


@pytest.mark.parametrize("bullet", read_table("lint/tables/checks", "no check"))
def test_names_and_expected_failures_are_not(bullet: str) -> None:
    assert _criteria(bullet) == []


@pytest.mark.parametrize(("bullet", "command", "reason"), read_table("lint/tables/checks", "told with the reason"))
def test_what_looks_like_a_command_and_is_not_run_is_told_with_the_reason(
    bullet: str, command: str, reason: str
) -> None:
    assert _criteria(bullet) == []
    [found] = _unrun(bullet)
    assert (found.command, found.line) == (command, 5)
    assert reason in found.reason


_SUCCESSES = (
    "passes|must pass|still passes|is expected to pass|passes on Linux and macOS|passes in under 10 seconds|passes (62 tests)|"
    "passes all tests|passes 12 tests|succeeds|succeeds repeatedly without duplication|works|works again|is green|stays green|"
    "is clean|: all green|→ all green|→ exit 0|exits 0|exit 0|exits with code 0|exits 0 with all 7 cases PASS|returns 0|holds|"
    "returns true|is successful|completes without any errors|runs clean|runs|compiles|builds without warnings|reports no errors|"
    "reports 0 errors|with no warnings|without errors|passes with no warnings|does not fail|no longer fails|✅ (44/44 tests)|"
    "— all 14 tests pass|and the linter pass|, the sync check, and preflight pass|ist grün|läuft fehlerfrei|muss bestehen|"
    "passe|réussit|pasa|sin errores|passa|проходит|без ошибок|przechodzi|geçer|通过|必须通过|成功|通る|통과|."
)
_CONTRARIES = (
    "does not pass|no longer passes|should not succeed|must never succeed|passes no more|passes nowhere|stops working|stops passing|"
    "doesn't work any more|raises an error|won't pass|can't succeed|cannot succeed|is denied|is gone|is forbidden|is unsuccessful|"
    "is not found|throws|aborts|breaks|ends with an error|fails|now fails|exits 1|exits with code 2|exit code 1|(must fail)|: none|"
    "passes and then fails|passes, but not on CI|is green no longer|succeeds in no case|schlägt fehl|läuft nicht mehr|"
    "ne passe pas|échoue|no pasa|não passa|не проходит|nie przechodzi|不通过|未通过|通过不了|成功しない|통과하지 않는다"
)
_UNKNOWN = (
    "hangs|complains|starts without error|takes a second|≠ 0|❌|passes?|passes before the fix|used to pass|"
    "hardly passes|passes zero tests|passes none of the tests|passes on Windows only|exits 0 or 1|passes unless CI is set|"
    "is green for all suites except one|works around it|success is impossible|exit code 0 is wrong|clean-up comes next|"
    "without success|returns 0 rows|runs into a wall|geçmez|läuft ins Leere|on main, (create + edit)"
)


def test_a_command_is_run_where_the_words_behind_it_are_known_to_mean_success() -> None:
    assert [words for words in _SUCCESSES.split("|") if _criteria(f"- `make it` {words}") != ["make it"]] == []


def test_a_remark_set_apart_from_a_command_leaves_it_a_check_unless_it_speaks_against_it() -> None:
    for remark in ("— the whole suite", "(takes a minute)", ": greets by name", "- the new rule"):
        assert _criteria(f"- `make it` {remark}") == ["make it"]
    for remark in ("— must fail", "(not yet)", ": none", "- or `make that`", "(is refused)"):
        assert "make it" not in _criteria(f"- `make it` {remark}")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        *((words, "expect a failure") for words in _CONTRARIES.split("|")),
        *((words, "do not say that it has to succeed") for words in _UNKNOWN.split("|")),
    ],
)
def test_all_other_words_are_told_with_the_reason(words: str, reason: str) -> None:
    bullet = f"- `make it` {words}"
    assert _criteria(bullet) == []
    assert [(found.command, reason in found.reason) for found in _unrun(bullet)] == [("make it", True)]


@pytest.mark.parametrize(("bullet", "run"), read_table("lint/tables/checks", "exit status"))
def test_words_mean_what_the_exit_status_of_that_program_tells(bullet: str, run: bool) -> None:
    assert bool(_criteria(bullet)) is run
    assert bool(_unrun(bullet)) is not run


@pytest.mark.parametrize(("bullet", "run", "told"), read_table("lint/tables/checks", "several commands"))
def test_every_command_of_a_criterion_is_run_or_told(bullet: str, run: list[str], told: list[str]) -> None:
    assert _criteria(bullet) == run
    assert [found.command for found in _unrun(bullet)] == told


@pytest.mark.parametrize(("body", "run", "told"), read_table("lint/tables/checks", "other forms"))
def test_verification_in_other_forms_is_run_where_it_is_plain_and_told_elsewhere(
    body: str, run: list[str], told: list[str]
) -> None:
    sections = outline(scan(f"## Phase 1\n\n{body}\n")[1]).sections[1:]
    assert [check.command for check in read_checks(sections)] == run
    assert [found.command for found in read_unrun(sections)] == told


@pytest.mark.parametrize("bullet", read_table("lint/tables/checks", "names of things"))
def test_names_of_things_are_told_by_nobody(bullet: str) -> None:
    assert _unrun(bullet) == []


@pytest.mark.parametrize("heading", ["### Verification", "#### 3. Verify:", "**Automated verification**:"])
def test_under_verification_a_command_is_a_check_where_its_success_is_meant(heading: str) -> None:
    text = f"## P\n\n{heading}\n\n- `make a`\n- [ ] `make b` passes\n- `jq .v a.json` returns 2\n"
    assert [check.command for check in _checks(text)] == ["make a", "make b"]
    assert [found.command for found in read_unrun(outline(scan(text)[1]).sections[1:])] == ["jq .v a.json"]


@pytest.mark.parametrize(
    ("body", "commands"),
    [
        ("### Verify the import\n\n- `make a`\n\n### Manual verification\n\n- `make b`", []),
        ("**Acceptance Criteria:**\n\n- `make a`\n\n**Notes:**\n\n- `make b`", ["make a"]),
        ("- [ ] Task\n- **Acceptance Criteria:**\n  - `make a`\n- [ ] `make b`", ["make a"]),
    ],
)
def test_a_heading_a_label_or_an_item_announces_the_criteria_under_it(body: str, commands: list[str]) -> None:
    assert [check.command for check in _checks(f"## P\n\n{body}\n")] == commands


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm test", True),
        ("pip install x", False),
        ("git commit -m x", False),
        ("git diff --check", True),
        ("cd a && make test", True),
        ("echo ok", False),
        ("FOO=1 make", True),
    ],
)
def test_a_command_can_verify_unless_it_prepares_or_records(command: str, expected: bool) -> None:
    assert can_verify(command) is expected
    assert not any(looks_runnable(text) for text in ("", " ", "$ ", "! ", "./", "../", "="))


@pytest.mark.full
@pytest.mark.parametrize("joint", sampled([", ", "it must ", "`make b` and ", "("], "`make b` and "))
def test_a_criterion_without_end_is_read(joint: str) -> None:
    bullet = f"- `make a` works {joint * 10_000}x"
    assert "make a" in [*_criteria(bullet), *(found.command for found in _unrun(bullet))]


@pytest.mark.parametrize(
    "command",
    [
        "grep\u00a0-q NOTHERE a.txt",
        "grep -q NOT\u200bHERE a.txt",
        "gr\u00adep -q x a.txt",
        "scripts/check\u200b.sh",
    ],
)
def test_a_command_with_a_character_that_cannot_be_seen_is_told_and_not_run(command: str) -> None:
    for bullet in (f"- `{command}` passes", f"- `{command}`", f"- `make a` and `{command}` pass"):
        assert command not in _criteria(bullet)
        [found] = _unrun(bullet)
        assert (found.command, "cannot be seen" in found.reason) == (command, True)
    assert _criteria("- `grep -q '⚠\ufe0f' a.txt` passes") == ["grep -q '⚠\ufe0f' a.txt"]
