"""The real Claude Code and Codex under the runner: they outlive planrail, are adopted, and are started once."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from planrail.agents.jobs.job_files import Job, load_mark
from planrail.agents.jobs.runner import ensure, look, stop_job
from planrail.agents.model import Began, Driver
from planrail.agents.processes.trees import tree
from planrail.base.settings.agent_table import AgentSettings
from planrail.base.values import pack
from planrail.testing.agent_conformance import AgentConformance
from planrail.testing.agent_stage import Act, Stage
from planrail.testing.model_server import ModelServer, Script, say
from tests.e2e.agent_stages import ClaudeStage, CodexStage, ModelStage
from tests.support.agent_runner import Kit, RunnerStage

_WAIT = "touch up; while [ ! -e go ]; do sleep 0.05; done; echo grey > heron.txt"


@pytest.fixture(params=[ClaudeStage, CodexStage], ids=["claude", "codex"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ModelStage]:
    with ModelServer(Script()) as server:
        yield request.param(tmp_path, server)


def _job(stage: ModelStage, **more: object) -> Job:
    given = {"permissions": "write", "judge": "workspace", "timeout": 120, "programs": dict(stage.settings().programs)}
    return Job(stage.name, "implementer", "Paint the heron.", str(stage.folder), **{**given, **more})  # type: ignore[arg-type]


def _until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


_PLANRAIL = """
import json, sys
from planrail.agents.jobs.job_files import Job
from planrail.agents.jobs.runner import ensure
from planrail.base.values import unpack
place, job, environment = json.loads(sys.argv[1])
ensure(place, unpack(job), environment).wait()
"""


def test_a_killed_planrail_leaves_the_agent_at_work_and_the_next_one_adopts_it(
    stage: ModelStage, tmp_path: Path
) -> None:
    stage.server.script = Script(stage.use_shell(_WAIT), say("Painted."))
    place, job = str(tmp_path / "jobs" / "1"), _job(stage)
    told = json.dumps([place, pack(job), stage.environment()])
    with subprocess.Popen([sys.executable, "-c", _PLANRAIL, told]) as planrail:
        _until((stage.folder / "up").exists)
        planrail.kill()
    assert look(place) == "running"
    held = ensure(place, job, stage.environment())
    assert held.adopted
    (stage.folder / "go").touch()
    events = list(held.events())
    outcome = held.wait()
    assert (outcome.text, outcome.ok) == ("Painted.", True), outcome.error
    assert sum(isinstance(event, Began) for event in events) == 1
    assert len(stage.server.turns) == 2
    assert (stage.folder / "heron.txt").read_text() == "grey\n"
    assert tree(0, load_mark(place)) == []


def test_when_everything_is_killed_it_is_lost_and_nothing_is_left(stage: ModelStage, tmp_path: Path) -> None:
    stage.server.script = Script(stage.use_shell(_WAIT), say("Painted."))
    place, job = str(tmp_path / "jobs" / "1"), _job(stage)
    held = ensure(place, job, stage.environment())
    _until((stage.folder / "up").exists)
    pid = json.loads((tmp_path / "jobs" / "1" / "runner.json").read_text())["pid"]
    for number in (pid, *(process.pid for process in tree(0, load_mark(place)))):
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, 9)
    assert held.wait().reason == "lost"
    assert ensure(place, job, stage.environment()).was_lost
    assert tree(0, load_mark(place)) == []


def test_a_stop_from_another_terminal_ends_all_of_it(stage: ModelStage, tmp_path: Path) -> None:
    stage.server.script = Script(stage.use_shell(_WAIT), say("Painted."))
    place = str(tmp_path / "jobs" / "1")
    held = ensure(place, _job(stage), stage.environment())
    _until((stage.folder / "up").exists)
    stop_job(place)
    assert held.wait().reason == "stopped"
    assert tree(0, load_mark(place)) == []


def test_a_verifier_reads_and_answers_by_schema(stage: ModelStage, tmp_path: Path) -> None:
    verdict = {"verdict": {"type": "string"}}
    schema = {"type": "object", "properties": verdict, "required": ["verdict"], "additionalProperties": False}
    stage.server.script = Script(stage.use_shell("touch made.txt"), *stage.structure('{"verdict": "done"}'))
    job = _job(stage, permissions="read", judge="read_only", schema=json.dumps(schema))
    outcome = ensure(str(tmp_path / "jobs" / "1"), job, stage.environment()).wait()
    assert outcome.ok, outcome.error
    assert json.loads(outcome.structured) == {"verdict": "done"}
    assert not (stage.folder / "made.txt").exists()


class _Remembering:
    """What the last driver was made from: a missing program, or more variables."""

    def __init__(self, stage: ModelStage) -> None:
        self.inner, self.folder = stage, stage.folder
        self.kit = Kit(stage.name, {}, stage.settings())

    def play(self, *acts: Act, environment: Mapping[str, str] | None = None) -> Driver:
        self.kit = Kit(self.inner.name, {**self.inner.environment(), **(environment or {})}, self.inner.settings())
        return self.inner.play(*acts, environment=environment)

    def miss(self) -> Driver:
        nowhere = AgentSettings({self.inner.name: f"/nowhere/{self.inner.name}"})
        self.kit = Kit(self.inner.name, self.inner.environment(), nowhere)
        return self.inner.miss()

    def heard(self) -> str:
        return self.inner.heard()


@pytest.mark.soak
class TestClaudeUnderTheRunner(AgentConformance):
    @pytest.fixture
    def stage(self, tmp_path: Path) -> Iterator[Stage]:
        with ModelServer(Script()) as server:
            inner = _Remembering(ClaudeStage(tmp_path, server))
            yield RunnerStage(inner, lambda driver: inner.kit, tmp_path / "jobs")


@pytest.mark.soak
class TestCodexUnderTheRunner(AgentConformance):
    @pytest.fixture
    def stage(self, tmp_path: Path) -> Iterator[Stage]:
        with ModelServer(Script()) as server:
            inner = _Remembering(CodexStage(tmp_path, server))
            yield RunnerStage(inner, lambda driver: inner.kit, tmp_path / "jobs")
