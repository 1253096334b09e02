"""A plan survives a clear and a compaction, in its own session and in no other."""

import shutil
from pathlib import Path

import pytest

from planrail.testing.model_server import ModelServer, Script, call, say
from tests.e2e.claude import Claude
from tests.e2e.claude_host import Host
from tests.e2e.plan_files import told_plan_file, write_plan
from tests.e2e.programs import OLD_CLAUDE, Program, both_versions
from tests.e2e.projects import PLUGIN, Project
from tests.support.lanes import soak

PLAN = "# Teach the herons\n\n## Goal\n\nHerons that greet.\n\n- [x] Find a heron\n- [ ] Teach it to bow\n- [ ] Let it practise\n\nVerify: `test -d .`\n"
FINISHED = "# Teach the herons\n\n- [x] Find a heron\n- [x] Teach it to bow\n"
RESUME = "ACTION REQUIRED"


@both_versions
def test_an_approved_plan_comes_back_after_a_clear(project: Project, program: Program) -> None:
    """Approved, then cleared: the new session is told the goal, the next item and the path, and to go on."""
    with (
        ModelServer(Script(write_plan(PLAN), call("ExitPlanMode"), say("Approved."), say("I go on."))) as server,
        Host(Claude(project, server, program), "--permission-mode", "plan") as host,
    ):
        host.say("plan the herons")
        before = host.session
        host.say("/clear")
        host.say("go on")
        after = host.session
        kept = project.session("claude", after)
    last = server.turns[-1]
    assert after != before
    assert last.was_told(RESUME)
    assert last.was_told("Teach it to bow")
    assert last.was_told(told_plan_file(server.turns[0]))
    assert kept["plan"] == told_plan_file(server.turns[0])
    assert project.session("claude", before) == {}


def _losing(project: Project, *lost: str) -> Path:
    """The plugin, with hooks that are killed at these events before they have done anything."""
    copy = project.base / "plugin"
    shutil.copytree(PLUGIN, copy)
    dying = "".join(f"case $2 in {event}) kill -KILL $$ ;; esac\n" for event in lost)
    (copy / "hooks" / "planrail-hook").write_text(f'#!/bin/sh\n{dying}exec sh "{Claude.wrapper()}" "$@"\n')
    return copy


@pytest.mark.parametrize("lost", [soak(("SessionStart",)), ("SessionEnd", "SessionStart")])
def test_a_plan_comes_back_although_a_clear_was_not_told(project: Project, lost: tuple[str, ...]) -> None:
    """The hook of the end, of the start, or of both is killed: the first prompt says the same, and so does `reload`."""
    turns = [write_plan(PLAN), call("ExitPlanMode"), say("Approved."), say("I go on."), say("I know it.")]
    with ModelServer(Script(*turns)) as server:
        claude = Claude(project, server, plugin=_losing(project, *lost))
        with Host(claude, "--permission-mode", "plan") as host:
            host.say("plan the herons")
            before = host.session
            host.say("/clear")
            host.say("go on")
            kept = project.session("claude", host.session)
            host.say("reload")
    plan = told_plan_file(server.turns[0])
    assert server.turns[-2].was_told(RESUME)
    assert server.turns[-2].was_told("Teach it to bow")
    assert kept["plan"] == plan
    assert server.turns[-1].was_told(plan)
    assert project.session("claude", before) == {}


def test_a_version_that_does_not_tell_its_process_is_told_to_ask(project: Project) -> None:
    """A finished plan lies there as well, and is the newest that nobody has: it is not taken for the one that is meant."""
    turns = [write_plan(PLAN), call("ExitPlanMode"), say("Approved."), say("Which one?")]
    with ModelServer(Script(*turns)) as server:
        claude = Claude(project, server, OLD_CLAUDE, plugin=_losing(project, "SessionEnd", "SessionStart"))
        with Host(claude, "--permission-mode", "plan") as host:
            host.say("plan the herons")
            plan = told_plan_file(server.turns[0])
            (Path(plan).parent / "finished.md").write_text(FINISHED)
            host.say("/clear")
            host.say("reload")
            kept = project.session("claude", host.session)
    assert kept == {}
    assert server.turns[-1].was_told("Ask the user which plan to go on with")
    assert server.turns[-1].was_told(plan)


@both_versions
def test_two_planners_in_one_folder_get_their_own_plans_back(project: Project, program: Program) -> None:
    """Both are cleared before either speaks again: each is told of its own plan only.

    A version that does not tell its process cannot be told from its neighbour, and has to ask.
    """
    other = PLAN.replace("heron", "stork").replace("bow", "clap")
    turns = [write_plan(PLAN), call("ExitPlanMode"), say("A."), write_plan(other), call("ExitPlanMode"), say("B.")]
    with ModelServer(Script(*turns, say("First."), say("Second."))) as server:
        claude = Claude(project, server, program)
        with Host(claude, "--permission-mode", "plan") as first, Host(claude, "--permission-mode", "plan") as second:
            first.say("plan the herons")
            second.say("plan the storks")
            first.say("/clear")
            second.say("/clear")
            first.say("go on")
            second.say("go on")
    told_first, told_second = server.turns[-2], server.turns[-1]
    is_known = program != OLD_CLAUDE
    assert (told_first.was_told("Teach it to bow"), told_first.was_told("Teach it to clap")) == (is_known, False)
    assert (told_second.was_told("Teach it to bow"), told_second.was_told("Teach it to clap")) == (False, is_known)
    assert [told.was_told("Ask the user which plan") for told in (told_first, told_second)] == [not is_known] * 2


def test_a_compaction_keeps_the_plan(project: Project) -> None:
    """The context is compacted in the same session, and the model still knows its plan."""
    with (
        ModelServer(Script(write_plan(PLAN), call("ExitPlanMode"), say("Approved."), say("I go on."))) as server,
        Host(Claude(project, server), "--permission-mode", "plan") as host,
    ):
        host.say("plan the herons")
        before = host.session
        host.say("/compact")
        host.say("go on")
        assert host.session == before
    assert server.turns[-1].was_told("Teach it to bow")
    assert server.turns[-1].was_told(told_plan_file(server.turns[0]))


def test_neither_a_compaction_nor_a_clear_opens_the_door_in_planrails_plan_mode(project: Project) -> None:
    """The model forgets what it was told; planrail does not, and tells it again."""
    write = call("Write", file_path=project.path("other.txt"), content="x\n")
    turns = [write_plan(PLAN), say("A draft."), write, say("Denied."), write, say("Denied again.")]
    with (
        ModelServer(Script(*turns)) as server,
        Host(Claude(project, server), "--permission-mode", "acceptEdits") as host,
    ):
        for text in ("/planrail:plan the herons", "/compact", "write it", "/clear", "write it"):
            host.say(text)
    assert server.turns[2].was_told("Plan mode is on")
    assert all("Plan mode is on" in server.turns[at].news for at in (3, 5))
    assert not project.holds("other.txt")
