"""Nothing hangs: a long line or a long list costs time in proportion to its length, whatever it is made of.

No clock is read here. Each text is read in a process that the system ends after a few seconds of work, where reading in
proportion takes a fraction of one, and reading by the square takes minutes.
"""

import subprocess
import sys

import pytest

from tests.support.patience import PATIENCE

_SECONDS = 3
_PROGRAM = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({_SECONDS}, {_SECONDS}))
from planrail.base.errors import UnreadablePlan
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource
try:
    read(PlanSource(sys.argv[1], sys.stdin.read()))
except UnreadablePlan:
    pass
"""
_LINE = 200_000

_PLACES = {
    "heading": "## Phase 1: {}\n\n## Phase 2: b\n",
    "title": "# {}\n\n## Phase 1: a\n",
    "item": "## Phase 1: a\n- [ ] {}\n",
    "entry": "- [ ] Phase 1: {}\n- [ ] Phase 2: b\n",
    "box": "- [{}] a\n",
    "cell": "| Phase | Status |\n|---|---|\n| 1 | {} |\n| 2 | done |\n",
    "key": "| Phase | Status |\n|---|---|\n| {} | done |\n",
    "header": "| Phase | {} |\n|---|---|\n| 1 | done |\n",
    "status": "## Phase 1: a\n**Status:** {}\n",
    "needs": "## Phase 1: a\n**Depends on:** {}\n\n## Phase 2: b\n",
    "wave": "## Phase 1: a\n\n| Wave | Phases |\n|---|---|\n| 1 | {} |\n",
    "text": "## Phase 1: a\n{}\n",
    "log": "## Progress\n- [x] (2026-01-01) {}\n\n## Milestone 1: a\n",
    "front matter": "---\nstatus: {}\n---\n## Phase 1: a\n",
}
_PIECES = (
    *(
        "1, ",
        "1 ",
        "a ",
        "*",
        "**a",
        "_",
        "`",
        "[",
        "[a]",
        "[a](b)",
        "(",
        "- ",
        "— ",
        ": ",
        "：",
        "\\|",
        "x|",
        "✅ ",
        "🟡x",
    ),
    *(
        "done ",
        "not ",
        "1/2 ",
        "100% ",
        "1-2 ",
        "1.",
        "P1.A ",
        "Phase 1 ",
        "#",
        "<!--",
        "第",
        "①",
        "a.md ",
        "`a/b` ",
        "\t",
    ),
    *("\u3000", "\ufe0f", "IV", "2026-01-01 ", "→", "~", "📝a ", "checkpoint: a", "A,"),
)
_LISTS = {
    "open boxes": "- [ ] a\n",
    "headings": "# a\n",
    "phases": "## Phase 1: a\n- [ ] b\n",
    "fences": "```\n",
    "quoted documents": "```markdown\n",
    "comments": "<!--\n",
    "quotes": "> a\n",
    "rows": "| 1 | done |\n",
    "text": "a\n",
    "status lines": "**Status:** done\n",
    "trackers": "| Phase | Status |\n|---|---|\n| 1 | done |\n\n",
    "dependencies": "Depends on: 1\n",
}


def _ends(text: str, name: str = "plan.md") -> bool:
    """Whether a text is read with no more work than a process may do."""
    command = [sys.executable, "-c", _PROGRAM, name]
    done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode <= 0, done.stderr.decode()
    return done.returncode == 0


def _fill(place: str, piece: str) -> str:
    return _PLACES[place].replace("{}", piece * (_LINE // len(piece)))


@pytest.mark.full
@pytest.mark.parametrize(
    ("place", "piece"),
    [
        ("needs", "Phase 1 "),
        ("wave", "1, "),
        ("heading", "[a]"),
        ("cell", "1/2 "),
        ("status", "not "),
        ("text", "✅ "),
        ("box", "("),
    ],
)
def test_a_long_line_is_read_in_proportion(place: str, piece: str) -> None:
    assert _ends(_fill(place, piece))


@pytest.mark.soak
@pytest.mark.parametrize("place", _PLACES)
def test_a_long_line_of_anything_is_read_in_proportion(place: str) -> None:
    slow = [piece for piece in _PIECES if not _ends(_fill(place, piece))]
    assert slow == []


@pytest.mark.full
@pytest.mark.parametrize("what", _LISTS)
def test_a_long_list_is_read_in_proportion(what: str) -> None:
    assert _ends(_LISTS[what] * 15_000)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plan.json", '{"a":' * 10_000 + "1" + "}" * 10_000),
        ("plan.json", '{"tasks": [{"id": 1, "status": "done", "x": ' + "[" * 10_000 + "]" * 10_000 + "}]}"),
        ("plan.yaml", "a: " + "{a: " * 10_000),
        ("plan.yaml", "".join(" " * depth + "a:\n" for depth in range(2000))),
        (
            "plan.yaml",
            "a: &a [x]\n"
            + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(24)),
        ),
        ("plan.md", "---\ntodos:\n" + "[" * 10_000 + "\n---\n"),
        ("plan.md", "- " * 10_000 + "x\n"),
        ("plan.md", "".join(">" * depth + " x\n" for depth in range(1000))),
        ("plan.md", "".join("  " * depth + "- x\n" for depth in range(1500))),
    ],
    ids=lambda value: value[:12],
)
def test_what_is_nested_without_measure_is_given_up(name: str, text: str) -> None:
    assert _ends(text, name)
