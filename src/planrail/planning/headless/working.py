"""Carrying out a headless planning, from wherever it stands to its end."""

import os
import time
from collections.abc import Callable, Sequence

from planrail.agents.drivers import load_driver
from planrail.ask.interruptions import interruptible
from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.planning.conducting import Ended, Finished, Halted, conduct, revive
from planrail.planning.headless.crew import AgentCrew, Display, Terms, choose_members
from planrail.planning.headless.delivery import Delivered, Undelivered, deliver
from planrail.planning.headless.guard import compare_tree, make_judge, take_snapshot
from planrail.planning.headless.interview import find_terminal
from planrail.planning.headless.keeper import PlanningKeeper
from planrail.planning.in_session.facts import load_committed_settings
from planrail.planning.lessons import remember
from planrail.planning.machine import CANCELLED, FINISHED
from planrail.planning.plannings import Kept, load, load_stand, locked, place_of, save, save_kept, save_stand

OpenDisplay = Callable[[Sequence[str], int], Display]  # for these phases, of which so many are done


@record
class PlanEnd:
    """How a planning ended (finished, exhausted, failed, interrupted, unwritten, refused) and what belongs to that."""

    folder: str
    kept: Kept
    status: str
    delivered: Delivered | None = None
    problems: tuple[str, ...] = ()
    error: str = ""
    failure: PlanrailError | None = None  # what it ended with, where that is an error of the whole request
    result: str = ""  # where the text of the plan is kept, where it could not be put into its file


def carry_on(folder: str, id_: str, open_display: OpenDisplay) -> PlanEnd:
    """Go on with a planning until it ends, is stopped, or an agent cannot be had; how it stands then."""
    with locked(folder, id_, wait=False) as is_ours:
        kept = load(folder, id_)
        try:
            _refuse(kept, is_ours=is_ours)
            if kept.about.get("delivered"):
                return _recall(folder, kept)
        except PlanrailError as error:
            return PlanEnd(folder, kept, "refused", failure=error)
        try:
            if kept.planning.progress.ended == FINISHED:
                return _hand_over(folder, kept)
            return _work(folder, kept, open_display)
        except PlanrailError as error:
            return PlanEnd(folder, load(folder, id_), "failed", failure=error)


def _refuse(kept: Kept, *, is_ours: bool) -> None:
    id_ = kept.planning.id
    if not is_ours:
        raise PlanrailError(f"the planning {id_} is at work already", remedy="wait for it, or stop it with Ctrl-C")
    if kept.planning.progress.ended == CANCELLED:
        raise PlanrailError(f"the planning {id_} was cancelled", remedy="start it again: planrail plan TEXT")


def _work(folder: str, kept: Kept, open_display: OpenDisplay) -> PlanEnd:
    about, progress = kept.about, kept.planning.progress
    settings = load_committed_settings(about["root"])
    terminal = find_terminal() if kept.planning.options.interview else None
    members = choose_members(
        about["agent"], about["critic"], about["model"], lambda name: load_driver(name, os.environ)
    )
    logs = f"{place_of(folder, kept.planning.id)}/logs"
    display = open_display(progress.phases, progress.index)
    ended: Ended | None = None
    try:
        os.makedirs(logs, mode=0o700, exist_ok=True)
        kept, note = take_snapshot(folder, kept)
        if note:
            display.note(note)
        terms = Terms(about["root"], int(about["timeout"]), logs)
        crew = AgentCrew(members, terms, make_judge(about["root"], settings), display, terminal)
        keeper = PlanningKeeper(folder, kept, settings, display, crew, can_ask=terminal is not None)
        keeper.kept = save_stand(folder, kept, load_stand(folder, kept))
        with interruptible():
            ended = _conduct(keeper, crew, folder)
        kept = keeper.kept
    except KeyboardInterrupt:
        return PlanEnd(folder, load(folder, kept.planning.id), "interrupted")
    finally:
        display.close(is_finished=isinstance(ended, Finished))
    if isinstance(ended, Finished):
        return _hand_over(folder, kept)
    if isinstance(ended, Halted):
        return PlanEnd(folder, kept, "failed", error=f"the {ended.role} did not answer: {ended.error}")
    return PlanEnd(folder, kept, "exhausted", problems=ended.stand.problems)


def _conduct(keeper: PlanningKeeper, crew: AgentCrew, folder: str) -> Ended:
    """Ask phase after phase; whatever happens, no agent is left at work and what was used is on record."""
    try:
        stand = revive(load_stand(folder, keeper.kept))
        return conduct(stand, crew, keeper, explorers=int(keeper.kept.about["explorers"]))
    finally:
        crew.stop()
        keeper.kept = keeper.add_costs()
        save_kept(folder, keeper.kept)


def _hand_over(folder: str, kept: Kept) -> PlanEnd:
    """The plan is written: put it into its file and before a person. Killed in between, this is done again."""
    kept, _ = compare_tree(folder, kept, is_leaving=True)
    delivered = deliver(folder, kept, time.time())
    if isinstance(delivered, Undelivered):
        return PlanEnd(folder, kept, "unwritten", failure=delivered.error, result=delivered.kept)
    notes = [delivered.note, remember(kept.about["root"], kept.planning, int(kept.about["number"]))]
    kept = kept.note(delivered=delivered.path, request=delivered.request)
    try:
        save(folder, kept)
    except PlanrailError as error:  # the plan is there all the same
        notes.append(f"the plan is written, but not that the planning is done: {error.message}")
    delivered = replace(delivered, note="; ".join(note for note in notes if note))
    return PlanEnd(folder, kept, "finished", delivered=delivered)


def _recall(folder: str, kept: Kept) -> PlanEnd:
    """A planning that has finished is where it was: killed at the very end, nobody had heard of it."""
    path, id_ = kept.about["delivered"], kept.planning.id
    if not os.path.exists(path):
        raise PlanrailError(
            f"the planning {id_} has finished, and its plan is no longer at {path}",
            remedy=f"its text is kept in {place_of(folder, id_)}/plan.md",
        )
    return PlanEnd(folder, kept, "finished", delivered=Delivered(path, request=kept.about.get("request", "")))
