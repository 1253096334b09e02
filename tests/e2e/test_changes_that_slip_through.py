"""A change that no guard could see, because somebody else makes it: it is noticed, kept, and taken back on a yes."""

import time
from pathlib import Path

from planrail.testing.model_server import ModelServer, Script, Turn, call, say
from tests.e2e.attempts import DENIED
from tests.e2e.claude import LONGEST, Claude
from tests.e2e.claude_host import Host
from tests.e2e.plan_files import told_plan_file, write_plan
from tests.e2e.projects import Project
from tests.e2e.terminal import run_at_terminal

OWN = "/planrail:plan the herons"
PLAN = "# Teach the herons\n\n- [ ] Teach it to bow\n"
BEFORE, AFTER = "# Notes\n\nNothing yet.\n", "# Notes\n\nBy another hand.\n"


def slip(project: Project) -> None:
    """Somebody changes a file that git knows, and adds one that it does not."""
    (project.folder / "notes.md").write_text(AFTER)
    (project.folder / "new.txt").write_text("new\n")


def notes(project: Project) -> str:
    return (project.folder / "notes.md").read_text()


def parked_branch(project: Project) -> str:
    """The one branch that copies were put on."""
    (branch,) = project.git("for-each-ref", "--format=%(refname:short)", "refs/heads/planrail/").split()
    assert branch.startswith("planrail/parked/")
    return branch


def wait_for(path: Path) -> None:
    end = time.monotonic() + LONGEST
    while not path.exists():
        assert time.monotonic() < end, f"{path} never appeared"
        time.sleep(0.02)


def begin_in_the_background(project: Project) -> Turn:
    """The model starts a process that lives on, and changes files only when it is given the sign."""
    sign, done = project.base / "sign", project.base / "done"
    script = (
        f"while [ ! -e {sign} ]; do sleep 0.05; done; "
        f"printf '# Notes\\n\\nBy another hand.\\n' > notes.md; echo new > new.txt; touch {done}"
    )
    return call("Bash", command=f'setsid sh -c "{script}" </dev/null >/dev/null 2>&1 &')


def test_a_change_that_slipped_through_is_told_and_kept(project: Project) -> None:
    """The person is told at the stop, the agent with the next prompt; a copy is parked, and nothing is undone."""
    with (
        ModelServer(Script(say("I plan."), say("Still."), say("Yes."))) as server,
        Host(Claude(project, server)) as host,
    ):
        host.say(OWN)
        assert host.notices == []
        slip(project)
        host.say("go on")
        (told,) = host.notices
        host.say("well?")
    branch = parked_branch(project)
    for fragment in ("modified notes.md", "added new.txt", branch, "planrail undo"):
        assert fragment in told
        assert fragment in server.turns[2].news
    assert "notes.md" not in server.turns[1].news
    assert (notes(project), project.holds("new.txt")) == (AFTER, True)
    assert project.git("show", f"{branch}:notes.md") == AFTER
    assert project.git("show", f"{branch}:new.txt") == "new\n"


def test_a_change_is_told_once(project: Project) -> None:
    """Nothing new has changed since: neither the person nor the agent hears of it again, and no second copy is made."""
    with ModelServer(Script(*(say("I plan.") for _ in range(4)))) as server, Host(Claude(project, server)) as host:
        host.say(OWN)
        slip(project)
        for _ in range(3):
            host.say("go on")
    assert len(host.notices) == 1
    assert "notes.md" in server.turns[2].news
    assert "notes.md" not in server.turns[3].news
    parked_branch(project)


def test_a_process_from_before_planning_is_seen(project: Project) -> None:
    """The model leaves a process behind, plans, and the process writes: what it did is seen and can be taken back."""
    turns = [begin_in_the_background(project), say("Begun."), say("I plan."), say("Still.")]
    with (
        ModelServer(Script(*turns)) as server,
        Host(Claude(project, server), "--permission-mode", "acceptEdits") as host,
    ):
        host.say("begin")
        host.say(OWN)
        (project.base / "sign").touch()
        wait_for(project.base / "done")
        host.say("go on")
    assert DENIED not in server.turns[1].news
    assert "modified notes.md" in host.notices[-1]
    assert "added new.txt" in host.notices[-1]
    assert (notes(project), project.holds("new.txt")) == (AFTER, True)
    assert project.git("show", f"{parked_branch(project)}:notes.md") == AFTER


def test_a_person_takes_a_change_back(project: Project) -> None:
    """At a terminal, with a yes: both files are as they were, the plan stays, and so does the copy."""
    script = Script(write_plan(PLAN), say("A draft."), say("Still."))
    with ModelServer(script) as server, Host(Claude(project, server)) as host:
        host.say(OWN)
        slip(project)
        host.say("go on")
        shown = run_at_terminal(project, "undo", typed="yes\n")
    assert "Restored: 2." in shown
    assert (notes(project), project.holds("new.txt")) == (BEFORE, False)
    assert Path(told_plan_file(server.turns[0])).read_text() == PLAN
    assert project.git("show", f"{parked_branch(project)}:notes.md") == AFTER


def test_a_change_is_taken_back_at_once_in_a_private_workspace(project: Project) -> None:
    """Nobody else works there, so nobody has to be asked; the copy stays, and what is told is true."""
    private = {"PLANRAIL_PRIVATE_WORKSPACE": str(project.folder)}
    with (
        ModelServer(Script(say("I plan."), say("Still."), say("Yes."))) as server,
        Host(Claude(project, server, environment=private)) as host,
    ):
        host.say(OWN)
        slip(project)
        host.say("go on")
        assert (notes(project), project.holds("new.txt")) == (BEFORE, False)
        host.say("well?")
    assert project.git("show", f"{parked_branch(project)}:notes.md") == AFTER
    assert "taken back at once" in host.notices[0]
    assert "taken back at once" in server.turns[2].news
    assert "Nothing was undone" not in host.notices[0]


def test_somebody_elses_private_workspace_is_not_this_one(project: Project) -> None:
    """The variable names another folder: here people work, and nothing is undone."""
    private = {"PLANRAIL_PRIVATE_WORKSPACE": str(project.home)}
    with (
        ModelServer(Script(say("I plan."), say("Still."))) as server,
        Host(Claude(project, server, environment=private)) as host,
    ):
        host.say(OWN)
        slip(project)
        host.say("go on")
    assert (notes(project), project.holds("new.txt")) == (AFTER, True)
