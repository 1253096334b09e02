"""The room of the checks is planrail's own: what others did to it, before or meanwhile, does not count."""

import pytest

from planrail.runs.checks.surroundings import Surroundings
from planrail.store.runs.run_folders import load_order
from tests.claims_refused.stage import HONEST, LIE, Stage
from tests.support.run_traces import find_processes

_TWO_CHECKS = """## Phase 1 — Greet

- [ ] write greeting.txt and go.sh

```sh check
sh go.sh
```
```sh check
sleep 0.611; grep -qx hello greeting.txt; sleep 0.622
```
"""
_GETS_AWAY = """setsid env -i PATH=/usr/bin:/bin sh -c '
for turn in $(seq 400); do
  pgrep -f "^sleep 0.611" > /dev/null && echo hello > greeting.txt
  pgrep -f "^sleep 0.622" > /dev/null && echo bye > greeting.txt
  sleep 0.02
done' > /dev/null 2>&1 &
sleep 0.5
test -s greeting.txt
"""
_ROOM = 'room="$(echo "$STATE"/rooms/*/room)"; test -d "$room" || exit 3'


def test_a_room_that_the_agent_edits_is_put_back(stage: Stage) -> None:
    stage.implementer(f'{LIE}; {_ROOM}; echo hello > "$room/greeting.txt"')
    stage.refused(stage.run(), "grep -qx hello greeting.txt")


def test_what_the_agent_plants_in_the_room_is_gone(stage: Stage) -> None:
    stage.phase("## Phase 1 — Greet\n\n- [ ] write greeting.txt\n\n```sh check\ngrep -qx yes planted/proof\n```\n")
    stage.implementer(f'{LIE}; {_ROOM}; mkdir "$room/planted"; echo yes > "$room/planted/proof"')
    stage.refused(stage.run(), "planted/proof")


def test_a_tracked_file_of_the_room_that_git_is_told_to_overlook_is_put_back(stage: Stage) -> None:
    stage.files["look.sh"] = "grep -qx hello greeting.txt\n"
    stage.phase("## Phase 1 — Greet\n\n- [ ] write greeting.txt\n\n```sh check\nsh look.sh\n```\n")
    stage.implementer(
        f"""{LIE}; {_ROOM}
echo 'exit 0' > "$room/look.sh"
export GIT_INDEX_FILE="$RUN/index-room" GIT_DIR="$ROOT/.git" GIT_WORK_TREE="$room"
git update-index --assume-unchanged look.sh || exit 3
"""
    )
    stage.refused(stage.run(), "look.sh")


@pytest.mark.full
def test_an_index_of_the_room_that_says_skip_is_not_believed(stage: Stage) -> None:
    stage.files["look.sh"] = "grep -qx hello greeting.txt\n"
    stage.phase("## Phase 1 — Greet\n\n- [ ] write greeting.txt\n\n```sh check\nsh look.sh\n```\n")
    stage.implementer(
        f"""{LIE}; {_ROOM}
echo 'exit 0' > "$room/look.sh"
export GIT_INDEX_FILE="$RUN/index-room" GIT_DIR="$ROOT/.git" GIT_WORK_TREE="$room"
git update-index --skip-worktree look.sh || exit 3
"""
    )
    stage.refused(stage.run(), "look.sh")


@pytest.mark.full
def test_packages_of_the_room_that_were_changed_are_made_anew(stage: Stage) -> None:
    stage.settings["run"] += [
        "provision = \"mkdir -p tools && printf 'exec grep -qx hello greeting.txt' > tools/check\""
    ]
    stage.phase("## Phase 1 — Greet\n\n- [ ] write greeting.txt\n\n```sh check\nsh tools/check\n```\n")
    stage.files[".gitignore"] = "tools/\n"
    stage.implementer(f'{LIE}; {_ROOM}; echo "exit 0" > "$room/tools/check"; echo "exit 0" > tools/check')
    stage.refused(stage.run(), "tools/check")


def test_programs_that_are_planted_in_the_rooms_environment_are_not_run(stage: Stage) -> None:
    stage.settings["run"] += ['provision = "mkdir -p .venv/bin"']
    stage.files |= {".gitignore": ".venv/\n", "requirements.txt": ""}
    stage.implementer(f"""{LIE}; {_ROOM}
for place in .venv/bin "$room/.venv/bin"; do
  mkdir -p "$place"; printf '#!/bin/sh\\nexit 0\\n' > "$place/grep"; chmod +x "$place/grep"
done""")
    stage.refused(stage.run(), "grep -qx hello greeting.txt")


def test_a_record_of_the_rooms_programs_that_was_forged_is_not_used(stage: Stage) -> None:
    stage.implementer(f"""{LIE}
mkdir -p "$CAST/bin"; printf '#!/bin/sh\\nexit 0\\n' > "$CAST/bin/grep"; chmod +x "$CAST/bin/grep"
base=$(git -C "$ROOT" rev-parse main)
printf '{{"base": "%s", "paths": [], "what": "", "programs": ["%s"]}}' "$base" "$CAST/bin" > "$RUN/index-room.made"
kill -9 "$(ps -o ppid= -p $PPID | tr -d ' ')"
""")
    stage.run()
    stage.refused(stage.call("resume"), "grep -qx hello greeting.txt")


def test_a_record_of_the_surroundings_that_was_forged_is_not_used(stage: Stage) -> None:
    """A whole record, as planrail would write it, of another PATH."""
    stage.implementer(f"""{LIE}
mkdir -p "$CAST/bin"; printf '#!/bin/sh\\nexit 0\\n' > "$CAST/bin/grep"; chmod +x "$CAST/bin/grep"
kill -9 "$(ps -o ppid= -p $PPID | tr -d ' ')"
""")
    stage.run()
    record = stage.run_folder / "surroundings.json"
    record.unlink()
    path = f"{stage.cast / 'bin'}:{stage.environment['PATH']}"
    order = load_order(str(stage.run_folder))
    given = {**stage.environment, "PATH": path}
    Surroundings(str(stage.root), given, str(record), lambda hash: True, order.check_folder).judge()
    stage.refused(stage.call("resume"), "what checks depend on was changed")


@pytest.mark.full
def test_a_daemon_that_the_agent_leaves_behind_does_not_outlive_it(stage: Stage) -> None:
    stage.implementer(f"""{LIE}; {_ROOM}
env -i PATH="$PATH" setsid sh -c 'while sleep 0.01; do echo hello > "$0/greeting.txt"; done' "$room" </dev/null >/dev/null 2>&1 &
env -i PATH="$PATH" setsid sh -c '(setsid sh -c "while sleep 0.01; do echo hello > $0/greeting.txt; done" &)' "$room" </dev/null >/dev/null 2>&1 &
sleep 0.1""")
    stage.refused(stage.run(), "grep -qx hello greeting.txt")


def test_work_that_a_daemon_would_do_after_the_snapshot_is_not_in_it(stage: Stage) -> None:
    stage.implementer(
        f"{LIE}; setsid sh -c 'sleep 0.7; echo hello > greeting.txt' >/dev/null 2>&1 & echo bye > greeting.txt"
    )
    stage.refused(stage.run(), "grep -qx hello greeting.txt")


def test_what_a_check_printed_cannot_be_written_by_others(stage: Stage) -> None:
    stage.implementer(f"""{LIE}
mkdir -p "$RUN/output/1-1"; for name in base work; do mkdir -p "$RUN/output/1-1/$name"; echo '5 passed' > "$RUN/output/1-1/$name/01.log"; done""")
    stage.refused(stage.run())


def test_a_check_that_writes_its_own_result_has_not_judged_the_work(stage: Stage) -> None:
    stage.phase(
        "## Phase 1 — Greet\n\n- [ ] write greeting.txt\n\n```sh check\nsh make-it-so.sh\n```\n```sh check\ngrep -qx hello greeting.txt\n```\n"
    )
    stage.implementer(f"{LIE}; echo 'echo hello > greeting.txt' > make-it-so.sh")
    stage.refused(stage.run(), "changed the files that it judges")


@pytest.mark.full
def test_a_check_that_deletes_its_own_test_has_not_judged_the_work(stage: Stage) -> None:
    stage.files["look.sh"] = "grep -qx hello greeting.txt\n"
    stage.phase("## Phase 1 — Greet\n\n- [ ] write greeting.txt\n- [ ] write go.sh\n\n```sh check\nsh go.sh\n```\n")
    stage.implementer(f"{LIE}; echo 'rm look.sh; ! test -e look.sh || sh look.sh' > go.sh")
    stage.refused(stage.run(), "changed the files that it judges")


def test_a_process_that_a_check_leaves_behind_does_not_touch_the_next_one(stage: Stage) -> None:
    stage.phase(_TWO_CHECKS)
    stage.implementer(
        f"{LIE}; echo '(while sleep 0.01; do echo hello > greeting.txt; done) > /dev/null 2>&1 &' > go.sh"
    )
    stage.refused(stage.run(), "grep -qx hello greeting.txt")


def test_a_process_that_gets_away_from_a_check_does_not_touch_the_next_one(stage: Stage) -> None:
    """It leaves its session and forgets its environment, to put the file right while the second check looks."""
    stage.phase(_TWO_CHECKS)
    stage.implementer(f"{LIE}; cat > go.sh <<'GO'\n{_GETS_AWAY}GO")
    stage.refused(stage.run(), "grep -qx hello greeting.txt")


@pytest.mark.full
def test_a_process_that_gets_away_from_a_killed_runner_is_found(stage: Stage) -> None:
    stage.implementer(f"""{LIE}
test -e "$CAST/second" || {{
  touch "$CAST/second"
  env -i PATH="$PATH" setsid sh -c 'while sleep 0.05; do date > "$0/alive"; done' "$CAST" </dev/null >/dev/null 2>&1 &
  sleep 0.3; kill -9 "$PPID"; sleep 5
}}""")
    stage.refused(stage.run(), "grep -qx hello greeting.txt")
    assert (stage.cast / "alive").exists()
    assert find_processes(stage.place) == {}


def test_evidence_of_an_earlier_tree_is_not_used_for_a_later_one(stage: Stage) -> None:
    """The first work is right but for the verdict; the fixer breaks it."""
    stage.implementer(HONEST)
    stage.answer({"id": "W1", "text": "", "verdict": "failed", "places": [], "note": "say it nicer"})
    stage.fixer(f"{LIE}; echo 'the checks had passed before'")
    stage.refused(stage.run(), "grep -qx hello greeting.txt")


def test_work_that_passes_apart_and_fails_on_the_target_does_not_land(stage: Stage) -> None:
    """Somebody else's commit on the target breaks what was proven on the base."""
    stage.files["limit"] = "5\n"
    stage.phase(
        "## Phase 1 — Greet\n\n- [ ] write greeting.txt\n\n```sh check\ngrep -qx hello greeting.txt && grep -qx 5 limit\n```\n"
    )
    stage.implementer(f'{HONEST}; echo 6 > "$ROOT/limit"; git -C "$ROOT" commit -qam "Raise the limit"')
    answer = stage.run()
    assert answer.code == 1, answer.told
    assert "on the candidate" in answer.told
    assert stage.show("greeting.txt") is None


def test_a_check_that_runs_the_works_own_code_can_be_fooled_by_it_and_that_is_not_withstood(stage: Stage) -> None:
    """A check is worth what it runs: here the work puts itself right while it is looked at, and back afterwards."""
    check = "sh first.sh && grep -qx hello greeting.txt && sh last.sh"
    stage.phase(f"## Phase 1 — Greet\n\n- [ ] write greeting.txt\n\n```sh check\n{check}\n```\n")
    stage.implementer(f"{LIE}; echo 'echo hello > greeting.txt' > first.sh; echo 'echo bye > greeting.txt' > last.sh")
    assert stage.run().code == 0
    assert stage.show("greeting.txt") == "bye\n"
