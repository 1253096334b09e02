"""Tasks with anything in them, as hypothesis draws them."""

from collections.abc import Sequence

from hypothesis import strategies as st

from planrail.tasks.model import TYPES, Artifact, Task
from planrail.tasks.statuses import STATUSES, TERMINAL
from planrail.tasks.views.order import TaskLine, render_order
from planrail.tasks.views.todo import gist_of

NASTY = [
    "---",
    "### 5. Not a task",
    "## Tasks",
    "## Task Order",
    "- **Status**: [COMPLETED]",
    "**Description**: none",
    "```",
    "```python",
    "~~~",
    "<!-- hidden",
    "| a | b |",
    "===",
    "***",
    '"project_number": 3,',
    '    {\n      "project_number": 3,',
    "3 [PLANNED] — x",
    "  └─ 3 [PLANNED]",
    "\x00\x1b[31m",
    "\ud800",
    "\udc00\ud800",
    "\u2028\u2029\x85\x0b\x0c",
    "a\r\nb\rc",
    "specs/TODO.md",
    "",
    " ",
]
LINES = st.one_of(st.sampled_from(NASTY), st.text(st.characters(), max_size=12))
TEXTS = st.lists(LINES, max_size=5).map("\n".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
NUMBERS = st.lists(st.integers(1, 9), max_size=3, unique=True).map(tuple)
ARTIFACTS = st.builds(
    Artifact, type=st.sampled_from(TYPES), path=TEXTS.filter(bool), summary=TEXTS, round=st.integers(0, 9)
)


def tasks(number: int | st.SearchStrategy[int] = 1) -> st.SearchStrategy[Task]:
    """A task in any legal form."""
    return st.builds(
        Task,
        number=number if isinstance(number, st.SearchStrategy) else st.just(number),
        name=st.from_regex(r"[a-z]{1,8}(_[a-z0-9]{1,8})?", fullmatch=True),
        title=TEXTS,
        status=st.sampled_from(STATUSES),
        task_type=st.sampled_from(["general", "meta", "a:b"]),
        description=TEXTS,
        effort=TEXTS,
        topic=st.one_of(st.sampled_from(["", "agent-system", "docs"]), LINES),
        created=st.just("2026-07-01T12:00:00Z"),
        last_updated=st.just("2026-07-01T12:00:00Z"),
        session_id=TEXTS,
        dependencies=NUMBERS,
        subtasks=NUMBERS,
        parent_task=st.integers(0, 9),
        artifacts=st.lists(ARTIFACTS, max_size=3).map(tuple),
        round=st.integers(0, 5),
        resume_phase=TEXTS,
        before=st.sampled_from(["", *STATUSES]),
        why=TEXTS,
        completion_summary=TEXTS,
        roadmap_items=st.lists(TEXTS, max_size=2).map(tuple),
        memory_candidates=st.lists(st.dictionaries(TEXTS, JSON, max_size=2), max_size=2).map(tuple),
        extra=st.dictionaries(st.sampled_from(["planned", "plan_metadata", "priority"]), JSON, max_size=2),
    )


def order_of(given: Sequence[Task], topics: Sequence[str], day: str) -> str:
    """The order of those that are open, as `TODO.md` has it."""
    lines = [
        TaskLine(task.number, task.status, task.topic, task.dependencies, gist_of(task))
        for task in given
        if task.status not in TERMINAL
    ]
    return render_order(lines, topics, day)
