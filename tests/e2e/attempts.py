"""Ways in which a model tries to change something while it plans."""

import json
import sys
from pathlib import Path

from planrail.testing.model_server import ModelRequest, Turn, call
from tests.e2e.projects import Project

DENIED = "Plan mode is on"


def attempts(project: Project) -> list[Turn]:
    """One turn for each way. All of them are allowed by `ALLOW`, and by a host that says yes to everything."""
    return [
        call("Write", file_path=project.path("other.txt"), content="x\n"),
        call("Bash", command="touch made.txt"),
        call("Bash", command="cat > made.txt <<'EOF'\nhi\nEOF"),
        call("Bash", command="python3 -c \"open('made.txt', 'w')\""),
        call("Bash", command="git commit --allow-empty --message slipped"),
        call("mcp__desk__scribble", text="a text"),
    ]


ALLOW = ("Write", "Bash(touch *)", "Bash(cat *)", "Bash(python3 *)", "Bash(git *)", "mcp__desk")
READS = (
    "ls -la | head -5",
    "git log --oneline -3",
    "cat notes.md 2>/dev/null",
    "find . -name '*.md' | xargs grep Notes",
)


def reading(project: Project) -> list[Turn]:
    """What a model does all day while it plans."""
    return [
        *(call("Bash", command=command) for command in READS),
        call("Read", file_path=project.path("notes.md")),
        call("ToolSearch", query="select:AskUserQuestion", max_results=1),  # the agent's own tools are loaded by it
        call("Agent", description="look", prompt="look around", subagent_type="Explore"),
    ]


def desk(project: Project) -> tuple[str, ...]:
    """The flags that give the agent the small tool server."""
    arguments = [str(Path(__file__).with_name("desk_server.py")), str(project.folder)]
    servers = {"desk": {"command": sys.executable, "args": arguments}}
    return ("--strict-mcp-config", "--mcp-config", json.dumps({"mcpServers": servers}))


def assert_each_denied(turns: list[ModelRequest]) -> None:
    """Each of these requests begins with a denial, and the model is told why."""
    for request in turns:
        assert DENIED in request.news, request.news[-600:]


def assert_none_denied(turns: list[ModelRequest]) -> None:
    """None of these requests begins with a denial."""
    for request in turns:
        assert DENIED not in request.news, request.news[-600:]
