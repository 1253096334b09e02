"""What is measured of the hook: each kind of event, in sessions with nothing, little or much for planrail to do."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace

from hook_answers import expect_denial, expect_silence, expect_told, expect_words
from hook_events import Event, Speaker
from hook_sessions import QUESTION, attach_plan, begin_planning, clear_session, enter_plan_mode
from hook_world import PLUGIN, SHELL, HookWorld, make_world
from measure import Case, planrail_program
from rows import Bar, Row
from transcripts import LARGE, SHORT, SMALL, write_transcript

NOTHING_ACTIVE = "idle, no session active"
ANOTHER_ACTIVE = "idle, another active"
PLANNING = "planning"
WITH_PLAN = "with a plan"
OUTSIDE = "no session active"
BARS = {NOTHING_ACTIVE: Bar(0.5), ANOTHER_ACTIVE: Bar(1.3), PLANNING: Bar(2.6), WITH_PLAN: Bar(2.6)}

SESSION, NEIGHBOUR, CLEARED = "11111111-aaaa", "22222222-bbbb", "33333333-cccc"
MENTION = "Which query plan does the database choose here?"  # could be a command, so that it takes a closer look
EVERYDAY = "git log --oneline | head -5 && sed -n 1,10p f"
PIPED = "find . -name '*.py' | xargs grep -n foo"
MUTATING = "sed -i s/rows/lines/ part_00/module_0000.py"
BEYOND = 'for f in *.py; do head -3 "$f"; done'


def hook_rows(folder: str) -> Iterator[Row]:
    """Every measurement of the hook, on machines that are made in a folder."""
    transcripts = os.path.join(folder, "transcripts")
    yield from _idle_rows(NOTHING_ACTIVE, make_world(os.path.join(folder, "quiet")), transcripts)
    yield from _idle_rows(ANOTHER_ACTIVE, _world_of_another(os.path.join(folder, "another")), transcripts)
    yield from _planning_rows(os.path.join(folder, "planning"))
    yield from _rows_with_plan(os.path.join(folder, "attached"), transcripts)
    yield from _entering_rows(os.path.join(folder, "entering"))
    yield from _cleared_rows(os.path.join(folder, "cleared"), transcripts)
    yield from _task_rows(os.path.join(folder, "tasks"))


def _idle_rows(state: str, world: HookWorld, transcripts: str) -> Iterator[Row]:
    """The events of a session that has no plan: whatever happens, the hook has nothing to say."""
    world.keep()
    speaker = Speaker(SESSION, world.project, write_transcript(transcripts, size=LARGE, percent=10))
    fuller = replace(speaker, transcript=write_transcript(transcripts, size=LARGE, percent=30))
    terse = replace(speaker, transcript=write_transcript(transcripts, size=LARGE, percent=30, results=SHORT))
    for event, about in (
        (speaker.bash(EVERYDAY), "Bash"),
        (speaker.bash_done(EVERYDAY), "Bash"),
        (speaker.prompt(QUESTION), "20 MB, 10 % full"),
        (fuller.prompt(QUESTION), "20 MB, 30 % full"),
        (terse.prompt(QUESTION), "20 MB of short lines, 30 % full"),
        (speaker.stop(), "20 MB, 10 % full"),
        (fuller.stop(), "20 MB, 30 % full"),
        (speaker.start("startup"), "startup"),
    ):
        yield _row(state, event, about, world.case(event, expect_silence))
    mention, call = speaker.prompt(MENTION), speaker.bash(EVERYDAY)
    yield _row(state, mention, 'a prompt that says "plan"', world.case(mention, expect_silence), is_held=False)
    yield _row(state, call, "Bash, by hooks.json's own command", _as_plugged_in(world, call), is_held=False)
    yield _row(state, call, "Bash, by `planrail hook`", _by_console(world, call), is_held=False)


def _planning_rows(folder: str) -> Iterator[Row]:
    """Tools in a session that plans, in the agent's own plan mode, with a plan file that it has written."""
    world = make_world(folder)
    speaker = Speaker(SESSION, world.project, mode="plan")
    plan = os.path.join(world.home, ".claude", "plans", "quiet-otter.md")
    begin_planning(world, speaker, plan)
    world.keep()
    write = speaker.tool("Write", file_path=plan, content="# Plan\n\n- [ ] Read the importer\n" * 20)
    elsewhere = speaker.tool("Write", file_path=os.path.join(world.project, "notes.md"), content="done\n")
    read = speaker.tool("Read", file_path=os.path.join(world.project, "part_00", "module_0000.py"))
    for event, about, check in (
        (speaker.bash(EVERYDAY), f"`{EVERYDAY}`", expect_silence),
        (speaker.bash(PIPED), f"`{PIPED}`", expect_silence),
        (speaker.bash(MUTATING), f"`{MUTATING}`: denied", expect_denial),
        (write, "Write to the plan file", expect_silence),
        (elsewhere, "Write elsewhere: denied", expect_denial),
        (read, "Read", expect_silence),
        (speaker.bash_done(EVERYDAY), "Bash", expect_silence),
        (speaker.prompt(QUESTION), "second turn: one line", expect_words("Plan mode", world, speaker)),
    ):
        yield _row(PLANNING, event, about, world.case(event, check))
    call = speaker.bash(EVERYDAY)
    yield _row(PLANNING, call, "Bash, by `planrail hook`", _by_console(world, call), is_held=False)
    opinion, stop = speaker.bash(BEYOND), speaker.stop()
    yield _row(PLANNING, opinion, f"`{BEYOND}`: second opinion", world.case(opinion, expect_silence), is_held=False)
    yield _row(PLANNING, stop, "comparison, nothing changed", world.case(stop, expect_silence), is_held=False)


def _rows_with_plan(folder: str, transcripts: str) -> Iterator[Row]:
    """Prompts and stops in a session that has a plan and does not plan."""
    world = make_world(folder)
    speaker = Speaker(SESSION, world.project, write_transcript(transcripts, size=LARGE, percent=30))
    terse = replace(speaker, transcript=write_transcript(transcripts, size=LARGE, percent=30, results=SHORT))
    small = replace(speaker, transcript=write_transcript(transcripts, size=SMALL, percent=30))
    half = replace(speaker, transcript=write_transcript(transcripts, size=LARGE, percent=55))
    half_small = replace(speaker, transcript=write_transcript(transcripts, size=SMALL, percent=55))
    attach_plan(world, speaker)
    world.keep()
    warned = expect_words("CONTEXT WARNING: 55% used", world, speaker)
    for event, about, check in (
        (speaker.prompt(QUESTION), "20 MB, 30 % full", expect_silence),
        (terse.prompt(QUESTION), "20 MB of short lines, 30 % full", expect_silence),
        (small.prompt(QUESTION), "100 kB, 30 % full", expect_silence),
        (half.prompt(QUESTION), "20 MB, 55 % full: warning", warned),
        (half_small.prompt(QUESTION), "100 kB, 55 % full: warning", warned),
        (speaker.stop(), "20 MB, 30 % full", expect_silence),
        (speaker.bash(EVERYDAY), "Bash", expect_silence),
        (speaker.bash_done(EVERYDAY), "Bash", expect_silence),
    ):
        yield _row(WITH_PLAN, event, about, world.case(event, check))


def _entering_rows(folder: str) -> Iterator[Row]:
    """The first prompt in plan mode: a snapshot of the tree is taken."""
    world = make_world(folder)
    world.keep()
    speaker = Speaker(SESSION, world.project, mode="plan")
    prompt, command = speaker.prompt(QUESTION), replace(speaker, mode="default").prompt(f"/plan {QUESTION}")
    for event, about in ((prompt, "plan mode entered: snapshot"), (command, "`/plan TEXT`: plan file, snapshot")):
        check = expect_words("Plan mode", world, speaker, snapshot=True)
        yield _row(OUTSIDE, event, about, world.case(event, check), is_held=False)


def _cleared_rows(folder: str, transcripts: str) -> Iterator[Row]:
    """A session that begins after the clear of one whose plan is wanted back."""
    world = make_world(folder)
    clear_session(world, Speaker(CLEARED, world.project, write_transcript(transcripts, size=SMALL, percent=55)))
    world.keep()
    speaker = Speaker(SESSION, world.project)
    event, check = speaker.start("clear"), expect_words("POST-CLEAR RESUME", world, speaker)
    yield _row(OUTSIDE, event, "clear, with a ticket: the plan", world.case(event, check), is_held=False)


def _task_rows(folder: str) -> Iterator[Row]:
    """A clear where a project has open tasks: in that project, and in another one on the same machine."""
    world = make_world(folder)
    world.type("task", "new", QUESTION)
    world.keep()
    elsewhere = os.path.join(folder, "elsewhere")
    os.makedirs(elsewhere)
    here, other = (Speaker(SESSION, place).start("clear") for place in (world.project, elsewhere))
    told, silent = world.case(here, expect_told("Tasks of this project")), world.case(other, expect_silence)
    yield _row(OUTSIDE, here, "clear, with open tasks: their lines", told, is_held=False)
    yield _row(OUTSIDE, other, "clear, with open tasks in another project", silent, is_held=False)


def _world_of_another(folder: str) -> HookWorld:
    """A machine on which some other session plans, in a project of its own."""
    world = make_world(folder)
    elsewhere = os.path.join(folder, "elsewhere")
    os.makedirs(elsewhere)
    # An agent of its own: a process has one session at a time.
    enter_plan_mode(replace(world, agent=os.getppid()), Speaker(NEIGHBOUR, elsewhere, mode="plan"))
    return world


def _as_plugged_in(world: HookWorld, event: Event) -> Case:
    """As the agent starts it: the plugin's command in a shell."""
    with open(os.path.join(PLUGIN, "hooks", "hooks.json"), encoding="utf-8") as file:
        command = json.load(file)["hooks"][event.name][0]["hooks"][0]["command"]
    return replace(world.case(event, expect_silence), command=(SHELL, "-c", command))


def _by_console(world: HookWorld, event: Event) -> Case:
    return replace(world.case(event, expect_silence), command=(planrail_program(), "hook", "claude", event.name))


def _row(state: str, event: Event, about: str, case: Case, *, is_held: bool = True) -> Row:
    return Row("hook", event.name, about, None, None, case, BARS.get(state) if is_held else None, state=state)
