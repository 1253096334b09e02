"""The report of a plan: its newest section on top, every attempt with its evidence, and where it all stands. Pure.

It is made of the ledger and the folders of the runs, and can be made again at any time. Secrets of known shapes are
masked.
"""

import datetime
import shlex
from collections.abc import Mapping

from planrail.base.budgets import spent
from planrail.base.masking import mask
from planrail.base.records import record
from planrail.runs.forge.request_places import announce_unpushed
from planrail.runs.reporting.attempts import Attempt, RunPart
from planrail.runs.reporting.phases import DONE, code, inline, render_attempt, short, table, use_of
from planrail.runs.reporting.timelines import Lane, render_bars
from planrail.store.journal_lines import describe_step, name_verifier, render_time, split_key
from planrail.store.runs.run_history import CLAIMED, History, PhaseFact, judge_phases

_STATED_DONE = ("done", "skipped")  # as a document says it
_WORDS = {CLAIMED: "done (claimed)", "told": "done (a commit says so)", "elsewhere": "landed on another branch"}
_WORDS |= {"changed": "proven, and changed since", "pr-ready": "in the pull request"}
_RESTS = ("failed", "stopped", "waiting", "paused", "parked", "interrupted", "declined")


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
    picture: str = ""  # the file beside the report
    pictures: Mapping[str, str] | None = None  # screenshots, as they are found from the report
    workspaces: tuple[str, ...] = ()  # those that are still there
    stated: Mapping[str, str] | None = None  # the states of phases as the document has them
    facts: Mapping[str, PhaseFact] | None = None  # the last word on each phase, held against what is checked out

    @property
    def adopted(self) -> tuple[str, ...]:
        names = [name for run in self.runs for name in run.order.adopted]
        return tuple(dict.fromkeys([*self.history.adopted, *names]))

    def state_of(self, phase: str) -> str:
        """How a phase stands: by evidence, by adoption, by its last attempt, else by what the document says."""
        fact = self._known.get(phase)
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

    def commit_of(self, phase: str) -> str:
        fact = self._known.get(phase)
        return fact.commit if fact is not None else ""

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
    def _known(self) -> Mapping[str, PhaseFact]:
        return judge_phases(self.history.phases, self.history.evidence) if self.facts is None else self.facts


def render_report(report: PlanReport) -> str:
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
        lines += render_attempt(attempt, report.path, report.pictures or {})
    lines += [*_all_phases(report), *_adopted(report), *_timeline(report), *_all_runs(report)]
    return mask("\n".join(lines).rstrip() + "\n")


def mark_of(plan: str) -> str:
    """A comment that says whose report this is: a file that does not say so is somebody else's."""
    return f"<!-- planrail report of {plan.encode('ascii', 'backslashreplace').decode().replace('--', '- -')} -->"


def make_lanes(report: PlanReport) -> list[Lane]:
    """The phases as lanes of a timeline, in the order of the plan."""
    titles = dict(report.phases)
    lanes = []
    for name in dict.fromkeys([*titles, *(attempt.phase for attempt in report.attempts)]):
        steps = [step for attempt in reversed(report.attempts) if attempt.phase == name for step in attempt.steps]
        if steps:
            lanes.append(Lane(f"{name} {titles.get(name, '')}".strip(), report.state_of(name), steps))
    return lanes


def _head(report: PlanReport) -> list[str]:
    used = spent(report.history.spent)
    cost = f"{used.tokens:,} tokens, ${used.money:.2f}" if used.tokens or used.money else "no tokens"
    state = report.runs[0].state.replace("_", " ") if report.runs else "not run"
    lines = [
        f"**Plan:** {code(report.path)} · **Status:** {state}, {_count_done(report)} · "
        f"**Runs:** {len(report.runs)} · **Cost:** {cost} · **As of:** {show_date(report.now)}"
    ]
    return [*lines, *_warnings(report)]


def _count_done(report: PlanReport) -> str:
    claimed = f" ({report.claimed} claimed)" if report.claimed else ""
    return f"{report.done} of {len(report.phases)} phases done{claimed}"


def _warnings(report: PlanReport) -> list[str]:
    """What a reader has to know before anything else."""
    if not report.runs:
        return []
    order, lines = report.runs[0].order, []
    if not order.approval:
        lines.append("> **Not approved.** The settings of this project let a plan run without a person's approval.")
    if order.unpushed:
        lines.append(f"> **Unpushed commits:** {inline(announce_unpushed(order.unpushed), 2000)}")
    if order.test_mode == "skipped":
        lines.append("> **No tests.** The project has no test command; only the checks of the plan were run.")
    return [part for line in lines for part in ("", line)]


def _rest(report: PlanReport) -> list[str]:
    """The newest thing, where a run is at rest and the plan is not complete: what is known, and how to go on."""
    if not report.runs or report.runs[0].state not in _RESTS:
        return []
    run = report.runs[0]
    attempt = _rests_at(report, run)
    at = run.rested or (attempt.ended or attempt.began if attempt is not None else report.now)
    lines = [
        f"## Run {run.state.capitalize()} — {show_date(at)}",
        "",
        f"- **Plan:** {code(report.path)}, run {code(run.order.run)}",
    ]
    word = "Failed" if run.state == "failed" else "Stopped"
    lines += _stopped_at(run, attempt, word)
    lines.append(f"- **{'Error' if run.state == 'failed' else 'Why'}:** {inline(run.text or 'no last word', 2000)}")
    return [*lines, *_state(report, run, attempt), f"- **To resume:** {code(_resume(report, run))}", ""]


def _rests_at(report: PlanReport, run: RunPart) -> Attempt | None:
    """The attempt that a run came to rest in; none where that was a step of the run itself, such as its last look."""
    phase = run.phase or (split_key(run.lines[-1].key)[0] if run.lines else "")
    own = (attempt for attempt in report.attempts if (attempt.run, attempt.phase) == (run.order.run, phase))
    return max(own, key=lambda attempt: attempt.number, default=None)


def _stopped_at(run: RunPart, attempt: Attempt | None, word: str) -> list[str]:
    if attempt is None:
        name = split_key(run.lines[-1].key)[2] if run.lines else ""
        return [f"- **{word} at:** the whole, {describe_step(name)} ({code(name)})"] if name else []
    steps = [step for step in attempt.steps if step.name != "end"]
    step = f", {describe_step(steps[-1].name)} ({code(steps[-1].name)})" if steps else ""
    return [f"- **{word} at:** phase {inline(attempt.phase)}, attempt {attempt.number}{step}"]


def _state(report: PlanReport, run: RunPart, attempt: Attempt | None) -> list[str]:
    landed = [name for name, _ in report.phases if report.state_of(name) in DONE]
    kept, place = "nothing", ""
    if attempt is not None and attempt.workspace is not None and attempt.workspace.path in report.workspaces:
        place = attempt.workspace.path
    if attempt is not None and attempt.snapshot is not None:
        kept = f"{short(attempt.snapshot.commit)} under {code(f'refs/planrail/runs/{run.order.run}/')}"
    return [
        "- **State:**",
        f"  - landed: {', '.join(inline(name) for name in landed) or 'nothing'}",
        f"  - snapshot: {kept}",
        f"  - workspace: {code(place) if place else 'none'}",
    ]


def _resume(report: PlanReport, run: RunPart) -> str:
    """What to type to go on: what the run itself said, unless that only leads here."""
    if run.command and not run.command.startswith("planrail report"):
        return run.command
    verb = "resume" if run.state in ("paused", "parked", "interrupted", "waiting") else "run"
    return f"planrail {verb} {shlex.quote(report.path)}"


def _all_phases(report: PlanReport) -> list[str]:
    rows = []
    for name, title in report.phases:
        attempts = [attempt for attempt in report.attempts if attempt.phase == name]
        commit = next((attempt.commit for attempt in attempts if attempt.commit), report.commit_of(name))
        used = [use_of(attempt) for attempt in attempts]
        rows.append(
            [
                inline(name),
                inline(title),
                _WORDS.get(report.state_of(name), report.state_of(name).replace("_", " ")),
                short(commit),
                str(len(attempts)),
                render_time(sum(attempt.seconds for attempt in attempts)),
                f"{sum(tokens for tokens, _ in used):,}",
                f"${sum(cost for _, cost in used):.2f}",
            ]
        )
    head = ["Phase", "Title", "Status", "Commit", "Attempts", "Time", "Tokens", "Cost"]
    return ["## All Phases", "", *table(head, rows)] if rows else []


def _adopted(report: PlanReport) -> list[str]:
    if not report.adopted:
        return []
    names = ", ".join(inline(name) for name in report.adopted)
    return [
        "## Adopted Phases",
        "",
        f"Done before planrail's first run of this plan, and not verified by it: {names}",
        "",
    ]


def _timeline(report: PlanReport) -> list[str]:
    bars = render_bars(make_lanes(report), report.now)
    if not bars:
        return []
    picture = [f"![Timeline]({report.picture})", ""] if report.picture else []
    return ["## Timeline", "", *picture, *(f"    {line}".rstrip().replace("[ ]", "[·]") for line in bars), ""]


def _all_runs(report: PlanReport) -> list[str]:
    rows = [
        [
            code(run.order.run),
            show_date(run.order.began),
            run.state.replace("_", " "),
            inline(run.order.options.agent),
            inline(_verifier(run)),
            inline(run.order.options.landing),
            inline(run.order.approval or "none"),
        ]
        for run in report.runs
    ]
    head = ["Run", "Began", "State", "Agent", "Verifier", "Landing", "Approval"]
    return ["## Runs", "", *table(head, rows)] if rows else []


def _verifier(run: RunPart) -> str:
    options = run.order.options
    named = name_verifier(options.agent, options.verifier)
    return "the same program, in a process of its own" if named == options.agent else named


def show_date(at: float) -> str:
    return datetime.datetime.fromtimestamp(at, datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
