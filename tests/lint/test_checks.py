"""The checks of a phase: blocks, and criteria that begin with a command."""

import pytest

from planrail.plans.checks import read_checks, read_unrun
from planrail.plans.command_shapes import can_verify, looks_runnable
from planrail.plans.model import Check, Unrun
from planrail.plans.text.outline import outline
from planrail.plans.text.scanning import scan


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


@pytest.mark.parametrize(
    ("bullet", "command"),
    [
        ("- `npm test` passes", "npm test"),
        ("- [ ] `npm test` passes", "npm test"),
        ("* **`npm test`** passes", "npm test"),
        ("- `` grep -q '`' README.md `` finds it", "grep -q '`' README.md"),
        ("- `$ make lint`", "make lint"),
        ("- `FOO=1 pytest -q`", "FOO=1 pytest -q"),
        ("- `test -f hello.txt`", "test -f hello.txt"),
        ("- `! grep -q TODO src/a.py`", "! grep -q TODO src/a.py"),
        ("- `curl -f localhost:8080/health` works", "curl -f localhost:8080/health"),
        ("- `make lint` reports 0 errors", "make lint"),
        ("- `frobnicate --verify`", "frobnicate --verify"),
        ("- `scripts/check.sh`", "scripts/check.sh"),
        ("- `tests/run-all.sh` is green, all suites", "tests/run-all.sh"),
        ("- `/bin/false`", "/bin/false"),
        ("- `.venv/bin/pytest`", ".venv/bin/pytest"),
        ("- `node_modules/.bin/jest src` passes", "node_modules/.bin/jest src"),
        ("- `tools/verify` exits 0", "tools/verify"),
        ("- `cd web && npm test`", "cd web && npm test"),
        ("- `(cd web && npm test)` passes", "(cd web && npm test)"),
        ("- `export CI=1; make test`", "export CI=1; make test"),
        ("- `scripts/a.sh && scripts/b.sh`", "scripts/a.sh && scripts/b.sh"),
        ("- `MODE=fast checkall`", "MODE=fast checkall"),
        ("- `mytool check src --all`", "mytool check src --all"),
        ("- All tests pass: `make test`", "make test"),
        ("- **AC-1** — `bash tests/all.sh` exits 0", "bash tests/all.sh"),
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
        "- `go` is installed",
        "- `find nothing else` in prose",
        "- `GET /users` answers 200",
        "- `--json` is accepted",
        "- `a = b`",
        "- `npm test` fails without the fix",
        "- `grep -rn TODO src/` returns nothing",
        "- `mytool --check bad.md` exits with status 1",
        "- `make lint` must fail on a bad file",
        "- `./README.md` is up to date",
        "- `src/app.py` passes the linter",
        "- `parse_line()` passes",
        "- `test_login` passes",
        "- `scripts/check.sh` exists",
        "- `/api/users/me` returns the user",
        "- `src/legacy/` is gone",
        "- `and/or` is clear",
        "- `title: string`",
        "- `cd web`",
        "- `string | null` is accepted",
        "- Must fail: `make lint`",
        "- Manual: `npm run dev`",
    ],
)
def test_names_and_expected_failures_are_not(bullet: str) -> None:
    assert _criteria(bullet) == []


@pytest.mark.parametrize(
    ("bullet", "command", "reason"),
    [
        ("- `grep -rn TODO src/` returns nothing", "grep -rn TODO src/", "expect a failure"),
        ("- the suite is run by `npm test`", "npm test", "does not begin with it"),
        ("- Must fail: `make lint`", "make lint", "expect a failure"),
        ("- The old file is gone: `test -e old.txt`", "test -e old.txt", "expect a failure"),
        ("- The old file: `test -e old.txt`", "test -e old.txt", "do not say that it has to succeed"),
        ("- `scripts/check.sh --all src` finds every file", "scripts/check.sh --all src", "do not say that it has to"),
        ("- When `test -e a.txt` fails, it is written", "test -e a.txt", "does not begin with it"),
        ("- AC-1 — `make test` on the new machine", "make test", "do not say that it has to succeed"),
        ("- `scripts/check.sh` prints a summary", "scripts/check.sh", "something in its output"),
        ("- `cat index.txt` prints NOPE", "cat index.txt", "something in its output"),
        ("- `cat index.txt`\n  prints NOPE", "cat index.txt", "something in its output"),
        ("- `wc -l < a.txt` → 3", "wc -l < a.txt", "something in its output"),
        ("- `wc -l < a.txt` is 3", "wc -l < a.txt", "something in its output"),
        ("- `mytool --help` exits 0 and lists `sum`", "mytool --help", "something in its output"),
        ("- `cat a.txt` gibt 3 aus", "cat a.txt", "something in its output"),
        ("- `cat a.txt` 输出 3", "cat a.txt", "something in its output"),
        ("- Run `make lint`; it must pass", "make lint", "does not begin with it"),
        ("- AC-5 — `make test; echo $?` returns 0", "make test; echo $?", "judges nothing"),
        ("- `mytool check`", "mytool check", "a name as well as a command"),
        ("- `checkall` passes", "checkall", "a name as well as a command"),
        ("- `tests/test_login.py` passes", "tests/test_login.py", "a name as well as a command"),
    ],
)
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


@pytest.mark.parametrize(
    ("bullet", "run"),
    [
        ("- `diff -rq a b` is empty", True),
        ("- `git diff --exit-code` shows no changes", True),
        ("- `git diff` shows no changes", False),
        ("- `git status` is clean", False),
        ("- `diff a b \\| wc -l` returns 0", False),
        ("- `test -f a.txt` (file exists)", True),
        ("- `[ -x run.sh ]` is executable", True),
        ("- `test -f a.txt` exists no more", False),
        ("- `test ! -f a.txt` exists", False),
        ("- `grep -q x a.txt` finds it", True),
        ("- `grep -rn ERROR log` finds no errors", False),
        ("- No blanks: `! grep -q x a.txt`", True),
    ],
)
def test_words_mean_what_the_exit_status_of_that_program_tells(bullet: str, run: bool) -> None:
    assert bool(_criteria(bullet)) is run
    assert bool(_unrun(bullet)) is not run


@pytest.mark.parametrize(
    ("bullet", "run", "told"),
    [
        ("- [ ] `test -s a.txt` and `grep -q NOPE a.txt` pass", ["test -s a.txt", "grep -q NOPE a.txt"], []),
        ("- `make a`, `make b`", ["make a", "make b"], []),
        ("- `make a`, `make b` and `make c` are green", ["make a", "make b", "make c"], []),
        ("- `make a` and\n  `make b` pass", ["make a", "make b"], []),
        ("- `make a` passes and `make b` passes", ["make a", "make b"], []),
        ("- All pass: `make a`, then `make b`", ["make a", "make b"], []),
        ("- `scripts/a.sh` and `scripts/b.sh` pass", ["scripts/a.sh", "scripts/b.sh"], []),
        ("- `make a` passes and `cat b` prints 3", ["make a"], ["cat b"]),
        ("- `cat a` prints 3 and `make b` passes", ["make b"], ["cat a"]),
        ("- `make a` and `make b` fail", [], ["make a", "make b"]),
        ("- `make a` or `make b` passes", [], ["make a", "make b"]),
        ("- `make a` passes and `make b` does not", ["make a"], ["make b"]),
        ("- Must fail: `make a` and `make b`", [], ["make a", "make b"]),
        ("- `make lint` passes after `make test`", ["make lint"], ["make test"]),
        ("- `lint` passes after `test`", [], ["lint", "test"]),
        ("- `make a` passes after `npm install`, if `x` is `true`", ["make a"], ["npm install"]),
        ("- `make a` passes with `strict` and `README.md`", ["make a"], []),
    ],
)
def test_every_command_of_a_criterion_is_run_or_told(bullet: str, run: list[str], told: list[str]) -> None:
    assert _criteria(bullet) == run
    assert [found.command for found in _unrun(bullet)] == told


@pytest.mark.parametrize(
    ("body", "run", "told"),
    [
        ("**Verify:** `make test`", ["make test"], []),
        ("Some words.\n**Verify:** `make test`", ["make test"], []),
        ("Verification: run `make test` and see that it passes.", ["make test"], []),
        ("**Verification:** `make test` and `make lint` pass", ["make test", "make lint"], []),
        ("**Vérification :** `make test`", ["make test"], []),
        ("**Verify:** `cat a.txt` shows 3", [], ["cat a.txt"]),
        ("### Verification\n\n`make test` passes.", ["make test"], []),
        ("### Verification\n\nRun `make test` and see that it passes.", [], ["make test"]),
        ("### Verification\n\n```bash\n# all\nmake lint\n$ make test\n```", [], ["make lint; make test"]),
        ("### Verification\n\n```json\n{}\n```", [], []),
        ("### Verification\n\n1. Look\n2. Run `make lint`; it must pass", [], ["make lint"]),
        ("### Verification\n\n| what | how |\n|---|---|\n| all | `make test` |", [], ["make test"]),
        ("| what | Verification |\n|---|---|\n| `make a` | `make test` |", [], ["make test"]),
        ("- [ ] `make test` passes", [], ["make test"]),
        ("The phase is over when `make test` passes.", [], ["make test"]),
        ("- [ ] write `make test`", [], []),
        ("- [ ] Add a `--version` flag. Check: `go build ./...`", [], ["go build ./..."]),
        ("- [ ] Add it (verification: run `make test`)", [], ["make test"]),
        ("- [ ] Add a target: `make test`", [], []),
        ("- [ ] Check: `go build ./...`", ["go build ./..."], []),
    ],
)
def test_verification_in_other_forms_is_run_where_it_is_plain_and_told_elsewhere(
    body: str, run: list[str], told: list[str]
) -> None:
    sections = outline(scan(f"## Phase 1\n\n{body}\n")[1]).sections[1:]
    assert [check.command for check in read_checks(sections)] == run
    assert [found.command for found in read_unrun(sections)] == told


@pytest.mark.parametrize(
    "bullet",
    [
        "- `npm test` passes",
        "- `config.yaml`",
        "- `parse_line()` returns 3",
        "- `test_login` passes",
        "- `--json` is accepted",
        "- `UserService` returns 404",
        "- `scripts/check.sh` exists",
        "- `/api/users/me` returns the user",
        "- a branch for each: `fix/issue-1`",
        "- people see `npm test` in the log",
    ],
)
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
@pytest.mark.parametrize("joint", [", ", "it must ", "`make b` and ", "("])
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
