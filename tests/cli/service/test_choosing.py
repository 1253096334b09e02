"""Which kind fits a machine, and who may install one."""

from typing import Any

import pytest

from planrail.approval.channels import ProcessFacts, find_agent
from planrail.base.errors import PlanrailError
from planrail.team.service.choosing import decide_kind
from planrail.team.service.machine import CRON, LAUNCHD, SYSTEMD

Machine = dict[str, Any]


def _linux(**changes: object) -> Machine:
    usual = {"platform": "linux", "has_manager": True, "has_crontab": True, "is_wsl": False, "installed": ""}
    return {**usual, **changes}


@pytest.mark.parametrize(
    ("survey", "wanted", "kind", "noted"),
    [
        (_linux(), None, SYSTEMD, ""),
        (_linux(), CRON, CRON, "systemd"),
        (_linux(has_manager=False), None, CRON, ""),
        (_linux(has_manager=False, is_wsl=True), None, CRON, "WSL"),
        (_linux(platform="darwin", has_manager=False), None, LAUNCHD, ""),
    ],
)
def test_the_kind_that_fits_or_is_wanted_is_chosen(survey: Machine, wanted: str | None, kind: str, noted: str) -> None:
    chosen, notes = decide_kind(**survey, wanted=wanted)
    assert (chosen, noted in " ".join(notes)) == (kind, True)


@pytest.mark.parametrize(
    ("survey", "wanted", "said", "advised"),
    [
        (_linux(has_manager=False), SYSTEMD, "no systemd", "--kind cron"),
        (_linux(), LAUNCHD, "macOS", "planrail service install"),
        (_linux(has_manager=False, has_crontab=False), None, "no cron", "planrail worker"),
        (_linux(has_manager=False, has_crontab=False, is_wsl=True), None, "WSL", "/etc/wsl.conf"),
        (_linux(has_manager=False, is_wsl=True), SYSTEMD, "no systemd", "/etc/wsl.conf"),
        (_linux(installed=SYSTEMD), CRON, "already", "planrail service uninstall"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(
    survey: Machine, wanted: str | None, said: str, advised: str
) -> None:
    with pytest.raises(PlanrailError, match=said) as raised:
        decide_kind(**survey, wanted=wanted)
    assert advised in raised.value.remedy


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
