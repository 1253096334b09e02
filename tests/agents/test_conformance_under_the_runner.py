"""The same promises, kept by agents that run in a process which outlives us."""

from pathlib import Path

import pytest

from planrail.testing.agent_conformance import AgentConformance, SchemaConformance
from planrail.testing.agent_stage import Stage
from tests.agents.acp_stage import AcpStage
from tests.agents.command_stage import CommandStage
from tests.agents.scripted_stage import ScriptedStage
from tests.support.agent_runner import RunnerStage


class TestScriptedUnderTheRunner(AgentConformance):
    @pytest.fixture
    def stage(self, tmp_path: Path) -> Stage:
        inner = ScriptedStage(tmp_path)
        return RunnerStage(inner, inner.kit, tmp_path / "jobs")


class TestAcpUnderTheRunner(AgentConformance):
    @pytest.fixture
    def stage(self, tmp_path: Path) -> Stage:
        inner = AcpStage(tmp_path)
        return RunnerStage(inner, inner.kit, tmp_path / "jobs")


class TestCommandUnderTheRunner(SchemaConformance):
    @pytest.fixture
    def stage(self, tmp_path: Path) -> Stage:
        inner = CommandStage(tmp_path)
        return RunnerStage(inner, inner.kit, tmp_path / "jobs")
