"""The table of a plan that says which phases can go on side by side."""

from collections.abc import Sequence

from planrail.tasks.documents.formats import WAVES_LABEL


def wave_table(dependencies: Sequence[Sequence[int]]) -> list[str]:
    """The lines of the table, from the phases that each phase waits for; each of those comes before it."""
    waves: dict[int, list[int]] = {}
    level: dict[int, int] = {}
    for number, needs in enumerate(dependencies, 1):
        level[number] = 1 + max((level[other] for other in needs), default=0)
        waves.setdefault(level[number], []).append(number)
    rows = []
    for wave, members in sorted(waves.items()):
        needs = sorted({other for member in members for other in dependencies[member - 1]})
        rows.append(f"| {wave} | {_numbers(members)} | {_numbers(needs) or '--'} |")
    head = [f"**{WAVES_LABEL}**:", "", "| Wave | Phases | Blocked by |", "|------|--------|------------|"]
    return [*head, *rows, "", "Phases within the same wave can execute in parallel."]


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
