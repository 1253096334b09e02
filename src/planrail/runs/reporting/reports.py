"""The report of a plan: its newest section on top, every attempt with its evidence, and where it all stands. Pure. The
index of all reports: what waits for a person's eye, and where each plan stands. Pure.

It is made of the ledger and the folders of the runs, and can be made again at any time. Secrets of known shapes are
masked.
"""

import datetime
import shlex
from collections.abc import Mapping

from planrail.base.budgets import show_cost, show_money, spent
from planrail.base.masking import mask
from planrail.base.records import record
from planrail.base.wording import plural
from planrail.runs.forge.steps import announce_unpushed
from planrail.runs.reporting.attempts import Attempt, RunPart
from planrail.runs.reporting.phases import DONE, code, inline, list_boxes, render_attempt, short, table, use_of
from planrail.runs.reporting.timelines import Lane, render_bars
from planrail.store.journal_lines import describe_step, name_verifier, render_time, split_key
from planrail.store.runs.run_history import CLAIMED, History, PhaseFact, judge_phases

_STATED_DONE = ("done", "skipped")  # as a document says it
WORDS = {CLAIMED: "done (claimed)", "told": "done (a commit says so)", "elsewhere": "landed on another branch"}
WORDS |= {"changed": "proven, and changed since", "pr-ready": "in the pull request"}
RESTS = ("failed", "stopped", "waiting", "paused", "parked", "interrupted", "declined")


@record
class PlanReport:
    """All that a report is made of. `runs` and `attempts` are the newest first; `phases` are ids with their titles."""

    plan: str
    title: str
    path: str
    phases: tuple[tuple[str, str], ...]
    runs: list[RunPart]
    attempts: list[Attempt]
    history: History
    now: float
    workspaces: tuple[str, ...] = ()  # those that are still there
    stated: Mapping[str, str] | None = None  # the states of phases as the document has them
    facts: Mapping[str, PhaseFact] | None = None  # the last word on each phase, held against what is checked out

    @property
    def adopted(self) -> tuple[str, ...]:
        names = [name for run in self.runs for name in run.order.adopted]
        return tuple(dict.fromkeys([*self.history.adopted, *names]))

    def state_of(self, phase: str) -> str:
        """How a phase stands: by evidence, by adoption, by its last attempt, else by what the document says."""
        fact = self.known.get(phase)
        stated = (self.stated or {}).get(phase, "")
        if fact is not None and fact.state != CLAIMED:
            return fact.state
        if phase in self.adopted and (self.stated is None or stated in _STATED_DONE):
            return "adopted"
        if fact is None and self.facts is None and any(phase in run.order.landed for run in self.runs):
            return "landed"
        if fact is not None or stated == _STATED_DONE[0]:
            return CLAIMED
        return stated or "todo"

    def is_done(self, phase: str) -> bool:
        """Whether nothing is left to do in it; by the document's word alone, where there is no other."""
        state = self.state_of(phase)
        if state in (*DONE, "adopted", "told"):
            return True
        return state != "in_progress" and (self.stated or {}).get(phase, "") in _STATED_DONE

    @property
    def done(self) -> int:
        return sum(self.is_done(name) for name, _ in self.phases)

    @property
    def claimed(self) -> int:
        """How many of them nobody has proven or adopted."""
        return sum(self.is_done(name) and self.state_of(name) not in (*DONE, "adopted") for name, _ in self.phases)

    @property
    def known(self) -> Mapping[str, PhaseFact]:
        return judge_phases(self.history.phases, self.history.evidence) if self.facts is None else self.facts


def render_report(report: PlanReport, picture: str = "", pictures: Mapping[str, str] | None = None) -> str:
    """The whole of it. `picture` is the timeline's file beside the report, `pictures` are those of the screenshots."""
    lines = [
        f"# Plan Report — {inline(report.title)}",
        "",
        mark_of(report.plan),
        "",
        *_head(report),
        "",
        *_rest(report),
    ]
    for attempt in report.attempts:
        lines += render_attempt(attempt, report.path, pictures or {})
    lines += _all_phases(report)
    if report.adopted:
        names = ", ".join(inline(name) for name in report.adopted)
        told = f"Done before planrail's first run of this plan, and not verified by it: {names}"
        lines += ["## Adopted Phases", "", told, ""]
    bars = render_bars(make_lanes(report), report.now)
    if bars:
        shown = [f"![Timeline]({picture})", ""] if picture else []
        told_bars = [f"    {line}".rstrip().replace("[ ]", "[·]") for line in bars]
        lines += ["## Timeline", "", *shown, *told_bars, ""]
    lines += _all_runs(report)
    return mask("\n".join(lines).rstrip() + "\n")


def mark_of(plan: str) -> str:
    """A comment that says which plan's report this is: a file that does not say so is another plan's, or the user's."""
    return f"<!-- planrail report of {plan.encode('ascii', 'backslashreplace').decode().replace('--', '- -')} -->"


def make_lanes(report: PlanReport) -> list[Lane]:
    titles = dict(report.phases)
    lanes = []
    for name in dict.fromkeys([*titles, *(attempt.phase for attempt in report.attempts)]):
        steps = [step for attempt in reversed(report.attempts) if attempt.phase == name for step in attempt.steps]
        if steps:
            lanes.append(Lane(f"{name} {titles.get(name, '')}".strip(), report.state_of(name), steps))
    return lanes


def _head(report: PlanReport) -> list[str]:
    used, state = spent(report.history.spent), report.runs[0].state.replace("_", " ") if report.runs else "not run"
    cost = show_cost(used)
    claimed = f" ({report.claimed} claimed)" if report.claimed else ""
    done = f"{report.done} of {plural(len(report.phases), 'phase')} done{claimed}"
    line = (
        f"**Plan:** {code(report.path)} · **Status:** {state}, {done} · "
        f"**Runs:** {len(report.runs)} · **Cost:** {cost} · **As of:** {show_date(report.now)}"
    )
    lines, order = [line], report.runs[0].order if report.runs else None  # what a reader has to know first
    if order is not None and not order.approval:
        lines += ["", "> **Not approved.** The settings of this project let a plan run without a person's approval."]
    if order is not None and order.unpushed:
        lines += ["", f"> **Unpushed commits:** {inline(announce_unpushed(order.unpushed), 2000)}"]
    if order is not None and order.test_mode in ("skipped", "none"):
        why = "Its settings say so" if order.test_mode == "none" else "The project has no test command"
        lines += ["", f"> **No tests.** {why}; only the checks of the plan were run."]
    return lines


def _rest(report: PlanReport) -> list[str]:
    """The newest thing, where a run is at rest and the plan is not complete: what is known, and how to go on."""
    if not report.runs or report.runs[0].state not in RESTS:
        return []
    run = report.runs[0]
    name = split_key(run.lines[-1].key) if run.lines else ("", 0, "")
    own = [one for one in report.attempts if (one.run, one.phase) == (run.order.run, run.phase or name[0])]
    # none where that was a step of the run itself, such as its last look
    attempt = max(own, key=lambda attempt: attempt.number, default=None)
    at = run.rested or (attempt.ended or attempt.began if attempt is not None else report.now)
    lines = [f"## Run {run.state.capitalize()} — {show_date(at)}", ""]
    lines.append(f"- **Plan:** {code(report.path)}, run {code(run.order.run)}")
    word, why = ("Failed", "Error") if run.state == "failed" else ("Stopped", "Why")
    if attempt is not None:
        steps = [step.name for step in attempt.steps if step.name != "end"]
        step = f", {describe_step(steps[-1])} ({code(steps[-1])})" if steps else ""
        lines.append(f"- **{word} at:** phase {inline(attempt.phase)}, attempt {attempt.number}{step}")
    elif name[2]:
        lines.append(f"- **{word} at:** the whole, {describe_step(name[2])} ({code(name[2])})")
    lines.append(f"- **{why}:** {inline(run.text or 'no last word', 2000)}")
    command = run.command  # what the run itself said, unless that only leads here
    if not command or command.startswith("planrail report"):
        verb = "resume" if run.state in ("paused", "parked", "interrupted", "waiting") else "run"
        command = f"planrail {verb} {shlex.quote(report.path)}"
    landed = [name for name, _ in report.phases if report.state_of(name) in DONE]
    kept, place = "nothing", ""
    if attempt is not None and attempt.workspace is not None and attempt.workspace.path in report.workspaces:
        place = attempt.workspace.path
    if attempt is not None and attempt.snapshot is not None:
        kept = f"{short(attempt.snapshot.commit)} under {code(f'refs/planrail/runs/{run.order.run}/')}"
    lines += ["- **State:**", f"  - landed: {', '.join(inline(name) for name in landed) or 'nothing'}"]
    lines += [f"  - snapshot: {kept}", f"  - workspace: {code(place) if place else 'none'}"]
    return [*lines, f"- **To resume:** {code(command)}", ""]


def _all_phases(report: PlanReport) -> list[str]:
    rows = []
    for name, title in report.phases:
        attempts, fact = [one for one in report.attempts if one.phase == name], report.known.get(name)
        commit = next((one.commit for one in attempts if one.commit), fact.commit if fact is not None else "")
        used = [use_of(attempt) for attempt in attempts]
        state = WORDS.get(report.state_of(name), report.state_of(name).replace("_", " "))
        took = render_time(sum(attempt.seconds for attempt in attempts))
        tokens, cost = sum(tokens for tokens, _ in used), sum(cost for _, cost in used)
        spent_on = (f"{tokens:,}", show_money(cost, tokens))
        rows.append([inline(name), inline(title), state, short(commit), str(len(attempts)), took, *spent_on])
    head = ["Phase", "Title", "Status", "Commit", "Attempts", "Time", "Tokens", "Cost"]
    return ["## All Phases", "", *table(head, rows)] if rows else []


def _all_runs(report: PlanReport) -> list[str]:
    rows = []
    for run in report.runs:
        order, options = run.order, run.order.options
        verifier = name_verifier(options.agent, options.verifier)
        verifier = "the same program, in a process of its own" if verifier == options.agent else verifier
        words = map(inline, (options.agent, verifier, options.landing, order.approval or "none"))
        rows.append([code(order.run), show_date(order.began), run.state.replace("_", " "), *words])
    head = ["Run", "Began", "State", "Agent", "Verifier", "Landing", "Approval"]
    return ["## Runs", "", *table(head, rows)] if rows else []


def show_date(at: float) -> str:
    return datetime.datetime.fromtimestamp(at, datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")


NAME, FOLDER = "PLAN_REPORT.md", "reports"
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
