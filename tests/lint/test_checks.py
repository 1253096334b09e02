"""The checks of a phase: blocks, and criteria that begin with a command."""

import pytest

from planrail.plans.checks import can_verify, looks_runnable, read_checks
from planrail.plans.model import Check
from planrail.plans.outline import outline
from planrail.plans.scanning import scan


def _checks(text: str) -> list[Check]:
    return read_checks(outline(scan(text)[1]).sections[1:])


def _criteria(*bullets: str) -> list[str]:
    text = "## Phase 1\n\n### Acceptance Criteria\n\n" + "\n".join(bullets) + "\n"
    return [check.command for check in _checks(text)]


def test_the_example_of_the_contract_has_one_check() -> None:
    text = (
        "## Phase 1 — Greet\n- [ ] write hello.txt\n\n"
        "```sh run\necho hello > hello.txt\n```\n```sh check\ngrep -q hello hello.txt\n```\n"
    )
    assert _checks(text) == [Check("grep -q hello hello.txt", 7)]


@pytest.mark.parametrize("info", ["sh check", "bash check", "shell check", "sh  check", "SH check"])
def test_a_block_is_a_check_by_its_info_string(info: str) -> None:
    assert [check.command for check in _checks(f"## P\n\n```{info}\na\nb\n```\n")] == ["a\nb"]


@pytest.mark.parametrize("info", ["sh", "sh run", "python check", "check", "sh checklist"])
def test_other_blocks_are_not(info: str) -> None:
    assert _checks(f"## P\n\n```{info}\na\n```\n") == []


def test_each_block_is_one_check_and_they_come_in_order() -> None:
    text = "## P\n\n### Acceptance Criteria\n\n- `make test`\n\n```sh check\na\n```\n\n```sh check\nb\n```\n"
    assert [check.command for check in _checks(text)] == ["make test", "a", "b"]


@pytest.mark.parametrize(
    ("bullet", "command"),
    [
        ("- `npm test` passes", "npm test"),
        ("- [ ] `npm test` passes", "npm test"),
        ("- [x] `npm test`", "npm test"),
        ("* **`npm test`** passes", "npm test"),
        ("1. `make`", "make"),
        ("- `` grep -q '`' README.md `` finds it", "grep -q '`' README.md"),
        ("- `$ make lint`", "make lint"),
        ("- `FOO=1 pytest -q`", "FOO=1 pytest -q"),
        ("- `./scripts/check.sh` exits 0", "./scripts/check.sh"),
        ("- `test -f hello.txt`", "test -f hello.txt"),
        ("- `! grep -q TODO src/a.py`", "! grep -q TODO src/a.py"),
        ("- `curl -f localhost:8080/health` returns 200", "curl -f localhost:8080/health"),
        ("- `frobnicate --verify`", "frobnicate --verify"),
    ],
)
def test_a_criterion_that_begins_with_a_command_is_a_check(bullet: str, command: str) -> None:
    assert _criteria(bullet) == [command]


@pytest.mark.parametrize(
    "bullet",
    [
        "- the parser accepts `npm test`",
        "- `UserService` returns 404",
        "- `src/parser.py` exists",
        "- `config.json` has a version",
        "- `go` is installed",
        "- `test` is a keyword",
        "- `find nothing else` in prose",
        "- `GET /users` answers 200",
        "- `--json` is accepted",
        "- `a = b`",
        "- `npm test` fails without the fix",
        "- `grep -rn TODO src/` returns nothing",
        "- `grep -c jq hooks/a.sh` returns 0",
        "- `git grep old_name` finds no matches",
        "- `mytool --check bad.md` exits with status 1",
        "- `make lint` must fail on a bad file",
    ],
)
def test_names_and_expected_failures_are_not(bullet: str) -> None:
    assert _criteria(bullet) == []


def test_a_label_announces_criteria_until_the_next_label() -> None:
    text = "## P\n\n**Acceptance Criteria:**\n\n- `make a`\n\n**Notes:**\n\n- `make b`\n"
    assert [check.command for check in _checks(text)] == ["make a"]


def test_an_item_announces_the_criteria_nested_in_it() -> None:
    text = "## P\n\n- [ ] Task\n- **Acceptance Criteria:**\n  - `make a`\n- [ ] `make b`\n"
    assert [check.command for check in _checks(text)] == ["make a"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm test", True),
        ("npm install", False),
        ("pip install x", False),
        ("git commit -m x", False),
        ("git diff --check", True),
        ("mkdir a", False),
        ("cd a && make test", True),
        ("echo ok", False),
        ("FOO=1 make", True),
    ],
)
def test_a_command_can_verify_unless_it_prepares_or_records(command: str, expected: bool) -> None:
    assert can_verify(command) is expected


@pytest.mark.parametrize("text", ["", " ", "$ ", "! ", "./", "../", "=", "make sure" * 0])
def test_nothing_is_not_a_command(text: str) -> None:
    assert not looks_runnable(text)
