"""A small tool server for stories: one tool writes a file, the other looks and changes nothing.

Run as a program: `python desk_server.py FOLDER`, JSON-RPC on the standard streams, one message on each line.
"""

import json
import sys
from pathlib import Path

_TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}
_TOOLS = [
    {"name": "scribble", "description": "Write a text down.", "inputSchema": _TEXT},
    {"name": "look", "description": "Say what lies on the desk.", "inputSchema": _TEXT},
]


def serve(folder: Path) -> None:
    """Answer until the agent hangs up."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result = _answer(message["method"], message.get("params", {}), folder)
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


def _answer(method: str, given: dict[str, object], folder: Path) -> dict[str, object]:
    match method:
        case "initialize":
            server = {"name": "desk", "version": "1"}
            version = given.get("protocolVersion")
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}
        case "tools/list":
            return {"tools": _TOOLS}
        case "tools/call":
            said = _scribble(folder) if given["name"] == "scribble" else "A feather lies there."
            return {"content": [{"type": "text", "text": said}]}
        case _:
            return {}


def _scribble(folder: Path) -> str:
    (folder / "scribbled.txt").write_text("a text\n")
    return "It is written."


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
