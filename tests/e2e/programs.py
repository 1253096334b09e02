"""The real agent programs, in exact versions, installed once into `.agents/` of the repository."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from planrail.base.records import record

ROOT = Path(__file__).parents[2]
AGENTS = ROOT / ".agents"


@record
class Program:
    """A program and where it comes from."""

    name: str
    package: str
    version: str

    @property
    def folder(self) -> Path:
        return AGENTS / f"{self.name}-{self.version}"

    @property
    def binary(self) -> Path:
        return self.folder / "node_modules" / ".bin" / self.name


# A plain `npm install` picks what suits the local Node, so each version is exact.
CLAUDE = Program("claude", "@anthropic-ai/claude-code", "2.1.325")
OLD_CLAUDE = Program("claude", "@anthropic-ai/claude-code", "2.1.197")  # the oldest supported: no `onFailure`
CODEX = Program("codex", "@openai/codex", "0.166.0")
GEMINI = Program("gemini", "@google/gemini-cli", "0.61.0")
OPENCODE = Program("opencode", "opencode-ai", "1.18.18")


# For promises that rest on what the two versions do differently: `onFailure`, and telling hooks the agent's process.
both_versions = pytest.mark.parametrize("program", [CLAUDE, OLD_CLAUDE], ids=lambda program: program.version)


def installed(program: Program) -> Path:
    """The program's binary. It is installed on first use; the test skips where it can not be."""
    if not program.binary.exists():
        if shutil.which("npm") is None:
            pytest.skip(f"{program.name} {program.version} is not installed, and npm is not here")
        _install(program)
    return program.binary


def _install(program: Program) -> None:
    """Install beside the final place and rename, so that a half-finished installation is never taken for a whole one."""
    AGENTS.mkdir(exist_ok=True)
    with open(AGENTS / f".{program.name}-{program.version}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if program.binary.exists():
            return
        building = AGENTS / f".building-{program.name}-{program.version}"
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir()
        command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(building)]
        done = subprocess.run([*command, f"{program.package}@{program.version}"], capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"npm could not install {program.package}@{program.version}: {done.stderr[-400:]}")
        os.rename(building, program.folder)
