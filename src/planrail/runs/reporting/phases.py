"""The section of one attempt in a report: what it did, what proves it, what speaks against it. Pure."""

import re
from collections.abc import Mapping

from planrail.base.budgets import Spent, show_cost
from planrail.base.run_model import CheckRun
from planrail.base.visible import show_code, show_line, show_text
from planrail.base.wording import name_some
from planrail.runs.phases.viewpoints import Viewpoint, list_viewpoints
from planrail.runs.reporting.attempts import Attempt
from planrail.store.journal_lines import render_time

_SPACE = re.compile(r"\s+")
_CODE = re.compile(r"`[^`]+`")
_SIGNS = re.compile(r"([\\`*_\[\]<>|#~])")
_RUNS = re.compile("`+")

DONE = ("landed", "done", "merged")
_SHORT = 10  # characters of a hash
_NOTES = {
    "proves_nothing": "proves nothing",
    "check_failed": "check failed",
    "baseline_failure": "failed before as well",
    "tests_weakened": "tests were weakened",
}


def inline(text: str, most: int = 400) -> str:
    """A text on one line, in which no sign means anything: no box, no table, no link, no HTML."""
    seen = _CODE.sub(lambda found: show_code(" ".join(found[0].split("\n"))), text)
    line = show_line(_SPACE.sub(" ", seen).strip())
    line = line if len(line) <= most else line[: most - 1] + "…"
    return _SIGNS.sub(r"\\\1", line)


def code(text: str, most: int = 200) -> str:
    """A text as code on one line; inside a table a bar would end its cell."""
    line = show_code(" ".join(re.split(r"[ \t\r\n]+", text.strip()))).replace("[ ]", "[·]")
    line = line if len(line) <= most else line[: most - 1] + "…"
    fence = "`" * (max((len(run) for run in _RUNS.findall(line)), default=0) + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{space}{line.replace('|', chr(92) + '|')}{space}{fence}" if line else ""


def block(text: str) -> list[str]:
    """The last lines of a text, indented as code: that needs no fence that the text could close."""
    lines = show_text(text.rstrip()).split("\n")[-20:]
    return ["    " + line.replace("[ ]", "[·]") for line in lines] if text.strip() else []


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """A table, and a blank line after it; nothing where there are no rows."""
    if not rows:
        return []
    return [*(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)), ""]


def render_attempt(attempt: Attempt, path: str, pictures: Mapping[str, str]) -> list[str]:
    """The lines of one attempt; `pictures` says where in the report's folder each picture is."""
    mark = "" if attempt.state in DONE else " [not finished]"
    head = f"## Phase — {inline(attempt.phase)} {inline(attempt.title)}".rstrip() + mark
    parts = (_work_items(attempt), _verification(attempt), _drift(attempt), _sign_off(attempt, pictures))
    return [head, "", *_facts(attempt, path), "", *(line for part in parts for line in part)]


def describe_state(attempt: Attempt) -> str:
    words = {"claimed": "claimed to be done, without evidence", "in_progress": "in progress"}
    state = words.get(attempt.state, attempt.state.replace("_", " "))
    return f"{state} ({attempt.reason.replace('_', ' ')})" if attempt.reason else state


def use_of(attempt: Attempt) -> tuple[int, float]:
    works = [work for _, work in attempt.works]
    return sum(work.tokens_in + work.tokens_out for work in works), sum(work.cost for work in works)


def short(name: str) -> str:
    return code(name[:_SHORT]) if name else "—"


def _facts(attempt: Attempt, path: str) -> list[str]:
    where = "in a session" if attempt.by == "session" else f"run {code(attempt.run)}"
    lines = [
        f"- **Plan:** {code(path)}, {where}, attempt {attempt.number}",
        f"- **Status:** {describe_state(attempt)}",
        f"- **Commits:** {short(attempt.commit)}",
    ]
    if (landing := attempt.landing) is not None:
        told = landing.message or landing.state
        lines[-1] += " — " + inline(told if landing.url in told else f"{told} {landing.url}")
    if attempt.text and (attempt.landing is None or attempt.text != attempt.landing.message):
        lines.append(f"- **Said at the end:** {inline(attempt.text)}")
    if attempt.baseline is not None and (attempt.baseline.provisioned or attempt.baseline.problem):
        lines.append(f"- **Environment:** {inline(attempt.baseline.problem or attempt.baseline.provisioned)}")
    if attempt.workspace is not None and attempt.workspace.told:
        lines.append(f"- **Began:** {inline(attempt.workspace.told)}")
    if attempt.snapshot is not None:
        names = ", ".join(code(name, 80) for name in attempt.snapshot.paths[:12])
        more = f" and {len(attempt.snapshot.paths) - 12} more" if len(attempt.snapshot.paths) > 12 else ""
        lines.append(f"- **Changed:** {names or 'nothing'}{more}, on base {short(attempt.snapshot.base)}")
    if held := [f"{step}: {work.confined}" for step, work in attempt.works if work.confined]:
        lines.append(f"- **Agents confined:** {inline('; '.join(held))}")
    tokens, cost = use_of(attempt)
    told = show_cost(Spent(cost, tokens))
    parts = []
    for step, work in attempt.works if tokens else ():
        kind, _, number = step.partition(".")
        role = f"{kind} {number}" if number not in ("", "1") else kind
        parts.append(f"{role} {work.tokens_in + work.tokens_out:,} in {render_time(work.seconds)}")
    lines.append(f"- **Cost:** {told}" + (f" ({'; '.join(parts)})" if parts else ""))
    beside = [f"{step.partition('.')[0]} {work.overhead:,}" for step, work in attempt.works if work.overhead]
    lines += [f"- **Told beside the phase:** about {name_some(beside)} tokens"] if beside else []
    return [*lines, f"- **Time:** {render_time(attempt.seconds)}"] if attempt.seconds else lines


def _work_items(attempt: Attempt) -> list[str]:
    said = {item.item: item for item in attempt.verdict.items} if attempt.verdict is not None else {}
    wanted = [*attempt.order.items, *attempt.order.criteria] if attempt.order is not None else []
    names = list(dict.fromkeys([*wanted, *said]))
    rows = []
    for at, name in enumerate(names, 1):
        word = said.get(name)
        verdict, place, note = (word.verdict, word.place, word.note) if word is not None else ("not verified", "", "")
        rows.append([str(at), inline(name), inline(verdict), code(place), inline(note)])
    return ["### Work Items", "", *table(["#", "Item", "Verdict", "Place", "Note"], rows)] if rows else []


def _verification(attempt: Attempt) -> list[str]:
    lines = ["### Verification", ""]
    verdict, evidence = attempt.verdict, attempt.evidence
    if verdict is not None:
        lines += [f"{'Passed' if verdict.passed else 'Refused'} by {inline(verdict.by)}.", ""]
        lines += [*(f"- {inline(problem)}" for problem in verdict.problems), *([""] if verdict.problems else [])]
    if evidence is not None:
        named = f"Evidence {code(attempt.evidence_hash[:_SHORT])} on" if attempt.evidence_hash else "Checks on"
        base = {run.command: f"exit {_exit(run)}" for run in attempt.baseline.runs} if attempt.baseline else {}
        rows = []
        for run in evidence.runs:
            told = [code(run.command), inline(run.origin), _exit(run), f"{run.seconds:.1f}", short(run.tree)]
            rows.append([*told, base.get(run.command, "not run")])
        head = ["Command", "From", "Exit", "Seconds", "Tree", "On the base"]
        lines += [f"{named} tree {short(evidence.tree)}:", "", *(table(head, rows) or ["No check was run.", ""])]
        if held := dict.fromkeys(run.confined for run in evidence.runs if run.confined):
            lines += [f"Checks confined: {inline('; '.join(held))}.", ""]
        for run in evidence.runs:
            if run.exit and run.tail.strip():
                lines += [f"The end of what {code(run.command, 80)} said:", "", *block(run.tail), ""]
    if verdict is None and evidence is None:
        lines += ["Nothing was verified.", ""]
    if attempt.proof is not None and not attempt.proof.ok:
        lines += ["The proof of the commit failed:", "", *(f"- {inline(text)}" for text in attempt.proof.problems), ""]
    return lines + _findings(attempt)


def _exit(run: CheckRun) -> str:
    return "out of time" if run.exit < 0 else str(run.exit)


def _findings(attempt: Attempt) -> list[str]:
    if not attempt.findings:
        return []
    lines = ["### Findings", ""]
    for finding in attempt.findings:
        kind = _NOTES.get(finding.kind, finding.kind.replace("_", " "))
        place = f" ({code(finding.place)})" if finding.place else ""
        head = "Failure" if finding.is_failure else "Note"
        lines.append(f"- **{head}, {inline(kind)}:** {inline(finding.text)}{place}")
    return [*lines, ""]


def _drift(attempt: Attempt) -> list[str]:
    drift = attempt.drift
    if drift is None or not (drift.records or drift.notes or drift.abort):
        return []
    rows = [[str(one.bullet), *map(inline, (one.field, one.stated, one.actual))] for one in drift.records]
    lines = ["### Drift", "", *table(["Bullet", "Field", "The plan says", "It is"], rows)]
    lines += [f"- {inline(note)}" for note in drift.notes]
    lines += [f"- **Stopped:** {inline(drift.abort)}"] if drift.abort else []
    return [*lines, ""]


def list_boxes(attempt: Attempt) -> list[tuple[str, str]]:
    """What a person has to look at, with ids that stay the same when the report is written anew."""
    is_awaited = attempt.view is None or attempt.view.is_awaited
    return [(point.id, point.text) for point in _viewpoints(attempt)] if is_awaited else []


def _viewpoints(attempt: Attempt) -> list[Viewpoint]:
    order = attempt.order
    if order is None or attempt.evidence is None or attempt.evidence.failures:
        return []
    return list_viewpoints(order, attempt.view) if order.is_ui or attempt.view is not None else []


def _sign_off(attempt: Attempt, pictures: Mapping[str, str]) -> list[str]:
    """Each thing with its picture. Where nobody was waited for there are no boxes that a person could forget."""
    points, view = _viewpoints(attempt), attempt.view
    if not points:
        return []
    lines = ["### User Sign-off", ""]
    if view is not None and not view.is_awaited:
        lines += ["Nobody was waited for: the settings of this project say so (`[ui] sign_off = false`).", ""]
    lines += [f"Signed off by {inline(attempt.signed_by)}.", ""] if attempt.signed_by else []
    if view is not None and not view.pictures:
        lines += ["**Nobody has taken pictures.** The findings say why; look at the running program.", ""]
    box = "" if view is not None and not view.is_awaited else f"[{'x' if attempt.signed_by else ' '}] "
    for point in points:
        where = "the picture" if point.picture else "the pictures of this phase, or at the running program"
        lines += [f"- {box}**{inline(point.id)}** — {inline(point.text)}", f"  1. Look at {where}."]
        lines.append("  2. Compare with the line above.")
        if point.picture in pictures:
            lines += ["", f"  ![{inline(point.id)}]({pictures[point.picture]})", ""]
    return [*lines, ""]
