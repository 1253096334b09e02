"""Plan files as the model writes them: it learns the path from what the agent, or planrail, tells it."""

import re

from planrail.testing.model_server import ModelRequest, Turn, call

# "create your plan at PATH", "A plan file already exists at PATH", "except your plan file, PATH"
_PATH = re.compile(r"(?:your plan at|plan file,|plan file already exists at) (/[^\s`\"']+\.md)")


def told_plan_file(request: ModelRequest) -> str:
    """The plan file that the model was told of last."""
    found = _PATH.findall(request.said_by("system", "user", "tool"))
    assert found, "nobody told the model where its plan file is"
    return str(found[-1])


def write_plan(text: str) -> Turn:
    """The model writes its plan where it was told to."""
    return call("Write", lambda request: {"file_path": told_plan_file(request), "content": text})
