"""The index of all reports: what waits for a person's eye, and where each plan stands. Pure."""

from planrail.base.masking import mask
from planrail.runs.reporting.attempts import Attempt
from planrail.runs.reporting.phases import code, inline, list_boxes, table
from planrail.runs.reporting.reports import PlanReport, show_date

NAME = "PLAN_REPORT.md"
_STALE = 7 * 86_400  # seconds that a box may wait


def render_index(reports: list[tuple[PlanReport, str]], now: float) -> str:
    """The index over reports and the files that they are in; "" where a report is not written yet."""
    waiting = []
    for report, file in reports:
        for attempt, name, thing in list_open(report):
            stale = " **STALE**" if now - (attempt.ended or attempt.began) > _STALE else ""
            waiting.append(f"- [ ] {_link(report.title, file)} **{inline(name)}** — {inline(thing)}{stale}")
    rows = []
    for report, file in reports:
        times = [attempt.ended or attempt.began for attempt in report.attempts]
        count, last = f"{report.done}/{len(report.phases)}", show_date(max(times)) if times else "—"
        rows.append([_link(report.title, file), code(report.path), state_of(report), count, last])
    lines = ["# Plan Reports", "", "## Needs Sign-off", "", *(waiting or ["Nothing."]), ""]
    head = ["Plan", "File", "Status", "Phases", "Last change"]
    lines += ["## Plans", "", *(table(head, rows) or ["None so far.", ""])]
    return mask("\n".join(lines).rstrip() + "\n")


def list_open(report: PlanReport) -> list[tuple[Attempt, str, str]]:
    """The boxes of a plan that nobody has ticked off: of the newest attempt of each phase."""
    newest: dict[str, Attempt] = {}
    for attempt in report.attempts:
        newest.setdefault(attempt.phase, attempt)
    return [
        (attempt, name, thing)
        for attempt in newest.values()
        if not attempt.signed_by
        for name, thing in list_boxes(attempt)
    ]


def state_of(report: PlanReport) -> str:
    return report.runs[0].state.replace("_", " ") if report.runs else "not run"


def _link(title: str, file: str) -> str:
    return f"[{inline(title)}]({file})" if file else inline(title)
