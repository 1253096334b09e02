"""A scripted model on loopback: real agent programs talk to it, and a test decides what it says.

    with ModelServer(Script(call("Write", file_path="/p/hello.txt", content="hi"), say("Done."))) as server:
        subprocess.run([...], env={..., "ANTHROPIC_BASE_URL": server.url})
    assert server.requests[0].was_told("hello")

One script serves every dialect: Anthropic Messages, OpenAI Responses, OpenAI Chat Completions and Gemini.
"""

from planrail.testing.model_server.requests import Heard, ModelRequest
from planrail.testing.model_server.script import (
    Cut,
    Script,
    ServiceError,
    ToolCall,
    Turn,
    Usage,
    call,
    calls,
    fail,
    say,
)
from planrail.testing.model_server.server import ModelServer

__all__ = [
    "Cut",
    "Heard",
    "ModelRequest",
    "ModelServer",
    "Script",
    "ServiceError",
    "ToolCall",
    "Turn",
    "Usage",
    "call",
    "calls",
    "fail",
    "say",
]
