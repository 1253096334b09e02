"""Every kind of row in `cases/execution.jsonl` is read by a test, or told here with the reason why none reads it."""

import json
from pathlib import Path

import pytest

_TESTS = Path(__file__).parents[1]
_CASES = _TESTS.parents[1] / "shared" / "cases" / "execution.jsonl"
_JOBS = "jobs of a session that poll; here schedules are rows, and a plan has one live run"
_MARKERS = "files between the steps of a prompt; here the steps are a program, with a journal"
_FOLDERS = "names and codes of scripts around worktrees; planrail makes workspaces of its own"
_CLAIMS = "claims as folders without an owner's process; `planrail claim` is tested by what it promises"
_NOT_READ = {
    **dict.fromkeys(("cron_fire", "defer_backoff", "final_verify_backoff", "inflight", "inflight_clear"), _JOBS),
    **dict.fromkeys(
        ("reentry_case", "next_phase_after_landing", "land_now", "landed_status", "tracking_gate"), _MARKERS
    ),
    **dict.fromkeys(("pipeline_id", "worktree_path", "worktree_rc", "land_phase_cleanup"), _FOLDERS),
    **dict.fromkeys(("claim", "claim_caller", "claim_issue", "claim_race"), _CLAIMS),
    **dict.fromkeys(("tally_check", "verify_response"), "what an agent says of its tests; planrail runs the checks"),
    "link_artifact": "a link spliced into TODO.md; that file is generated",
    "tracker_write": "cells as a prompt wants them written; planrail writes a status as the document spells it",
    "pr_preflight": "requests of others below a folder; planrail compares the very files, see tests/forge/test_meeting.py",
}


@pytest.mark.skipif(not _CASES.is_file(), reason="the cases are not here")
def test_every_kind_of_case_is_read_or_its_absence_is_explained() -> None:
    kinds = {json.loads(line)["kind"] for line in _CASES.read_text("utf-8").splitlines()}
    others = [path for path in _TESTS.rglob("test_*.py") if path != Path(__file__)]
    texts = [text for text in (path.read_text("utf-8") for path in others) if "execution.jsonl" in text]
    read = {kind for kind in kinds if any(f'"{kind}"' in text for text in texts)}
    assert kinds - read == set(_NOT_READ)
