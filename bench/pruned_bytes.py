"""What 200 runs of one phase leave, and what of it is left when they are pruned: embedded, and with a team's database.

All plans are of one repository, and done. They are pruned twice: while their documents are there, and without them.
"""

import os
import subprocess
import sys

import psycopg
from worker_stage import PHASE, SECONDS, Stage, durable_server, make_repository

PLANS = 200
_SUBMIT_ALL = """
import sys
from planrail.cli.main import main
for path in sys.argv[1:]:
    if code := main(["run", path, "finish", "auto", "--submit"]):
        sys.exit(f"{path}: {code}")
"""
_TABLES = ("facts", "texts", "steps", "runs", "submissions")


def measure_pruning(folder: str) -> str:
    """A table for both kinds of storage."""
    lines = _measure(Stage(f"{folder}/embedded"))
    with durable_server() as server, server.fresh_database() as url:
        lines += _measure(Stage(f"{folder}/team", url))
    return "\n".join(lines)


def _measure(stage: Stage) -> list[str]:
    os.makedirs(stage.folder)
    place = make_repository(f"{stage.folder}/project", 1)
    paths = [f"plans/{number}.md" for number in range(PLANS)]
    os.makedirs(f"{place}/plans")
    for number, path in enumerate(paths):
        with open(f"{place}/{path}", "w", encoding="utf-8") as file:
            file.write(f"# Plan {number}\n" + PHASE.format(1, "").replace("phase-1.txt", f"file-{number}.txt"))
    _git(place, "add", ".")
    _git(place, "commit", "-q", "-m", "Plans")
    _run(stage, place, "-c", _SUBMIT_ALL, *paths)
    _run(stage, place, "-m", "planrail", "worker", "--once", "--slots", "2")
    title = "PostgreSQL" if stage.url else "embedded"
    lines = [f"{f'{PLANS} runs of one phase, {title}':<44}{'bytes':>12}{'on disk':>12}{'files':>8}   rows"]
    lines.append(_tell("  when they have ended", stage))
    stage.planrail(place, "prune", "--before", "0h")
    lines.append(_tell("  pruned, the plans are there", stage))
    _git(place, "rm", "-rq", "plans")
    _git(place, "commit", "-q", "-m", "Archive")
    stage.planrail(place, "prune", "--before", "0h")
    return [*lines, _tell("  pruned, the plans are archived", stage), ""]


def _tell(title: str, stage: Stage) -> str:
    files = [os.path.join(at, name) for at, _, names in os.walk(f"{stage.folder}/state/ledgers") for name in names]
    size, blocks = sum(map(os.path.getsize, files)), sum(512 * os.lstat(file).st_blocks for file in files)
    rows, count = "", len(files)
    if stage.url:
        with psycopg.connect(stage.url, autocommit=True) as link:
            link.execute("VACUUM")
            kept = [
                (name, link.execute(f"SELECT count(*) FROM planrail.{name}".encode()).fetchone()) for name in _TABLES
            ]
            asked = "SELECT sum(pg_total_relation_size(relid)) FROM pg_stat_user_tables WHERE schemaname = 'planrail'"
            size += int((link.execute(asked).fetchone() or (0,))[0])
        rows = ", ".join(f"{found[0] if found else 0} {name}" for name, found in kept)
    return f"{title:<44}{size:>12,}{blocks:>12,}{count:>8}   {rows}"


def _git(place: str, *words: str) -> None:
    subprocess.run(["git", *words], cwd=place, check=True)


def _run(stage: Stage, place: str, *words: str) -> None:
    with open(f"{stage.folder}/worker.log", "ab") as log:
        done = subprocess.run(
            [sys.executable, *words], cwd=place, env=stage.environment(), stdout=log, stderr=log, timeout=SECONDS
        )
    if done.returncode:
        raise SystemExit(f"bench: planrail in {place} failed: see {stage.folder}/worker.log")
