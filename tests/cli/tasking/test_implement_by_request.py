"""A task whose plan lands by pull request: it waits for the merge, and for what was merged to be here."""

import json
from pathlib import Path

import pytest

from tests.cli.tasking.task_stage import TaskStage
from tests.forge.conftest import hosted as hosted
from tests.forge.conftest import repository as repository
from tests.forge.conftest import root as root
from tests.forge.conftest import server as server
from tests.support.forge_server import ForgeServer, Hosted

SETTINGS = '[approval]\nrequired = false\n\n[run]\nlanding = "pr"\n'


class ForgeStage(TaskStage):
    """The same in a clone of what a forge has."""

    def __init__(self, root: Path) -> None:
        self.place, self.root, self.starts = root.parent, root, root.parent / "starts.txt"
        self.name_person()
        self.write("planrail.toml", SETTINGS)
        self.write(".gitignore", "reports/\n!specs/**/reports/\n")
        self.commit("settings")
        self.git("push", "--quiet", "origin", "main")


@pytest.fixture
def stage(root: Path, server: ForgeServer) -> TaskStage:
    made = ForgeStage(root)
    made.new("Write the greeting")
    made.plan(1, "one")
    made.git("push", "--quiet", "origin", "main")
    return made


@pytest.mark.soak
def test_a_request_leaves_the_task_open_until_it_is_merged_and_pulled(
    stage: TaskStage, server: ForgeServer, hosted: Hosted
) -> None:
    server.hosted.looks = [{"ci": "failure"}]
    done = stage.task("implement", "1", "--json")
    told = json.loads(done.stdout)
    assert (told["status"], hosted.merges) != ("completed", 1)
    assert stage.artifacts(1, "summary") == []
    server.hosted.looks = [{"ci": "success"}]
    done = stage.task("implement", "1", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["status"], hosted.merges) == (0, "pr_ready", 1), done.stderr
    assert "git pull" in told["command"]
    stage.git("-c", "pull.rebase=false", "pull", "--quiet", "--ff-only", "origin", "main")
    done = stage.task("implement", "1")
    assert done.returncode == 0, done.stderr
    assert stage.status(1) == "completed"
    assert stage.count_starts() == ["one"]
    assert len(stage.artifacts(1, "summary")) == 1
