"""An account at its usage limit: its plans wait by themselves, those of others do not."""

from pathlib import Path

import pytest

from tests.support.worker_stage import Plan, Size, WorkerStage
from tests.team.conftest import MakeStage
from tests.team.promises import everything_landed, nothing_is_left

_SETTINGS = """
[approval]
required = false

[run]
agent = "command"
verifier = "runbook"
command = "sh '{agent}' {{prompt}}"
account = "{account}"
"""
# It does what the plan says; while a file gives it a number of seconds, it says once that its limit ends then.
_AGENT = """
if read -r seconds 2>/dev/null < '{limit}'; then
    rm '{limit}'
    printf '{{"error": "usage limit", "reason": "limit", "resets_at": %s}}\\n' $(( $(date +%s) + seconds ))
    exit 1
fi
file=$(grep -o 'plan[0-9]*-[0-9]*\\.txt' "$1" | head -n 1)
number=${{file##*-}}
echo "${{file%-*}} ${{number%.txt}}" >> '{starts}'
echo "phase ${{number%.txt}}" > "$file"
"""


class Accounts:
    """Where agents learn that they are at their limit."""

    def __init__(self, folder: Path) -> None:
        self.limit, self.agent, self.starts = folder / "limit", folder / "agent.sh", folder / "starts"
        self.agent.write_text(_AGENT.format(limit=self.limit, starts=self.starts))

    def settings(self, account: str) -> str:
        """Those of a project whose agent needs this account."""
        return _SETTINGS.format(agent=self.agent, account=account)

    def reach_limit(self, seconds: int) -> None:
        """The next agent is at its limit."""
        self.limit.write_text(f"{seconds}\n")

    def give(self, stage: WorkerStage, plan: Plan, account: str) -> None:
        """Another account for a plan's repository."""
        (plan.root / "planrail.toml").write_text(self.settings(account))
        stage.git(plan.root, "commit", "-q", "-a", "-m", "Another account")


@pytest.fixture
def accounts(tmp_path: Path) -> Accounts:
    return Accounts(tmp_path)


def _outcomes(stage: WorkerStage) -> dict[str, str]:
    return {
        path: outcome or state for path, state, outcome in stage.rows("SELECT path, state, outcome FROM submissions")
    }


@pytest.mark.full
def test_a_plan_that_is_parked_goes_on_by_itself(make_stage: MakeStage, database: str, accounts: Accounts) -> None:
    stage = make_stage(Size(plans=1, phases=2), database, settings=accounts.settings("ours"))
    accounts.reach_limit(4)
    stage.submit()
    machine = stage.machine("one")
    machine.start_worker()
    stage.wait_until_done()
    assert "parked" in machine.said
    everything_landed(stage)
    nothing_is_left(stage)
    assert sorted(accounts.starts.read_text().splitlines()) == ["plan0 1", "plan0 2"]


@pytest.mark.soak
def test_an_account_at_its_limit_holds_back_its_own_plans_alone(
    make_stage: MakeStage, database: str, accounts: Accounts
) -> None:
    stage = make_stage(Size(plans=3, phases=1), database, settings=accounts.settings("ours"))
    first, second, other = stage.plans
    accounts.give(stage, other, "theirs")
    accounts.reach_limit(3600)
    stage.submit(plans=[first])
    stage.machine("one").start_worker("--slots", "4")
    stage.wait_for(lambda: _outcomes(stage) == {first.path: "parked"})
    stage.submit(plans=[second, other])
    stage.wait_for(lambda: _outcomes(stage)[other.path] == "complete")
    assert _outcomes(stage)[second.path] == "queued"
    assert accounts.starts.read_text().splitlines() == ["plan2 1"]
    assert stage.rows("SELECT name FROM accounts") == [("ours",)]
