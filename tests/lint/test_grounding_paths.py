"""Paths: broken where the plan treats them as there, and nowhere else."""

import pytest

from planrail.base.settings import LintSettings
from planrail.plans.lint.document import Severity
from tests.lint.linting import in_phase, messages, problems_of
from tests.support.tables import read_table

FILES = {
    "src/app.py": "def main():\n    return 1\n\n\nclass App:\n    pass\n",
    "src/parser/lexer.py": "x = 1\n",
    "src/parser/grammar.py": "x = 1\n",
    "tests/test_app.py": "def test_main():\n    pass\n",
    "docs/guide.md": "# Guide\n",
    "README.md": "# Readme\n",
    "package/ui/Button.tsx": "export {}\n",
    ".gitignore": "*.log\n/generated/\nlocal.toml\n",
}


def _grounding(line: str) -> list[str]:
    return messages("grounding", in_phase(line), files=FILES)


def _severities(line: str) -> list[Severity]:
    found = problems_of(in_phase(line), files=FILES)
    return [problem.severity for problem in found if problem.rule == "grounding"]


@pytest.mark.parametrize("line", read_table("lint/tables/paths", "treated as there"))
def test_a_missing_file_that_the_plan_treats_as_there_is_an_error(line: str) -> None:
    assert _severities(line) == [Severity.ERROR]


@pytest.mark.parametrize("line", read_table("lint/tables/paths", "not sure"))
def test_where_that_is_not_sure_it_is_a_warning(line: str) -> None:
    assert _severities(line) == [Severity.WARNING]


@pytest.mark.parametrize("line", read_table("lint/tables/paths", "there"))
def test_what_is_there_is_found_however_it_is_written(line: str) -> None:
    assert _grounding(line) == []


@pytest.mark.parametrize("line", read_table("lint/tables/paths", "made by the plan"))
def test_what_the_plan_makes_is_not_broken(line: str) -> None:
    assert _grounding(line) == []


@pytest.mark.parametrize(
    "text",
    [
        "# P\n\n## Phase 1 — A\n\nCreate `src/new.py`.\n\n## Phase 2 — B\n\nModify `src/new.py` and `new.py:3`.\n",
        in_phase("- [ ] Create `src/cache/`\n- [ ] Modify `src/cache/store.py`"),
        in_phase("```\nsrc/\n  cache/store.py\n```\n\n- [ ] Modify `cache/store.py`"),
        "# P\n\n## Phase 1 — A ✅\n\nModify `src/missing.py`.\n\n## Phase 2 — B\n\nx\n",  # it may have moved it
        "# P\n\n## Phase 1 — A [SKIPPED]\n\nCreate `src/missing.py`.\n\n## Phase 2 — B\n\nx\n",
    ],
)
def test_what_was_made_before_or_is_finished_or_skipped_is_not_broken(text: str) -> None:
    assert messages("grounding", text, files=FILES) == []


@pytest.mark.parametrize("code", read_table("lint/tables/paths", "no file"))
def test_what_is_no_file_of_the_repository_is_not_looked_up(code: str) -> None:
    assert _grounding(f"- [ ] Modify `{code}`") == []


def test_a_file_that_the_readme_names_may_be_made_when_the_program_runs() -> None:
    files = {**FILES, "README.md": "It writes `src/app.db` and var/access.log."}
    line = "- [ ] Modify what reads `src/app.db`, and see `var/access.log`"
    assert messages("grounding", in_phase(line), files=files) == []
    assert len(messages("grounding", in_phase(line.replace("app.db", "app.db:7")), files=files)) == 1


@pytest.mark.parametrize("line", read_table("lint/tables/paths", "knows better"))
def test_a_sentence_that_knows_better_is_believed(line: str) -> None:
    assert _grounding(line) == []


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("src/app.py:7", "src/app.py has only 6 lines"),
        ("src/app.py:2-90", "src/app.py has only 6 lines"),
        ("src/app.py::missing", "src/app.py has no missing"),
    ],
)
def test_a_line_or_a_name_that_the_file_does_not_have_is_an_error(code: str, message: str) -> None:
    (found,) = _grounding(f"- [ ] Modify `{code}`")
    assert message in found
    assert _severities(f"- [ ] Modify `{code}`") == [Severity.ERROR]


@pytest.mark.parametrize(
    ("code", "suggestion"),
    [
        ("lib/lexer.py", "src/parser/lexer.py"),
        ("src/parser/lexxer.py", "src/parser/lexer.py"),
        ("src/zebra.py", ""),
    ],
)
def test_the_closest_file_is_suggested(code: str, suggestion: str) -> None:
    found = [one for one in problems_of(in_phase(f"- [ ] Modify `{code}`"), files=FILES) if one.rule == "grounding"]
    assert [problem.suggestion for problem in found] == [suggestion]
    assert (f"closest: {suggestion}" in found[0].message) is bool(suggestion)


def test_a_broken_citation_is_reported_once_at_its_first_line() -> None:
    text = in_phase("Modify `src/missing.py`.\n\nModify `src/missing.py`.\n\nModify `src/missing.py:3`.")
    (problem,) = [one for one in problems_of(text, files=FILES) if one.rule == "grounding"]
    assert problem.line == 5
    assert "cited on 2 more lines" in problem.message


def test_what_finished_work_says_it_has_made_should_be_there() -> None:
    text = "# P\n\n## Phase 1 — A ✅\n\nCreate `src/missing.py` and `src/app.py`.\n\n## Phase 2 — B\n\nx\n"
    (problem,) = [one for one in problems_of(text, files=FILES) if one.rule == "grounding"]
    assert problem.severity is Severity.WARNING
    assert "is said to be made" in problem.message


def test_paths_count_from_the_folder_of_the_plan_as_well() -> None:
    text = in_phase("Modify `notes.md` and `../guide.md`, see [notes](./notes.md).")
    assert messages("grounding", text, files={**FILES, "docs/plans/notes.md": ""}, path="docs/plans/PLAN.md") == []


def test_the_settings_name_paths_that_need_not_exist() -> None:
    settings = LintSettings([], 20_000, [], [], ["vendor/**", "src/gen_*.py"])
    text = in_phase("- [ ] Modify `vendor/a/b.py` and `src/gen_types.py`")
    assert [one for one in problems_of(text, files=FILES, settings=settings) if one.rule == "grounding"] == []


def test_without_a_tree_and_in_a_data_file_nothing_is_looked_up() -> None:
    assert messages("grounding", in_phase("- [ ] Modify `src/missing.py`")) == []
    text = '{"tasks": [{"id": 1, "title": "Modify `src/missing.py`", "status": "pending"}]}'
    assert messages("grounding", text, files=FILES, path="tasks.json") == []
