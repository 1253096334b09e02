"""What agents do and people type, for walks through a session at random."""

from typing import Any

# What changes something, or cannot be known not to.
MUTATING: list[tuple[str, dict[str, Any]]] = [
    ("Write", {"file_path": "/project/src/a.py", "content": "x"}),
    ("Write", {"file_path": "/project/plans/../src/a.py", "content": "x"}),
    ("Write", {"file_path": "/project/link.md", "content": "x"}),
    ("Edit", {"file_path": "/project/README.md", "old_string": "a", "new_string": "b"}),
    ("MultiEdit", {"file_path": "/project/README.md", "edits": []}),
    ("NotebookEdit", {"notebook_path": "/project/a.ipynb"}),
    ("apply_patch", {"command": "*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch"}),
    ("Bash", {"command": "rm -rf build"}),
    ("Bash", {"command": "git commit -am x"}),
    ("Bash", {"command": "echo x > src/a.py"}),
    ("Bash", {"command": "cat <<EOF | tee a.py\nx\nEOF"}),
    ("mcp__files__write_file", {"path": "/project/a.py"}),
    ("PowerShell", {"command": "rm a"}),
    ("a_tool_of_tomorrow", {}),
]
READING: list[tuple[str, dict[str, Any]]] = [
    ("Read", {"file_path": "/project/src/a.py"}),
    ("Grep", {"pattern": "x"}),
    ("Bash", {"command": "git log --oneline | head -5"}),
    ("Bash", {"command": "ls -la"}),
]
PROMPTS = [
    "fix the bug",
    "go on",
    "",
    "<task-notification>done</task-notification>",
    "/plan",
    "/plan add a cache",
    "/planrail:plan add a cache",
    "/plan open",
    "/plan off",
    "/plan-off",
    "/plan approve",
    "/plan block off",
    "/plan block on",
    "/plan status",
    "/approve",
    "approve the plan",
    "enter plan mode",
    "reload",
    "execute the plan",
    "!load-plan huge",
    "!load-plan done",
    "!load-plan nothing of that name " + "x" * 20_000,
    "!plan-status",
    "do not execute the plan yet",
]
