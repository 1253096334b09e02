"""opencode, driven by the Agent Client Protocol. It is told to ask, because by default it does not."""

import json
from collections.abc import Mapping

from planrail.agents.acp_wire import AcpWire
from planrail.agents.model import Assignment
from planrail.agents.starting import Connection, Prepared, ProgramDriver
from planrail.agents.wires import Permissions

_ASKING = {"edit": "ask", "bash": "ask", "external_directory": "ask", "webfetch": "allow", "doom_loop": "allow"}


class OpenCode(ProgramDriver):
    """See `model.Driver`."""

    name, install = "opencode", "npm install --global opencode-ai"
    allowed = ("OPENCODE_*", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY")
    login = (".local/share/opencode/auth.json",)
    copied = tuple(f".config/opencode/{name}" for name in ("opencode.json", "opencode.jsonc", "AGENTS.md"))
    connection = Connection(
        "opencode",
        "opencode loads its plugins when it starts: start it again.",
        (".opencode", "plugins", "planrail.js"),
        ("plugins", "planrail.js"),
        ".config",
        "XDG_CONFIG_HOME",
        "opencode",
        mcp_file=("opencode.json",),
        mcp_entries={"mcp": {"planrail": {"type": "local", "command": ["planrail", "mcp"], "enabled": True}}},
        mcp_command="opencode mcp add",
    )
    ours: Mapping[str, str] = {"OPENCODE_PERMISSION": json.dumps(_ASKING), "OPENCODE_DISABLE_AUTOUPDATE": "1"}

    def prepare(self, assignment: Assignment, permissions: Permissions) -> Prepared:
        return ["acp"], AcpWire(self.name, assignment, permissions)


DRIVER = OpenCode
