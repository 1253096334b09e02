"""Remove what no open plan and no report needs any more. Workers do the same by themselves, by [worker] keep.

    planrail prune                    # what is older than [worker] keep days (30)
    planrail prune --before 7d --dry-run

Of a plan that is open nothing goes. Of one that is done what agents and checks printed, and what a run notes for
itself; its report, its approvals and the proofs of its landings stay. Of one whose document is in an archive folder, or
gone, everything goes: facts, runs, and what their agents had begun and never landed.

With --json: {"days", "dry_run", "plans": [{"plan", "path", "what": "trimmed" or "dropped", "facts", "runs", "bytes"}],
"queue": rows of the queue}.
"""

import os
import re
from argparse import ArgumentParser, Namespace

from planrail.approval.book import project_root
from planrail.approval.people.terminals import read_who
from planrail.base.errors import UsageError
from planrail.base.wording import Answer, list_some, pick, plural
from planrail.team.pruning import DROP, Pruned, prune, read_keep

_AGE = re.compile(r"(\d+)([hdw])")
_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0}
_WORDS = {True: "dropped", False: "trimmed"}
_MOST = 20


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--before", metavar="AGE", help="at which nothing happened since: 12h, 30d, 8w ([worker] keep)")
    parser.add_argument("--dry-run", action="store_true", help="say what would go, and remove nothing")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    root = project_root(os.getcwd())
    days = read_keep(root) if arguments.before is None else _read_age(arguments.before)
    if not days and arguments.before is None:
        raise UsageError("[worker] keep is 0: nothing is pruned by age", remedy="planrail prune --before 30d --dry-run")
    pruned, rows = prune(root, days, read_who(os.environ), is_trial=arguments.dry_run)
    told = [{**pick(one, "plan path facts runs bytes"), "what": _WORDS[one.what == DROP]} for one in pruned]
    document = {"days": days, "dry_run": arguments.dry_run, "plans": told, "queue": rows}
    older = f" --before {arguments.before}" if arguments.before else ""
    command = f"planrail prune{older}" if arguments.dry_run and pruned else "planrail list runs"
    return Answer(document, _render(pruned, rows, is_trial=arguments.dry_run), command=command)


def _render(pruned: list[Pruned], rows: int, *, is_trial: bool) -> list[str]:
    would = "would be " if is_trial else ""
    lines = [f"  {_WORDS[one.what == DROP]:<8} {one.path}  {_describe(one)}" for one in pruned]
    facts, size = sum(one.facts for one in pruned), sum(one.bytes for one in pruned)
    queue = f", {plural(rows, 'row')} of the queue" if rows else ""
    said = f"{plural(len(pruned), 'plan')}: {plural(facts, 'fact')}, {_name_size(size)} of files{queue} {would}removed"
    return [*list_some(lines, _MOST), said if pruned or rows else "nothing is old enough and needed by nobody"]


def _describe(one: Pruned) -> str:
    return ", ".join(
        [plural(one.facts, "fact"), *([plural(one.runs, "run")] if one.runs else []), _name_size(one.bytes)]
    )


def _name_size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1000:.1f} kB"


def _read_age(text: str) -> float:
    """Days."""
    found = _AGE.fullmatch(text)
    if found is None:
        raise UsageError(f"{text!r} is no age", remedy="planrail prune --before 30d")
    return int(found[1]) * _DAYS[found[2]]
