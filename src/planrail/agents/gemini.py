"""Gemini CLI, driven by the Agent Client Protocol."""

import json
import os
from collections.abc import Mapping

from planrail.agents.acp_wire import AcpWire
from planrail.agents.model import Assignment
from planrail.agents.starting import Connection, Prepared, ProgramDriver
from planrail.agents.wires import Permissions

_NO = ("", "0", "false")
_FLAG_SINCE = (0, 34)  # and 0.33, which knows both


class Gemini(ProgramDriver):
    """See `model.Driver`."""

    name, install = "gemini", "npm install --global @google/gemini-cli"
    allowed = ("GEMINI_*", "GOOGLE_*")
    login = (
        *(f".gemini/{name}.json" for name in ("oauth_creds", "google_accounts", "gemini-credentials")),
        ".config/gcloud/application_default_credentials.json",
    )
    copied = tuple(f".gemini/{name}" for name in ("settings.json", ".env", "GEMINI.md", "installation_id"))
    connection = Connection(
        "Gemini CLI",
        "Gemini CLI runs a project's hooks only in a folder that you trust.",
        (".gemini", "settings.json"),
        ("settings.json",),
        ".gemini",
        events={"SessionStart": 30, "BeforeAgent": 30, "BeforeTool": 60}
        | {"AfterTool": 30, "AfterAgent": 600, "SessionEnd": 10},
        second=1000,
        is_doubled=True,
        mcp_file=(".gemini", "settings.json"),
        mcp_entries={"mcpServers": {"planrail": {"command": "planrail", "args": ["mcp"]}}},
        mcp_command="gemini mcp add --scope user planrail planrail mcp",
    )
    ours: Mapping[str, str] = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}

    def refuse_confinement(self, assignment: Assignment) -> str:
        """Its own sandbox is a container, whose socket is out of reach for what is confined."""
        wanted = self.environment.get("GEMINI_SANDBOX", "")
        return f"GEMINI_SANDBOX is {wanted}, which cannot be inside of another one" if wanted not in _NO else ""

    def prepare(self, assignment: Assignment, permissions: Permissions) -> Prepared:
        model = [f"--model={assignment.model}"] if assignment.model else []
        return [_gemini_flag(self.path), *model], AcpWire(self.name, assignment, permissions, is_gemini=True)


DRIVER = Gemini


def _gemini_flag(path: str) -> str:
    """`--acp`, or its name in versions that had it as an experiment."""
    folder = os.path.dirname(os.path.realpath(path))
    for _ in range(3):
        try:
            with open(os.path.join(folder, "package.json"), encoding="utf-8") as file:
                major, minor = (int(part) for part in str(json.load(file)["version"]).split(".")[:2])
        except (OSError, ValueError, KeyError, TypeError):
            folder = os.path.dirname(folder)
        else:
            return "--acp" if (major, minor) >= _FLAG_SINCE else "--experimental-acp"
    return "--acp"
