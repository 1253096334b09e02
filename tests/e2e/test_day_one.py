"""The first day in Claude Code and in Codex: what the pages about it show is what planrail says there."""

from pathlib import Path

from planrail.testing.model_server import ModelServer, Script, Turn, call, say
from tests.cli.documents import read_blocks
from tests.e2e.claude import Claude
from tests.e2e.claude_host import Host
from tests.e2e.codex import Codex
from tests.e2e.plan_files import told_plan_file, write_plan
from tests.e2e.programs import ROOT
from tests.e2e.projects import Project

ROUGH = '# Greet\n\n## Changes\n\n1. Create greet.py with a function `greet` that answers "hello"\n'
PLAN = f"{ROUGH}\n## Verification\n\n- `python3 -m unittest -q test_greet` passes\n"
TEST = """import unittest

import greet


class Greeting(unittest.TestCase):
    def test_it_greets(self) -> None:
        self.assertEqual(greet.greet(), "hello")
"""
CODE = 'def greet() -> str:\n    return "hello"\n'
LIE, TRUTH = say("All done! The greeting is implemented."), say("Phase 1 is done.")


def _begin(project: Project) -> None:
    (project.folder / "test_greet.py").write_text(TEST)
    project.git("add", ".")
    project.git("commit", "--quiet", "--message", "Test")


def _shown(page: str) -> list[str]:
    """What a page shows of planrail's own words."""
    blocks = read_blocks(ROOT / "docs" / page)
    return [line for block in blocks if not block.language for line in block.body.splitlines()]


def _missing(page: str, told: str, plan: str) -> list[str]:
    said = told.replace(Path(plan).name, "plan.md")
    return [line for line in _shown(page) if line not in said]


def test_day_one_in_claude_code(project: Project) -> None:
    """A plan without a check is sent back once, then approved; a lie is held, and the truth is proven."""
    _begin(project)
    project.planrail("init", "--agent", "claude", "--allow")
    work = call("Write", file_path=project.path("greet.py"), content=CODE)
    planned = [write_plan(ROUGH), call("ExitPlanMode"), write_plan(PLAN), call("ExitPlanMode")]
    with (
        ModelServer(Script(*planned, LIE, work, TRUTH)) as server,
        Host(Claude(project, server, plugin=None), "--permission-mode", "plan") as host,
    ):
        assert host.say("plan a greeting") == "Phase 1 is done."
    told = "\n".join((*(turn.news for turn in server.turns), *host.notices))
    assert _missing("day-one-claude.md", told, told_plan_file(server.turns[0])) == []


def _patch(path: str, text: str) -> str:
    lines = "".join(f"+{line}\n" for line in text.splitlines())
    return f"*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch\n"


def test_day_one_in_codex(project: Project) -> None:
    """The same with planrail's own plan mode, by the words that the page names."""
    _begin(project)
    plan: Turn = call("apply_patch", lambda request: _patch(told_plan_file(request), PLAN))
    turns = [plan, say("The plan is written."), LIE, call("apply_patch", _patch("greet.py", CODE)), TRUTH]
    with ModelServer(Script(*turns)) as server:
        codex, session = Codex(project, server), ""
        for prompt in ("enter plan mode", "plan a greeting", "approve the plan"):
            session = codex.ask(prompt, resume=session).session
    told = "\n".join(turn.news for turn in server.turns)
    path = told_plan_file(server.turns[0])
    proven = [line for line in _missing("day-one-codex.md", told, path) if "is proven, and marked" not in line]
    assert proven == []  # what a person is told is in no request: the plan says that it is so
    assert '"proof": "proven"' in project.planrail("show", path, "--json")
