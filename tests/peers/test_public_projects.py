"""Public projects: what planrail says about them, beside the tools themselves.

`PLANRAIL_PUBLIC_PROJECTS` names a folder with a folder for each tool (openspec, task-master, gsd-tools, spec-kitty,
backlog), and in it one for each project: the files of public repositories, which are never committed here. What may
differ, and who is right then, stands in docs/reading-tools.md.
"""

import os
import shutil
from pathlib import Path

import pytest

from tests.peers.answers import ask_all, bring_back_archived
from tests.peers.tools import Tool

pytestmark = pytest.mark.soak

# The share of answers that have to be the same. GSD's own command does not see finished milestones that are folded away.
_BARS = {"openspec": 0.99, "task-master": 0.99, "spec-kitty": 0.95, "backlog": 0.97, "gsd-tools": 0.3}


@pytest.mark.parametrize("name", _BARS)
def test_planrail_says_of_public_projects_what_their_tools_say(name: str, tmp_path: Path) -> None:
    given = os.environ.get("PLANRAIL_PUBLIC_PROJECTS")
    projects = sorted(Path(given, name).iterdir()) if given and Path(given, name).is_dir() else []
    if not projects:
        pytest.skip(f"PLANRAIL_PUBLIC_PROJECTS names no folder with projects of {name}")
    tool = Tool(name, tmp_path)
    answers = []
    for project in projects:
        folder = tmp_path / "projects" / project.name
        shutil.copytree(project, folder)
        bring_back_archived(folder)
        try:
            answers += [(project.name, *answer) for answer in ask_all(name, tool, folder)]
        except (AssertionError, ValueError, KeyError) as refused:
            print(f"{name} does not answer about {project.name}: {refused}")
    wrong = [answer for answer in answers if answer[2] != answer[3]]
    print(f"{name}: {len(answers) - len(wrong)} of {len(answers)} answers are the same", *wrong, sep="\n  ")
    assert answers
    assert len(wrong) <= len(answers) * (1 - _BARS[name])
