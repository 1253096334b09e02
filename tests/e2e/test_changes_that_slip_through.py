"""A change that no guard could see, because somebody else makes it: it is noticed, kept, and taken back on a yes."""

from pathlib import Path

from planrail.testing.model_server import ModelServer, Script, say
from tests.e2e.claude import Claude
from tests.e2e.claude_host import Host
from tests.e2e.plan_files import told_plan_file, write_plan
from tests.e2e.projects import Project
from tests.e2e.windows import at_window

OWN = "/planrail:plan the herons"
PLAN = "# Teach the herons\n\n- [ ] Teach it to bow\n"
BEFORE, AFTER = "# Notes\n\nNothing yet.\n", "# Notes\n\nBy another hand.\n"


def slip(project: Project) -> None:
    """Somebody changes a file that git knows, and adds one that it does not."""
    (project.folder / "notes.md").write_text(AFTER)
    (project.folder / "new.txt").write_text("new\n")


def state(project: Project) -> tuple[str, bool]:
    return (project.folder / "notes.md").read_text(), project.holds("new.txt")


def parked_branch(project: Project) -> str:
    """The one branch that copies were put on."""
    (branch,) = project.git("for-each-ref", "--format=%(refname:short)", "refs/heads/planrail/").split()
    assert branch.startswith("planrail/parked/")
    return branch


def test_a_change_that_slipped_through_is_told_once_kept_and_taken_back_on_a_yes(project: Project) -> None:
    """The person is told at the stop, the agent with the next prompt; a copy is parked, and nothing is undone.

    At a terminal, with a yes, both files are as they were; the plan stays, and so does the copy.
    """
    turns = [write_plan(PLAN), say("A draft."), say("Still."), say("Yes."), say("Yes.")]
    with ModelServer(Script(*turns)) as server, Host(Claude(project, server)) as host:
        host.say(OWN)
        assert host.notices == []
        slip(project)
        host.say("go on")
        (told,) = host.notices
        host.say("well?")
        host.say("and now?")
        assert state(project) == (AFTER, True)
        shown, _ = at_window(project, "undo", answers=[("Type yes: ", "yes\n")])
    branch = parked_branch(project)
    for fragment in ("modified notes.md", "added new.txt", branch, "planrail undo"):
        assert fragment in told
        assert fragment in server.turns[3].news
    assert not any("notes.md" in turn.news for turn in (server.turns[2], server.turns[4]))
    assert len(host.notices) == 1
    assert project.git("show", f"{branch}:notes.md") == AFTER
    assert project.git("show", f"{branch}:new.txt") == "new\n"
    assert "Restored: 2." in shown
    assert state(project) == (BEFORE, False)
    assert Path(told_plan_file(server.turns[0])).read_text() == PLAN


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
        assert state(project) == (BEFORE, False)
        host.say("well?")
    assert project.git("show", f"{parked_branch(project)}:notes.md") == AFTER
    assert "taken back at once" in host.notices[0]
    assert "taken back at once" in server.turns[2].news
    assert "Nothing was undone" not in host.notices[0]
