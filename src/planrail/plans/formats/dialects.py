"""Dialects: how the files of each planning tool are recognised, and where their rules differ from what people write.

Where a tool has a rule of its own for what is work and what is done, that rule decides, and not what planrail makes of
headings and words. Each format is declared once, in the list below; those who read, edit or divide a plan ask its
dialect. A Markdown file is known by the place that its tool gives it, a data file by its suffix and its content.
"""

import os

from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.plans.states import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping, Sequence

    from planrail.plans.formats import backlog, gsd, json_tasks, jsonl_issues, openspec, spec_kitty, yaml_tasks
    from planrail.plans.model import Header, Plan
    from planrail.plans.statements.statements import Account
    from planrail.plans.surroundings import Surroundings
    from planrail.plans.text.blocks import Block
    from planrail.plans.text.outline import Outline, Section
    from planrail.plans.text.source import PlanSource
    from planrail.plans.units.units import Unit

    Accounts = dict[str, Account]
else:

    class _Late:
        """A module of this folder, loaded when a function of it is called: a plan needs one of them at most."""

        def __init__(self, name):
            self._name = "planrail.plans.formats." + name

        def __getattr__(self, name):
            return lambda *given: getattr(__import__(self._name, fromlist=(name,)), name)(*given)

    _MODULES = ("backlog", "gsd", "json_tasks", "jsonl_issues", "openspec", "spec_kitty", "yaml_tasks")
    globals().update((name, _Late(name)) for name in _MODULES)


def _words(todo: str, begun: str, done: str, skipped: str) -> "Mapping[State, str]":
    states = (State.TODO, State.IN_PROGRESS, State.DONE, State.SKIPPED, State.BLOCKED)
    return dict(zip(states, (todo, begun, done, skipped, "blocked"), strict=True))


@record
class Dialect:
    """A plan format: how it is recognised, and the hooks where it differs from plain Markdown."""

    name: str
    in_name: str = ""  # of a Markdown file: a part of its name, looked at before its place
    place: "re.Pattern[str] | None" = None  # and the end of its whole path
    suffixes: tuple[str, ...] = ()  # of a data file
    read: "Callable[[PlanSource, Surroundings | None], Plan] | None" = None  # how such a file is read
    layout: str = "markdown"  # how an approval divides its text: markdown, json, yaml, or lines, one for each task
    has_header: bool = True  # a place that states the status of the whole, so that it can be finished and not say so
    words: "Mapping[State, str]" = _words("pending", "in_progress", "completed", "cancelled")  # of a data file
    locate: "Callable[[str, int], tuple[int, int]] | None" = None  # the status in the task at an offset
    boxes: "Mapping[str, str]" = {}  # noqa: RUF012 - marks in boxes, and those that mean the same elsewhere
    arrange: "Callable[[Sequence[Block]], Outline | None] | None" = None  # None: no file of the tool after all
    kind: str = "sections"  # the format that its own units are written in
    find_units: "Callable[[Outline], list[Unit]] | None" = None
    take_accounts: "Callable[[list[Unit], dict[str, list[Section]], Outline], Accounts] | None" = None  # all it hears
    weigh: "Callable[[Accounts], None] | None" = None  # what is said in the file, by the tool's own order
    hear: "Callable[[Surroundings, Accounts], bool] | None" = None  # what is said beside it; whether that is all
    settle_header: "Callable[[Header, Surroundings], Header] | None" = None


MARKDOWN = Dialect("markdown")
DIALECTS = [
    Dialect(
        "spec-kitty",
        "tasks.md",
        pattern(r"/kitty-specs/[^/]+/tasks\.md\Z"),
        find_units=spec_kitty.find_packages,
        hear=spec_kitty.hear_lanes,
    ),
    Dialect("kiro", "tasks.md", pattern(r"(?s)/\.kiro/specs/(?:.*/)?tasks\.md\Z"), boxes={"-": "~"}),  # in progress
    Dialect(
        "openspec",
        "tasks.md",
        pattern(r"(?s)/openspec/changes/(?:.*/)?tasks\.md\Z"),  # and the same below archive/
        has_header=False,
        kind="checklist",
        arrange=openspec.arrange_tasks,
        find_units=openspec.find_tasks,
        take_accounts=openspec.count_tasks,
    ),
    Dialect("gsd", "ROADMAP.md", pattern(r"(?s)/\.planning/(?:.*/)?ROADMAP\.md\Z"), weigh=gsd.believe_ticks),
    Dialect(
        "backlog",
        " - ",
        pattern(r"/\.?backlog/(?:archive/)?(?:tasks|completed|drafts)/[^/]* - [^/]*\.md\Z"),
        settle_header=backlog.settle_status,
    ),
    Dialect(
        "task-master",
        suffixes=("json",),
        read=json_tasks.read_json,
        layout="json",
        has_header=False,
        words=_words("pending", "in-progress", "done", "cancelled"),
        locate=json_tasks.locate_status,
    ),
    Dialect("prd", layout="json", has_header=False, locate=json_tasks.locate_status),
    Dialect(
        "beads",
        suffixes=("jsonl",),
        read=jsonl_issues.read_jsonl,
        layout="json",
        has_header=False,
        words=_words("open", "in_progress", "closed", "deferred"),
        locate=json_tasks.locate_status,
    ),
    Dialect("yaml", suffixes=("yaml", "yml"), read=yaml_tasks.read_yaml, layout="yaml", has_header=False),
    Dialect("bmad", layout="lines", has_header=False, words=_words("backlog", "in-progress", "done", "cancelled")),
    Dialect("cursor", layout="yaml", has_header=False),
    MARKDOWN,
]


def find_dialect(path: str) -> Dialect:
    name, suffix = path.replace("\\", "/").rpartition("/")[2], path.lower().rsplit(".", 1)[-1]
    near = [one for one in DIALECTS if suffix in one.suffixes or (one.place is not None and one.in_name in name)]
    whole = os.path.abspath(path).replace("\\", "/") if near else ""
    return next((one for one in near if one.place is None or one.place.search(whole)), MARKDOWN)


def dialect_of(plan: "Plan") -> Dialect:
    """The dialect that a plan was read in: the place of a Markdown file decides, for data the reader has told it."""
    is_text = plan.dialect == MARKDOWN.name
    return find_dialect(plan.path) if is_text else next(one for one in DIALECTS if one.name == plan.dialect)
