"""Checks that a phase lacks, and checks that prove nothing."""

import pytest

from planrail.plans.lint.document import Severity
from tests.lint.linting import in_phase, messages, problems_of


@pytest.mark.parametrize(
    "body",
    [
        "- [ ] Do it\n\n```sh check\ngrep -q a b\n```",
        "- [ ] Do it\n\n### Acceptance Criteria\n\n- [ ] `make test` passes",
        "- [ ] Do it\n\n**Verification**: run `cargo test -p core`.",
        "### Acceptance Criteria\n\n- `scripts/check.sh`",
    ],
)
def test_a_phase_for_which_something_is_run_has_a_check(body: str) -> None:
    assert messages("no-check", in_phase(body)) == []


@pytest.mark.parametrize(
    "body",
    [
        "- [ ] Do it\n\n```bash\nnpm test\n```",
        "- [ ] Do it\n\n### Verification\n\n```bash\nls dist\n```",
        "- [ ] Do it\n\n### Acceptance Criteria\n\n- [ ] `cat a.txt` prints 3",
        "- [ ] Do it, and see what `./scripts/smoke.sh` says",
        "- [ ] Do it, tested in `tests/test_parser.py`",
        "- [ ] Look at `mytool --check`",
    ],
)
def test_a_phase_that_names_commands_of_which_none_is_run_is_a_warning_that_says_so(body: str) -> None:
    (message,) = messages("no-check", in_phase(body))
    assert "nothing that it names is run" in message


@pytest.mark.parametrize(
    "body",
    [
        "- [ ] Do it",
        "- [ ] Rename `parse()` in `src/parser.py`",
        "- [ ] `git commit -m done`",
        "```python\nassert x\n```",
        "```bash\nmkdir build\n```",
    ],
)
def test_a_phase_that_names_nothing_to_run_is_a_warning(body: str) -> None:
    found = [problem for problem in problems_of(in_phase(body)) if problem.rule == "no-check"]
    assert [(problem.severity, problem.line) for problem in found] == [(Severity.WARNING, 3)]


def test_only_open_phases_that_are_more_than_listed_and_have_none_are_named_and_many_once() -> None:
    assert messages("no-check", "# P\n\n## Phase 1 — A ✅\n\nx\n\n## Phase 2 — B\n\nVerify: `make test`\n") == []
    assert messages("no-check", "# P\n\n| Phase | Status |\n|---|---|\n| 1 — A | ⬜ |\n| 2 — B | ⬜ |\n") == []
    assert messages("no-check", "# Todo\n\n- [ ] one\n- [ ] two\n", path="TODO.md") == []
    (message,) = messages("no-check", "# P\n\n## Phase 1 — A\n\nVerify: `make test`\n\n## Phase 2 — B\n\nwords\n")
    assert "phase 2" in message
    text = "# P\n" + "".join(f"\n## Phase {number} — A\n\nwords\n" for number in range(1, 8))
    (message,) = messages("no-check", text)
    assert "none of the 7 open phases" in message


@pytest.mark.parametrize(
    "body",
    [
        "```sh check\ntrue\n```",
        "```sh check\n```",
        "```shell check\nnpm test || true\n```",
        "### Acceptance Criteria\n\n- [ ] `echo ok` works",
        "**Acceptance Criteria:**\n\n- `true`",
    ],
)
def test_a_check_that_cannot_fail_is_an_error(body: str) -> None:
    found = [problem for problem in problems_of(in_phase(body)) if problem.rule == "check-cannot-fail"]
    assert [problem.severity for problem in found] == [Severity.ERROR]


@pytest.mark.parametrize(
    "body",
    [
        "```sh check\ngrep -q a b\n```",
        "```sh\ntrue\n```",
        "```sh run\ntrue\n```",
        "- [ ] `echo ok` is no criterion",
        "### Acceptance Criteria\n\n- [ ] `make test` passes",
        "### Acceptance Criteria\n\n- [ ] it prints `true`",
        "````markdown\n```sh check\ntrue\n```\n````",
    ],
)
def test_everything_else_is_left_alone(body: str) -> None:
    assert messages("check-cannot-fail", in_phase(body)) == []


def test_the_message_shows_the_command_and_the_reason() -> None:
    (message,) = messages("check-cannot-fail", in_phase("```sh check\nnpm test || true\n```"))
    assert message == "the check `npm test || true` cannot fail: || true turns a failure into success"


def test_a_command_among_the_criteria_that_no_run_executes_is_a_warning() -> None:
    text = in_phase("- [ ] Do it\n\n### Acceptance Criteria\n\n- [ ] `grep -rn TODO src` finds nothing")
    [found] = [problem for problem in problems_of(text) if problem.rule == "not-run"]
    assert (found.severity, found.line) == (Severity.WARNING, 9)
    assert found.message.startswith("not run: `grep -rn TODO src`, because its words expect a failure")
    assert "`sh check`" in found.message


def test_a_character_that_cannot_be_seen_is_shown() -> None:
    text = in_phase("- [ ] Do it\n\n### Acceptance Criteria\n\n- [ ] `make\u00a0test` passes")
    (message,) = messages("not-run", text)
    assert message.startswith(r"not run: `make\u00a0test`, because it has a character that cannot be seen")


def test_verification_behind_all_phases_is_run_with_the_last_one_and_what_only_a_label_announces_is_a_warning() -> None:
    text = in_phase("- [ ] Do it") + "\n## Verification\n\n- `make test` passes\n- the README is nice\n"
    assert messages("not-run", text) == []
    assert messages("no-check", text) == []
    assert messages("no-check", "# P\n\nVerify: `make test`\n\n## Phase 1 — A\n\n- [ ] Do it\n") == []
    stray = "# P\n\n**Verification:**\n\n- `make test` passes\n\n## Phase 1 — A\n\n- [ ] Do it\n"
    assert [message.partition(";")[0] for message in messages("not-run", stray)] == [
        "not run: `make test`, because no phase has it"
    ]


@pytest.mark.parametrize(
    "text",
    [
        in_phase("- [ ] Do it\n\n### Acceptance Criteria\n\n- [ ] `scripts/check.sh` passes"),
        "# Plan\n\n- [ ] one\n  - Acceptance criteria:\n    - `make test`\n- [ ] two\n",
        "# Plan\n\n## Phase 1 — Work [DONE]\n\n### Acceptance Criteria\n\n- [x] `grep x a` finds nothing\n",
    ],
)
def test_what_is_run_and_what_is_done_is_no_warning(text: str) -> None:
    assert messages("not-run", text) == []
