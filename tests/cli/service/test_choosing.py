"""Which kind fits a machine, and who may install one."""

import pytest

from planrail.approval.channels import ProcessFacts, find_agent
from planrail.base.errors import PlanrailError
from planrail.team.service.choosing import choose_kind
from planrail.team.service.machine import LAUNCHD, SYSTEMD


def test_the_kind_that_fits_is_chosen() -> None:
    assert choose_kind("linux", has_manager=True, is_wsl=False).name == SYSTEMD
    assert choose_kind("darwin", has_manager=False, is_wsl=False).name == LAUNCHD


@pytest.mark.parametrize(("is_wsl", "advised"), [(False, "machinectl shell"), (True, "/etc/wsl.conf")])
def test_where_nothing_keeps_a_service_another_way_is_named(is_wsl: bool, advised: str) -> None:
    with pytest.raises(PlanrailError, match="no systemd") as raised:
        choose_kind("linux", has_manager=False, is_wsl=is_wsl)
    assert advised in raised.value.remedy
    assert "planrail worker --unless-running" in raised.value.remedy


ME = ProcessFacts(9, 8, "planrail", arguments=("python", "-m", "planrail", "service", "install"))
SHELL = ProcessFacts(8, 7, "bash", "/bin/bash", ("bash",))


@pytest.mark.parametrize(
    "above",
    [
        ProcessFacts(7, 1, "claude", "/usr/bin/claude", ("claude",)),
        ProcessFacts(7, 1, "sh", "/bin/sh", ("sh",), markers=("CLAUDECODE",)),
        ProcessFacts(7, 1, "python", "/usr/bin/python3", ("python3", "-P", "-m", "planrail", "worker")),
        ProcessFacts(7, 1, "house-agent", "/opt/house-agent", ("house-agent",)),
    ],
)
def test_what_descends_from_an_agent_is_refused(above: ProcessFacts) -> None:
    refusal = find_agent([ME, SHELL, above], ["house-agent"])
    assert refusal is not None
    assert "process 7" in refusal.reason


def test_a_person_is_not_refused_also_without_a_terminal() -> None:
    assert find_agent([ME, SHELL, ProcessFacts(1, 0, "systemd", "/lib/systemd/systemd", ("/sbin/init",))]) is None
    assert find_agent([]) is None
