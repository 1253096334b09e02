"""The report of a plan on one screen: how it stands, why it rests, what came of each phase. Pure.

It has room for the line of the next command below it; all of the report is a command, or a file, away.
"""

import textwrap

from planrail.base.budgets import show_cost, spent
from planrail.base.masking import mask
from planrail.base.wording import clip, plural
from planrail.runs.reporting.phases import DONE, use_of
from planrail.runs.reporting.reports import RESTS, WORDS, PlanReport, list_open, state_of
from planrail.runs.verdicts.judging import count_unread, tell_unread
from planrail.store.journal_lines import render_time

LINES, WIDTH = 22, 80
_WHY = 5  # lines of a reason
_SHORT = 10  # characters of a commit


def render_screen(report: PlanReport, command: str, file: str = "") -> list[str]:
    """At most `LINES` lines of `WIDTH` characters. `command` shows all of it, `file` has it."""
    done = f"{report.done} of {plural(len(report.phases), 'phase')} done"
    claimed = f" ({report.claimed} claimed)" if report.claimed else ""
    used = spent(report.history.spent)
    lines = [" ".join(report.title.split()) or report.path, f"{report.path}: {state_of(report)}, {done}{claimed}"]
    lines.append(f"{plural(len(report.runs), 'run')}, {show_cost(used)}")
    lines += [*_warn(report), *_why(report), ""]
    below = ["", f"all of it: {command}", *([f"in a file: {file}"] if file else [])]
    lines += [*_list_phases(report, LINES - len(lines) - len(below)), *below]
    return [mask(line) if line.endswith((command, file)) else clip(mask(line), WIDTH) for line in lines]


def _warn(report: PlanReport) -> list[str]:
    """What a reader has to know before all else."""
    order = report.runs[0].order if report.runs else None
    warnings = []
    if order is not None and not order.approval:
        warnings.append("not approved: the settings let a plan run without a person's approval")
    if order is not None and order.test_mode in ("skipped", "none"):
        warnings.append("no tests: only the checks of the plan were run")
    waiting = len(list_open(report))
    warnings += [f"waiting for a sign-off: {waiting}"] if waiting else []
    return warnings


def _why(report: PlanReport) -> list[str]:
    if not report.runs or report.runs[0].state not in RESTS:
        return []
    run = report.runs[0]
    at = f"{run.state.replace('_', ' ')}{f' at phase {run.phase}' if run.phase else ''}: "
    told = textwrap.wrap(at + (" ".join(run.text.split()) or "no last word"), WIDTH - 2)
    return ["", *(f"  {line}" for line in told[:_WHY]), *(["  …"] if len(told) > _WHY else [])]


def _list_phases(report: PlanReport, room: int) -> list[str]:
    """A line for each phase; of many those around the first that is not done."""
    rows = [_row(report, name, title) for name, title in report.phases]
    if len(rows) <= room:
        return rows
    room -= 2  # for what is left out, above and below
    names = [name for name, _ in report.phases]
    first = next((at for at, name in enumerate(names) if not report.is_done(name)), len(rows) - 1)
    start = max(0, min(first - room // 2, len(rows) - room))
    above, below = start, len(rows) - start - room
    shown = rows[start : start + room]
    return [
        *([f"  … {above} more above"] if above else []),
        *shown,
        *([f"  … {below} more below"] if below else []),
    ]


def _row(report: PlanReport, name: str, title: str) -> str:
    attempts, fact = [one for one in report.attempts if one.phase == name], report.known.get(name)
    commit = next((one.commit for one in attempts if one.commit), fact.commit if fact is not None else "")
    state = WORDS.get(report.state_of(name), report.state_of(name).replace("_", " "))
    took = render_time(sum(attempt.seconds for attempt in attempts)) if attempts else ""
    tokens = sum(use_of(attempt)[0] for attempt in attempts)
    again = f"{len(attempts)} attempts" if len(attempts) > 1 else ""
    judged = [attempt.verdict for attempt in attempts if attempt.verdict is not None]
    unread = tell_unread(count_unread(judged[-1])) if judged and report.is_done(name) else ""
    told = [state, commit[:_SHORT], again, took, f"{tokens:,} tokens" if tokens else "", unread]
    sign = "✔" if report.state_of(name) in DONE or report.is_done(name) else "○"
    beside = "  ".join(filter(None, told))
    return f"  {sign} {clip(name, 8)}  {clip(' '.join(title.split()), max(12, WIDTH - len(beside) - 16))}  {beside}"
