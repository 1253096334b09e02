"""What agents and verifiers cannot even reach where they are confined, and that honest work lands there as ever."""

import json
import subprocess

import pytest

from planrail.confine.backends import BUBBLEWRAP
from tests.claims_refused.stage import HONEST, LIE, PLAN, Stage
from tests.claims_refused.test_outside import _PLANTS
from tests.confine.outside import need
from tests.support.run_traces import find_processes

_KILL_ALL = """for place in /proc/[0-9]*; do
    tr '\\0' '\\n' <"$place/environ" 2>/dev/null | grep -qxF "PLANRAIL_STATE_DIR=$STATE" && kill -9 "${place#/proc/}"
done
"""


@pytest.fixture
def confined(stage: Stage) -> Stage:
    need(BUBBLEWRAP)
    stage.environment["PLANRAIL_CONFINE"] = "required"
    return stage


def _agents(stage: Stage) -> list[tuple[str, str]]:
    told = json.loads(stage.call("report", PLAN, "--json").out)
    return [(agent["policy"], agent["confined"]) for attempt in told["attempts"] for agent in attempt["agents"]]


def test_a_confined_agent_plants_nothing_above_its_workspace_or_elsewhere(confined: Stage) -> None:
    (confined.home / ".bashrc").write_text("true\n")
    climb = (
        f'd=$PWD; while [ "$d" != "{confined.place}" ]; do d=$(dirname "$d"); echo "[pytest]" >"$d/pytest.ini"; done'
    )
    confined.implementer("\n".join((HONEST, climb, *(plant for plant, _ in _PLANTS.values()), "exit 0")))
    confined.landed(confined.run())
    assert _agents(confined) == [("agent", BUBBLEWRAP), ("verifier", BUBBLEWRAP)]
    assert (confined.home / ".bashrc").read_text() == "true\n"
    assert not [*confined.place.rglob("pytest.ini"), *confined.place.rglob("pre-commit"), *confined.home.rglob(".ssh")]
    assert f"Planrail-Confined: {BUBBLEWRAP}\n" in confined.git(
        "log", "-1", "--format=%B", "--grep=Planrail-Evidence: ."
    )


def test_a_confined_agent_sees_no_key_no_login_and_none_of_planrails_records(confined: Stage) -> None:
    for name in (".ssh/id", ".aws/credentials", ".codex/auth.json", ".config/gh/hosts.yml", "notes"):
        (confined.home / name).parent.mkdir(parents=True, exist_ok=True)
        (confined.home / name).write_text("secret\n")
    own = '! -path "$PWD/*" ! -path "$PWD.home/*"'
    look = f'find "$HOME" "$STATE" "$ROOT" -type f {own} ! -path "$ROOT/.git/objects/*" | sed "s,.*/,," >seen.txt'
    confined.implementer(f"{HONEST}\n{look}; exit 0")
    confined.landed(confined.run())
    assert confined.show("seen.txt") == "prompt.md\n"


def test_a_confined_agent_writes_neither_ledger_nor_journal(confined: Stage) -> None:
    rows = (
        """forge row phase '{"state": "landed"}' || true; for f in $(find "$STATE" -type f); do echo x >>"$f"; done"""
    )
    confined.implementer(f'{LIE}\n{rows}\n echo x >"$STATE/ledger"; exit 0')
    confined.refused(confined.run(), "grep -qx hello greeting.txt")
    assert not (confined.state / "ledger").exists()


def test_a_confined_agent_neither_kills_planrail_nor_forges_a_verdict_afterwards(confined: Stage) -> None:
    late = "setsid env -i sh -c 'sleep 3; while :; do echo hello >greeting.txt; sleep 0.1; done' &"
    confined.implementer(f"{late}\n{LIE}\n{_KILL_ALL}\nexit 0")
    answer = confined.run()
    assert answer.code > 0, answer.told  # it was not killed
    confined.refused(answer, "grep -qx hello greeting.txt")
    assert not find_processes(confined.place)


def test_a_confined_verifier_cannot_write_into_its_copy(confined: Stage) -> None:
    was = (confined.cast / "verifier.sh").read_text()
    confined.verifier(f"echo bye >greeting.txt; touch .git/new; echo x >~/own && echo y >/tmp/own\n{was}")
    confined.landed(confined.run())


def test_what_a_confined_agent_puts_in_the_place_of_its_home_is_not_followed(confined: Stage) -> None:
    (confined.home / ".ssh").mkdir()
    swap = 'own="$PWD.home"; mv "$own/home" "$own/was"; ln -s "$HOME/.ssh" "$own/home"'
    confined.implementer(f"{LIE}\n{swap}")
    confined.fixer(f"{HONEST}; echo x >~/planted")
    confined.landed(confined.run())
    assert not list((confined.home / ".ssh").iterdir())


def test_git_works_in_the_workspace_of_a_confined_agent(confined: Stage) -> None:
    _try_git(confined)


def test_git_works_in_a_linked_working_tree_of_a_confined_agent(confined: Stage) -> None:
    confined.settings["run"].append('workspace = "worktree"')
    _try_git(confined)


def _try_git(stage: Stage) -> None:
    hook = 'echo x >"$ROOT/.git/hooks/pre-commit"; git config --file "$ROOT/.git/config" core.editor x'
    stage.implementer(
        f"set -e\n{HONEST}; git status; git add -A; git commit -qm own; git log; git diff HEAD~1\nset +e\n{hook}; exit 0"
    )
    stage.landed(stage.run())
    assert "editor" not in (stage.root / ".git/config").read_text()
    assert not (stage.root / ".git/hooks/pre-commit").exists()
    subprocess.run(["git", "fsck"], cwd=stage.root, check=True, capture_output=True)
