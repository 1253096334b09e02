"""Carrying out a headless planning, from wherever it stands to its end: used by `plan` and by `refine`."""

import os
import time

from planrail.agents.drivers import load_driver
from planrail.agents.model import Driver
from planrail.ask.interruptions import interruptible
from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.settings import FILE_NAME, Settings, load_settings
from planrail.base.wording import Answer
from planrail.cli.plans.display import open_display
from planrail.cli.plans.report import Report, answer, blank_document, describe
from planrail.cli.refusals import refusal_as_json
from planrail.git.git import show_committed
from planrail.planning.conducting import Ended, Finished, Halted, conduct, revive
from planrail.planning.headless.crew import AgentCrew, Display, Terms, choose_members
from planrail.planning.headless.delivery import Delivered, Undelivered, deliver
from planrail.planning.headless.guard import compare_tree, make_judge, take_snapshot
from planrail.planning.headless.interview import Terminal, find_terminal
from planrail.planning.headless.keeper import PlanningKeeper
from planrail.planning.lessons import remember
from planrail.planning.machine import CANCELLED, FINISHED
from planrail.planning.plannings import Kept, load, load_stand, locked, place_of, save, save_kept, save_stand


def carry_on(folder: str, id_: str, *, as_json: bool) -> Answer:
    """Go on with a planning until it ends, is stopped, or an agent cannot be had; how it stands then."""
    with refusal_as_json(blank_document(planning=id_), as_json=as_json):
        ended = _go_on(folder, id_)
    with refusal_as_json(lambda error: describe(ended), as_json=as_json):
        if ended.failure is not None:
            raise ended.failure
    return answer(ended)


def _go_on(folder: str, id_: str) -> Report:
    with locked(folder, id_, wait=False) as is_ours:
        if not is_ours:
            raise PlanrailError(f"the planning {id_} is at work already", remedy="wait for it, or stop it with Ctrl-C")
        kept = load(folder, id_)
        if kept.planning.progress.ended == CANCELLED:
            raise PlanrailError(f"the planning {id_} was cancelled", remedy="start it again: planrail plan TEXT")
        if kept.about.get("delivered"):
            return _recall(folder, kept)
        try:
            return _hand_over(folder, kept) if kept.planning.progress.ended == FINISHED else _work(folder, kept)
        except PlanrailError as error:
            return Report(folder, load(folder, id_), "failed", failure=error)


def settings_of(root: str) -> Settings:
    """The project's settings; what loosens the guard counts only as it is committed."""
    return load_settings(root, committed=show_committed(root, FILE_NAME))


def _work(folder: str, kept: Kept) -> Report:
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
        with interruptible():
            ended = _conduct(keeper, crew, folder, int(kept.about["explorers"]))
        kept = keeper.kept
    except KeyboardInterrupt:
        return Report(folder, load(folder, kept.planning.id), "interrupted")
    finally:
        display.close(is_finished=isinstance(ended, Finished))
    if isinstance(ended, Finished):
        return _hand_over(folder, kept)
    if isinstance(ended, Halted):
        return Report(folder, kept, "failed", error=f"the {ended.role} did not answer: {ended.error}")
    return Report(folder, kept, "exhausted", problems=ended.stand.problems)


def _conduct(keeper: PlanningKeeper, crew: AgentCrew, folder: str, explorers: int) -> Ended:
    """Ask phase after phase; whatever happens, no agent is left at work and what was used is on record."""
    try:
        return conduct(revive(load_stand(folder, keeper.kept)), crew, keeper, explorers=explorers)
    finally:
        crew.stop()
        keeper.kept = keeper.add_costs()
        save_kept(folder, keeper.kept)


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


def _load_driver(name: str) -> Driver:
    return load_driver(name, os.environ)


def _hand_over(folder: str, kept: Kept) -> Report:
    """The plan is written: put it into its file and before a person. Killed in between, this is done again."""
    kept, _ = compare_tree(folder, kept, is_leaving=True)
    delivered = deliver(folder, kept, time.time())
    if isinstance(delivered, Undelivered):
        return Report(folder, kept, "unwritten", failure=delivered.error, result=delivered.kept)
    complaint = remember(kept.about["root"], kept.planning, int(kept.about["number"]))
    kept = kept.note(delivered=delivered.path, request=delivered.request)
    notes = (delivered.note, complaint, _save_delivered(folder, kept))
    delivered = replace(delivered, note="; ".join(note for note in notes if note))
    return Report(folder, kept, "finished", delivered=delivered)


def _save_delivered(folder: str, kept: Kept) -> str:
    """Keep that it is done. Where that fails the plan is there all the same; what a person should know of it."""
    try:
        save(folder, kept)
    except PlanrailError as error:
        return f"the plan is written, but not that the planning is done: {error.message}"
    return ""


def _recall(folder: str, kept: Kept) -> Report:
    """A planning that has finished is where it was: killed at the very end, nobody had heard of it."""
    path, id_ = kept.about["delivered"], kept.planning.id
    if not os.path.exists(path):
        raise PlanrailError(
            f"the planning {id_} has finished, and its plan is no longer at {path}",
            remedy=f"its text is kept in {place_of(folder, id_)}/plan.md",
        )
    delivered = Delivered(path, request=kept.about.get("request", ""))
    return Report(folder, kept, "finished", delivered=delivered)
