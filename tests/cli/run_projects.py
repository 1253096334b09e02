"""Projects with runs, for the commands that look at them: made by hand, or by a real run of the runbook agent."""

import json
import os
import subprocess
from pathlib import Path

from planrail.base.run_model import CheckRun, Options, Order, PhaseEnd, PhaseOrder, Work
from planrail.base.values import pack
from planrail.git.trailers import add_trailers
from planrail.store.ledger import open_ledger
from planrail.store.runs.run_facts import add_fact
from planrail.store.runs.run_folders import new_folder
from planrail.store.runs.run_history import EvidenceFact, PhaseFact

PLAN = """# The plan

## Phase 1 — One

- [ ] do one

## Phase 2 — Two

- [ ] do two

## Phase 3 — Three

- [ ] do three
"""


def make_project(folder: Path, plan: str = PLAN) -> Path:
    """A repository with a plan in it, and settings by which plans need no approval."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    (folder / "PLAN.md").write_text(plan, encoding="utf-8")
    (folder / "planrail.toml").write_text("[approval]\nrequired = false\n", encoding="utf-8")
    git = ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@localhost"]
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "begin"], check=True)
    return folder


def make_run(project: Path, began: int, name: str = "run-1") -> str:
    """A run of that plan which has landed phase 1 and has an agent at work on phase 2; its folder."""
    phases = tuple(
        PhaseOrder(n, t, "", (f"do {t.lower()}",), (), (), ()) for n, t in (("1", "One"), ("2", "Two"), ("3", "Three"))
    )
    order = Order(
        name, "PLAN.md", "PLAN.md", str(project), "plan", "The plan", "refs/heads/main", True, "h", phases, Options(),
        began=began,
    )  # fmt: skip
    folder = new_folder(str(project), order, PLAN)
    commit = land(project, "1", "e" * 64)
    _journal(folder, began, commit)
    _facts(project, began, name, commit)
    return folder


def make_agent(folder: str, *events: dict[str, object]) -> str:
    """The folder of the agent of phase 2, with what it did so far."""
    place = Path(folder, "agents", "2-1-implement.1")
    place.mkdir(parents=True)
    (place / "job.json").write_text("{}")
    (place / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    return str(place)


def land(project: Path, phase: str, evidence: str, plan: str = "PLAN.md") -> str:
    """A commit on what is checked out that says it landed a phase; its name."""
    message = add_trailers(f"Phase {phase}", plan, phase, evidence)
    git = ["git", "-C", str(project), "-c", "user.name=t", "-c", "user.email=t@localhost"]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", message], check=True)
    return subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


def _journal(folder: str, began: int, commit: str) -> None:
    steps = [
        ("phase/1/1/implement.1", Work(True, tokens_in=10, tokens_out=5)),
        ("phase/1/1/end", PhaseEnd("1", "landed", commit=commit)),
        ("phase/2/1/start", None),
    ]
    lines: list[dict[str, object]] = []
    for at, (key, result) in enumerate(steps):
        lines.append({"at": began + at, "key": key, "state": "begun"})
        lines.append({"at": began + at + 1, "key": key, "state": "ended", "value": pack(result)})
    lines.append({"at": began + 4, "key": "phase/2/1/implement.1", "state": "begun"})
    Path(folder, "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def _facts(project: Path, began: int, name: str, commit: str) -> None:
    check = CheckRun("make", "tests", 0, "t" * 40, 0, 1.0, "h", "/o")
    with open_ledger(str(project)) as ledger:
        proof = EvidenceFact(name, "1", 1, "t" * 40, "e" * 64, runs=(check,))
        add_fact(ledger, "PLAN.md", proof, key=f"{name}/1", at=began)
        landed = PhaseFact(name, "1", 1, "landed", commit=commit, evidence="e" * 64)
        add_fact(ledger, "PLAN.md", landed, key=f"{name}/1/end", at=began + 2)
        add_fact(ledger, "PLAN.md", PhaseFact(name, "2", 1, "in_progress"), key=f"{name}/2/start", at=began + 3)


def list_files(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file below a folder with its size and time: what a command that only reads leaves as it is."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            stat = os.stat(os.path.join(place, name))
            found[os.path.join(place, name)] = (stat.st_size, stat.st_mtime_ns)
    return found
