"""The protocol's own client as the referee, in both generations."""

import subprocess
import sys
from pathlib import Path
from typing import Literal

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from planrail.mcp.offers import PROMPTS, TOOLS

PLAN = "# Plan: Greet\n\n## Phase 1: Say hello\n\n- [ ] Write `hello.sh`\n"
GENERATIONS: dict[str, Literal["auto", "legacy"]] = {"2026-07-28": "auto", "2025-11-25": "legacy"}


@pytest.mark.parametrize("version", GENERATIONS)
def test_the_official_client_is_served(tmp_path: Path, version: str) -> None:
    (tmp_path / "plan.md").write_text(PLAN)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    anyio.run(_use, tmp_path, version)


async def _use(folder: Path, version: str) -> None:
    server = StdioServerParameters(command=sys.executable, args=["-m", "planrail", "mcp"], cwd=folder)
    async with Client(stdio_client(server), mode=GENERATIONS[version]) as client:
        assert client.protocol_version == version
        assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
        told = await client.call_tool("show", {"plan": "plan.md"})
        assert not told.is_error
        assert "Say hello" in str(told.content[0])
        refused = await client.call_tool("show", {"plan": "/etc/passwd"})
        assert refused.is_error
        (plan,) = (await client.list_resources()).resources
        assert "Plan: Greet" in str(await client.read_resource(plan.uri))
        assert len((await client.list_resource_templates()).resource_templates) == 4
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == list(PROMPTS)
        filled = await client.get_prompt("plan", {"wish": "greet people"})
        assert "greet people" in str(filled.messages[0])
