"""How sessions get to the point at which the hook is measured: by events, as they come in real ones."""

import os
from dataclasses import replace

from hook_events import Speaker
from hook_world import HookWorld
from measure import MeasurementFailed

QUESTION = "Why does the importer drop the last row?"


def enter_plan_mode(world: HookWorld, speaker: Speaker) -> None:
    """A prompt in the agent's plan mode."""
    world.send(speaker.prompt(QUESTION))
    session = world.session(speaker.session)
    _demand("a session that plans, with a snapshot", holds=bool(session.get("planning") and session.get("snapshot")))


def begin_planning(world: HookWorld, speaker: Speaker, plan: str) -> None:
    """Plan mode entered, and the plan file written."""
    enter_plan_mode(world, speaker)
    world.send(speaker.tool("Write", file_path=plan, content="# Plan\n"))
    with open(plan, "w", encoding="utf-8") as file:
        file.write("# Plan\n")
    kept = world.session(speaker.session).get("plan")
    _demand("the plan file taken over", holds=kept == os.path.realpath(plan))


def attach_plan(world: HookWorld, speaker: Speaker) -> None:
    """A plan attached by hand, its summary kept, and a first prompt heard."""
    world.type("attach", world.plan, "--session", speaker.session)
    world.send(replace(speaker, transcript="").prompt(QUESTION))
    _demand("a plan with its summary", holds=bool(world.session(speaker.session).get("summary")))


def clear_session(world: HookWorld, speaker: Speaker) -> None:
    """A plan attached, the window half full, the warning given, the context cleared."""
    attach_plan(world, speaker)
    _demand("a warning before the clear", holds="CONTEXT WARNING" in world.send(speaker.prompt(QUESTION)))
    world.send(speaker.end("clear"))
    _demand("a session that has ended", holds=not world.session(speaker.session))


def _demand(what: str, *, holds: bool) -> None:
    if not holds:
        raise MeasurementFailed(f"the sessions to measure the hook with could not be made: there is not {what}")
