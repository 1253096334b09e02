"""Whatever the text, lint answers, and keeps its own promises."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.settings import DEFAULT_LINT, LintSettings
from planrail.plans.lint.document import Problem
from planrail.plans.lint.rules import RULE_NAMES, lint
from planrail.plans.reading import read
from planrail.plans.text.source import load
from tests.lint.linting import MemoryTree, problems_of

_FRAGMENTS = st.sampled_from(
    [
        "# Plan\n",
        "## Phase 1 — A\n",
        "## Phase 2: B ✅\n",
        "### Acceptance Criteria\n",
        "### Dependencies\n",
        "**Depends on**: Phase 1, Phase 9\n",
        "- [ ] Modify `src/app.py:99` and `src/ap.py`\n",
        "- [x] Create `src/new.py`\n",
        "  - nested `make test`\n",
        "- `true` passes\n",
        "3 + 4 = 8 (5 + 4)\n",
        "lines 10-20 (12 lines)\n",
        "```sh check\n",
        "```\n",
        "~~~\n",
        "> quote\n",
        "| Phase | Status |\n|---|---|\n| 1 — A | ✅ |\n",
        "[link](docs/x.md) `unclosed\n",
        "<!-- comment\n",
        "-->\n",
        "---\n",
        "\n",
        "\r\n",
        "필요시 `UserServce.find()` etc.\n",
    ]
)
_DOCUMENTS = st.lists(st.one_of(_FRAGMENTS, st.text(max_size=30)), max_size=25).map("".join)
_FILES = {"src/app.py": "class UserService: ...\n", "Makefile": "test:\n", "docs/plan.md": ""}


@given(_DOCUMENTS)
def test_any_text_is_linted_the_same_each_time_by_line_and_no_line_is_vague_twice(text: str) -> None:
    first = problems_of(text, files=_FILES)
    for problem in first:
        assert problem.rule in RULE_NAMES
        assert 1 <= problem.line <= text.count("\n") + text.count("\r") + 2
        assert problem.message
    assert first == problems_of(text, files=_FILES)
    lines = [problem.line for problem in first]
    assert lines == sorted(lines)
    vague = [problem.line for problem in first if problem.rule == "vague-wording"]
    assert len(vague) == len(set(vague))


@given(_DOCUMENTS, st.sampled_from(sorted(RULE_NAMES)))
def test_a_rule_that_is_ignored_says_nothing_and_silences_no_other(text: str, rule: str) -> None:
    settings = LintSettings(DEFAULT_LINT.sections, DEFAULT_LINT.max_characters, [], [rule], [])
    heard = [problem for problem in problems_of(text, files=_FILES) if problem.rule != rule]
    quiet = problems_of(text, files=_FILES, settings=settings)
    assert [problem for problem in quiet if problem.rule != rule] == heard


@pytest.mark.full
@pytest.mark.parametrize(
    "line",
    [
        "1 + " * 5_000 + "= 3",
        "(" + "1 a b c + " * 5_000 + "2)",
        "add " * 5_000 + "`x/y.py`",
        "`" * 20_000,
        "` " * 10_000,
        '" ' * 10_000,
        "[a](" * 5_000,
        "`" + "a/" * 10_000 + "`",
        "`make " + "a " * 10_000 + "`",
        " ".join(f"`src/a{number}.py`" for number in range(1_000)),
        " ".join(f"`FooBar{number}Baz()`" for number in range(1_000)),
        "<!--" * 5_000,
        "适" * 20_000,
    ],
    ids=lambda line: line[:12],
)
def test_a_line_that_is_long_and_hostile_costs_seconds_of_work(line: str) -> None:
    begin = time.process_time()  # of this process alone, however busy the machine is
    problems_of(f"# P\n\n## Phase 1 — A\n\n- [ ] {line}\n", files=_FILES)
    assert time.process_time() - begin < 10


_SHARED = Path(__file__).parents[3] / "shared"
_WILD = sorted([*_SHARED.glob("plans/*.md"), *_SHARED.glob("wild_plans/*.md"), *_SHARED.glob("wild_plans/*.json")])


def _lint(path: Path) -> list[Problem]:
    source = load(os.fspath(path))
    return lint(source, read(source), settings=DEFAULT_LINT, tree=MemoryTree({}))


@pytest.mark.soak
@pytest.mark.skipif(not _WILD, reason="other people's plans are not part of the repository")
def test_real_plans_have_few_errors_that_are_not_about_files_and_are_vague_now_and_then() -> None:
    """51 documents; two of them are narratives. More errors than that were false alarms whenever somebody looked."""
    problems = [problem for path in _WILD if path.name != "INDEX.md" for problem in _lint(path)]
    rules = [problem.rule for problem in problems if problem.severity == "error" and problem.rule != "grounding"]
    assert not {"arithmetic", "duplicate-id", "unknown-dependency", "check-cannot-fail"} & set(rules)
    assert 10 <= sum(problem.rule == "vague-wording" for problem in problems) <= 40
