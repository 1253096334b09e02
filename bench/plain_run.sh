#!/bin/sh
# The floor of a run: what a careful person's script does for each phase, with no evidence, no proof and no recovery.
# usage: plain_run.sh REPOSITORY PHASES   (each phase writes a file, checks it, and lands on main by cherry-pick)
set -eu
cd "$1"
places=$(mktemp -d)
trap 'rm -rf "$places"' EXIT
phase=1
while [ "$phase" -le "$2" ]; do
    work=$places/work-$phase check=$places/check-$phase land=$places/land-$phase
    git worktree add -q -B "wip/$phase" "$work" main
    (cd "$work" && echo "phase $phase" >"phase-$phase.txt" && git add "phase-$phase.txt" && git commit -q -m "phase $phase" &&
        grep -q "phase $phase" "phase-$phase.txt")
    git worktree add -q --detach "$check" "wip/$phase"
    (cd "$check" && grep -q "phase $phase" "phase-$phase.txt")
    git worktree add -q --detach "$land" main
    (cd "$land" && git cherry-pick "wip/$phase" >/dev/null && grep -q "phase $phase" "phase-$phase.txt")
    git update-ref refs/heads/main "$(git -C "$land" rev-parse HEAD)" "$(git rev-parse main)"
    for place in "$work" "$check" "$land"; do git worktree remove --force "$place"; done
    git branch -q -D "wip/$phase"
    phase=$((phase + 1))
done
