"""Files that a planning tool keeps: which tool's rules they follow, by the place that the tool gives them.

Where a tool has a rule of its own for what is work and what is done, that rule decides, and not what planrail makes of
headings and words in plans that people write freely.
"""

import os

from planrail.base.patterns import pattern

OPENSPEC = "openspec"  # openspec/changes/NAME/tasks.md, and the same below archive/
SPEC_KITTY = "spec-kitty"  # kitty-specs/NAME/tasks.md
GSD = "gsd"  # .planning/ROADMAP.md
KIRO = "kiro"  # .kiro/specs/NAME/tasks.md
BACKLOG = "backlog"  # backlog/tasks/task-1 - TITLE.md, and the same in completed/, drafts/ and archive/

_BACKLOG = pattern(r"/\.?backlog/(?:archive/)?(?:tasks|completed|drafts)/$")

# The dialects whose claims tell where a task stands, which is a JSON object: its status is looked for in it.
JSON_DIALECTS = ("task-master", "prd", "beads")


def tool_of(path: str) -> str:
    """The tool that keeps the file at a path; "" for every other file."""
    name = path.replace("\\", "/").rpartition("/")[2]
    is_task = " - " in name and name.endswith(".md")
    if name not in ("tasks.md", "ROADMAP.md") and not is_task:
        return ""
    folders = os.path.abspath(path).replace("\\", "/").rpartition("/")[0] + "/"
    if is_task:
        return BACKLOG if _BACKLOG.search(folders) else ""
    if name == "ROADMAP.md":
        return GSD if "/.planning/" in folders else ""
    if folders.split("/")[-3:-2] == ["kitty-specs"]:
        return SPEC_KITTY
    if "/.kiro/specs/" in folders:
        return KIRO
    return OPENSPEC if "/openspec/changes/" in folders else ""


def has_header(dialect: str, path: str) -> bool:
    """Whether a plan has a place that states the status of the whole, so that it can be finished and not say so."""
    return dialect == "markdown" and tool_of(path) != OPENSPEC
