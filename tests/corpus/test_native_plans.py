"""Plans as coding agents write them, judged by hand before planrail read them: steps, commands, files.

Those under `native/` are our own; the others are public plans of Claude Code, Codex and Gemini, which lie in
`../shared/native_plans` and are skipped where they do not. A step is "#" and the id of a phase, or a part of its title.
`pytest -s` prints the table of docs/benchmarks.md.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from planrail.cli.plans.show_command import describe
from planrail.projects.open_plan import open_plan

_HERE = Path(__file__).parent
_JUDGED = [json.loads(line) for line in (_HERE / "native_plans.jsonl").read_text("utf-8").splitlines()]


def _find(entry: dict[str, Any], shared: Path) -> Path | None:
    path = _HERE / entry["file"] if entry["file"].startswith("native/") else shared / "native_plans" / entry["file"]
    if not path.exists():
        return None
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return path if digest.startswith(entry.get("sha256", "")) else None


def _is_read(step: str, phases: list[dict[str, Any]]) -> bool:
    if step.startswith("#"):
        return any(phase["id"] == step[1:] for phase in phases)
    texts = [text for phase in phases for text in (phase["title"], *(item["text"] for item in phase["items"]))]
    return any(step.replace("`", "") in text.replace("`", "") for text in texts)  # a title has no marks of code


def _score(entry: dict[str, Any], path: Path, folder: Path) -> dict[str, Any]:
    place = folder / path.name  # away from this repository
    place.write_bytes(path.read_bytes())
    shown = describe(open_plan(str(place)))
    taken = {check["command"] for phase in shown["phases"] for check in phase["checks"]}
    files = {file for phase in shown["phases"] for file in phase["files"]} | set(shown["files"])
    return {
        "file": entry["file"],
        "missed": [step for step in entry["steps"] if not _is_read(step, shown["phases"])],
        "phases": len(shown["phases"]),
        "steps": len(entry["steps"]),
        "commands": entry["commands"],
        "untaken": sorted(set(entry["commands"]) - taken),
        "surplus": sorted(taken - set(entry["commands"])),
        "files": entry.get("files", []),
        "unscoped": [file for file in entry.get("files", ()) if not any(one.endswith(file) for one in files)],
    }


@pytest.fixture(scope="module")
def scores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    shared = Path(request.config.rootpath).parent / "shared"
    found = [(entry, path) for entry in _JUDGED if (path := _find(entry, shared)) is not None]
    scored = [_score(entry, path, tmp_path_factory.mktemp("plans")) for entry, path in found]
    for one in scored:
        wrong = [*(f"step {step}" for step in one["missed"]), *(f"not taken {command}" for command in one["untaken"])]
        wrong += [f"surplus {command}" for command in one["surplus"]] + [f"file {file}" for file in one["unscoped"]]
        print(f"{one['file']:48} {one['phases']:3} of {one['steps']:3}  {'; '.join(wrong)}")
    whole = sum(not one["missed"] for one in scored)
    commands, untaken = (sum(len(one[name]) for one in scored) for name in ("commands", "untaken"))
    surplus, files, unscoped = (sum(len(one[name]) for one in scored) for name in ("surplus", "files", "unscoped"))
    print(f"{len(scored)} plans, {whole} with every step; {commands - untaken} of {commands} commands,", end=" ")
    print(f"{surplus} taken that are none; {files - unscoped} of {files} files")
    return scored


def test_nearly_all_plans_are_read_with_every_step(scores: list[dict[str, Any]]) -> None:
    missed = [one["file"] for one in scores if one["missed"]]
    assert len(missed) <= len(scores) * 0.15, missed


def test_nearly_all_commands_are_taken_and_at_most_one_in_fifty_that_is_none(scores: list[dict[str, Any]]) -> None:
    asked, untaken = (sum(len(one[name]) for one in scores) for name in ("commands", "untaken"))
    surplus = [command for one in scores for command in one["surplus"]]
    assert untaken <= asked * 0.15
    assert len(surplus) <= max(1, (asked - untaken) // 50), surplus


def test_the_files_that_a_plan_names_are_its_scope(scores: list[dict[str, Any]]) -> None:
    assert [file for one in scores for file in one["unscoped"]] == []
