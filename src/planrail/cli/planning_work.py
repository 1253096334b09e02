"""Carrying out a headless planning, from wherever it stands to its end: used by `plan` and by `refine`."""

import contextlib
import os
import signal
import time

from planrail.authoring.conducting import Ended, Finished, Halted, conduct, revive
from planrail.authoring.machine import CANCELLED, FINISHED
from planrail.cli.lessons import remember
from planrail.cli.planning_crew import AgentCrew, Terms, choose_members
from planrail.cli.planning_delivery import Delivered, deliver
from planrail.cli.planning_display import Display, open_display
from planrail.cli.planning_guard import compare_tree, make_judge, take_snapshot
from planrail.cli.planning_interview import Terminal, find_terminal
from planrail.cli.planning_keeper import PlanningKeeper
from planrail.cli.planning_report import Report, report
from planrail.cli.planning_store import load_stand, save_stand
from planrail.errors import PlanrailError
from planrail.records import replace
from planrail.repo.git import show_committed
from planrail.repo.plannings import Kept, load, locked, place_of, save
from planrail.settings import FILE_NAME, Settings, load_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from planrail.agents.model import Driver

INTERRUPTED = 130
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def carry_on(folder: str, id_: str, *, as_json: bool) -> int:
    """Go on with a planning until it ends, is stopped, or an agent cannot be had; then say how it stands."""
    with locked(folder, id_, wait=False) as is_ours:
        if not is_ours:
            raise PlanrailError(f"the planning {id_} is at work already", remedy="wait for it, or stop it with Ctrl-C")
        kept = load(folder, id_)
        if kept.planning.progress.ended == CANCELLED:
            raise PlanrailError(f"the planning {id_} was cancelled", remedy="start it again: planrail plan TEXT")
        if kept.about.get("delivered"):
            return _say_again(folder, kept, as_json=as_json)
        if kept.planning.progress.ended == FINISHED:
            return _hand_over(folder, kept, as_json=as_json)
        return _work(folder, kept, as_json=as_json)


def settings_of(root: str) -> Settings:
    """The project's settings; what loosens the guard counts only as it is committed."""
    return load_settings(root, committed=show_committed(root, FILE_NAME))


def _work(folder: str, kept: Kept, *, as_json: bool) -> int:
    settings = settings_of(kept.about["root"])
    terminal = find_terminal() if kept.planning.options.interview else None
    progress = kept.planning.progress
    members = choose_members(kept.about["agent"], kept.about["critic"], kept.about["model"], _load_driver)
    judge = make_judge(kept.about["root"], settings)
    display = open_display(progress.phases, progress.index)
    ended: Ended | None = None
    try:
        kept, note = take_snapshot(folder, kept)
        if note:
            display.note(note)
        crew = AgentCrew(members, _terms(folder, kept), judge, display, terminal)
        keeper = _keeper(folder, kept, settings, display, crew, terminal)
        with _interruptible():
            ended = _conduct(keeper, crew, folder, int(kept.about["explorers"]))
        kept = keeper.kept
    except KeyboardInterrupt:
        return _interrupted(folder, kept.planning.id, display, as_json=as_json)
    finally:
        display.close(is_finished=isinstance(ended, Finished))
    if isinstance(ended, Finished):
        return _hand_over(folder, kept, as_json=as_json)
    if isinstance(ended, Halted):
        return report(
            Report(folder, kept, "failed", error=f"the {ended.role} did not answer: {ended.error}"), as_json=as_json
        )
    return report(Report(folder, kept, "exhausted", problems=ended.stand.problems), as_json=as_json)


def _conduct(keeper: PlanningKeeper, crew: AgentCrew, folder: str, explorers: int) -> Ended:
    """Ask phase after phase; whatever happens, no agent is left at work and what was used is on record."""
    try:
        return conduct(revive(load_stand(folder, keeper.kept)), crew, keeper, explorers=explorers)
    finally:
        crew.stop()
        keeper.kept = keeper.add_costs()
        save(folder, keeper.kept)


def _keeper(
    folder: str, kept: Kept, settings: Settings, display: Display, crew: AgentCrew, terminal: Terminal | None
) -> PlanningKeeper:
    stand = load_stand(folder, kept)
    keeper = PlanningKeeper(folder, kept, settings, display, crew, can_ask=terminal is not None)
    keeper.kept = save_stand(folder, kept, stand)
    return keeper


def _terms(folder: str, kept: Kept) -> Terms:
    logs = f"{place_of(folder, kept.planning.id)}/logs"
    os.makedirs(logs, mode=0o700, exist_ok=True)
    return Terms(kept.about["root"], int(kept.about["timeout"]), logs)


def _load_driver(name: str) -> "Driver":
    from planrail.agents.drivers import load_driver

    return load_driver(name, os.environ)


def _hand_over(folder: str, kept: Kept, *, as_json: bool) -> int:
    """The plan is written: put it into its file and before a person. Killed in between, this is done again."""
    kept, changes = compare_tree(folder, kept, is_leaving=True)
    delivered = deliver(folder, kept, time.time())
    complaint = remember(kept.about["root"], kept.planning, int(kept.about["number"]))
    kept = kept.note(delivered=delivered.path, request=delivered.request)
    save(folder, kept)
    note = "; ".join(part for part in (delivered.note, complaint) if part)
    delivered = replace(delivered, note=note)
    return report(Report(folder, kept, "finished", delivered=delivered, changes=changes), as_json=as_json)


def _say_again(folder: str, kept: Kept, *, as_json: bool) -> int:
    """A planning that has finished is where it was: killed at the very end, nobody had heard of it."""
    path, id_ = kept.about["delivered"], kept.planning.id
    if not os.path.exists(path):
        raise PlanrailError(
            f"the planning {id_} has finished, and its plan is no longer at {path}",
            remedy=f"its text is kept in {place_of(folder, id_)}/plan.md",
        )
    delivered = Delivered(path, request=kept.about.get("request", ""))
    return report(Report(folder, kept, "finished", delivered=delivered), as_json=as_json)


def _interrupted(folder: str, id_: str, display: Display, *, as_json: bool) -> int:
    display.close(is_finished=False)
    report(Report(folder, load(folder, id_), "interrupted"), as_json=as_json)
    return INTERRUPTED


@contextlib.contextmanager
def _interruptible() -> "Iterator[None]":
    """A request to end, or a terminal that is closed, is taken like Ctrl-C: agents are ended, and all is saved.

    One is enough: a second must not keep us from ending what was started.
    """

    def interrupt(number: int, frame: object) -> None:
        for one in _SIGNALS:
            signal.signal(one, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
