"""What an agent has begun is pushed while it works, and the next attempt on another machine begins with it, if it can."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from planrail.agents.model import Event
from planrail.ask.interruptions import Interruptions
from planrail.base.records import mutable_record, replace
from planrail.base.run_model import Options, PhaseEnd, Workspace
from planrail.git.remotes.mirrors import REMOTE, write_plan_file
from planrail.runs.landing.fences import raise_fence
from planrail.runs.landing.work_refs import work_ref
from planrail.runs.request.ordering import read_context
from planrail.runs.request.orders import make_order
from planrail.runs.steps.kept_work import choose_work
from planrail.runs.steps.parts import Parts
from planrail.runs.steps.site import At, Site
from planrail.store.claim_rules import PLAN, Acquired, TakenOver
from planrail.store.ledger import open_store
from planrail.store.owners import describe_process
from planrail.store.runs.run_folders import new_folder
from tests.landing.remotes import RemoteStage, git
from tests.support.lanes import soak

PLAN_FILE, TARGET = "plans/greet.md", "refs/heads/main"
TEXT = "# Greet\n\n## Phase 1 — Greet\n\n- [ ] write hello.txt\n\n```sh check\ngrep -q hello hello.txt\n```\n"
AGENT = '[approval]\nrequired = false\n[run]\nagent = "{agent}"\ncommand = "true"\npush_work = {every}\n'
AT_ONCE = "0.0001"
SECRET = "aws_secret_access_key = '" + "wJalrXUtnFEMI/K7MDENG+bPxRfi" + "CYzq8Zk3Tq1'\n"


class Teller:
    """Keeps what people would be told."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def event(self, phase: str, event: Event) -> None:
        """Something that an agent did."""

    def note(self, text: str, topic: str = "") -> None:
        """A line for people."""
        self.notes.append(text)

    def ask(self, question: str) -> bool | None:
        """Nobody is there."""


@mutable_record
class Machine:
    """A clone with a run of the plan in it, which has the plan since it is here."""

    stage: RemoteStage
    site: Site
    teller: Teller

    @property
    def said(self) -> str:
        return "\n".join(self.teller.notes)

    def at(self, attempt: int) -> At:
        return At(self.site.order.phases[0], attempt)

    def open(self, attempt: int = 1) -> Workspace:
        """Where the agent of an attempt works, at the remote's main."""
        git(self.site.root, "fetch", "--quiet", "origin", "main")
        found = Parts(self.site).open_workspace(self.at(attempt), self.stage.tip())
        assert isinstance(found, Workspace)
        return found

    def work(self, files: dict[str, str], attempt: int = 1) -> Workspace:
        """An agent writes these files, and planrail looks when it is time."""
        workspace = self.open(attempt)
        for name, text in files.items():
            Path(workspace.path, name).write_text(text)
        self.look(workspace, attempt)
        return workspace

    def look(self, workspace: Workspace, attempt: int = 1, parts: Parts | None = None) -> None:
        looking = parts or Parts(self.site)
        for _ in range(3):
            looking.snapshot(self.at(attempt), workspace, "snapshot.1")
            time.sleep(0.01)

    def ref(self, attempt: int = 1) -> str:
        return work_ref(self.site.order.plan, self.site.order.run, "1", attempt)


MakeMachine = Callable[..., Machine]


@pytest.fixture
def stage(tmp_path: Path) -> RemoteStage:
    made = RemoteStage(tmp_path)
    made.commit(PLAN_FILE, TEXT)
    return made


@pytest.fixture
def machine(stage: RemoteStage, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeMachine:
    """Makes machines: each one takes the plan, and goes on with the run of the first."""
    monkeypatch.setenv("PLANRAIL_DATABASE", database)
    made: list[Machine] = []

    def make(name: str, *, agent: str = "command", every: str = AT_ONCE) -> Machine:
        if not made:
            stage.commit("planrail.toml", AGENT.format(agent=agent, every=every))
        monkeypatch.setenv("PLANRAIL_STATE_DIR", str(tmp_path / f"state-{name}"))
        root = stage.mirror(name)
        context = read_context(write_plan_file(root, TARGET, PLAN_FILE), TARGET)
        order = replace(make_order(context, Options(auto=True, finish=True, agent=agent)), remote=REMOTE)
        order = replace(order, run=made[0].site.order.run) if made else order
        folder = new_folder(root, order, TEXT)
        claims, owner = open_store(root).claims, replace(describe_process(os.getpid()), id=name, run=order.run)
        taken = claims.takeover(PLAN, order.plan, owner, int(time.time()), reason="its machine was lost")
        assert isinstance(taken, Acquired | TakenOver)
        claim = taken.claim
        raise_fence(root, REMOTE, order.plan, claim.fence, order.run)
        teller = Teller()
        given = (context.settings, os.environ, teller, lambda phase: "", claim, Interruptions())
        made.append(Machine(stage, Site(order, folder, *given, is_resumed=bool(made)), teller))
        return made[-1]

    return make


# ---- pushing ----


def test_what_an_agent_has_begun_is_pushed_and_its_own_git_is_not_touched(
    machine: MakeMachine, stage: RemoteStage
) -> None:
    far = machine("far")
    stage.commit(".gitignore", "*.env\n")
    workspace = far.open()
    own = [Path(workspace.path, ".git", name) for name in ("index", "HEAD", "config")]
    before = [path.read_bytes() for path in own]
    Path(workspace.path, "hello.txt").write_text("hel")
    Path(workspace.path, "local.env").write_text("mine\n")
    far.look(workspace)
    files = git(stage.bare, "diff-tree", "-r", "--name-only", "main", far.ref()).split()
    assert files == ["hello.txt"]
    assert [path.read_bytes() for path in own] == before
    assert stage.tip(f"{far.ref()}^") == workspace.base == stage.tip()


@pytest.mark.soak
def test_only_what_has_changed_is_pushed(machine: MakeMachine, stage: RemoteStage) -> None:
    far = machine("far")
    parts, workspace = Parts(far.site), far.open()
    far.look(workspace, parts=parts)
    assert not stage.tip(far.ref())
    Path(workspace.path, "hello.txt").write_text("hel")
    far.look(workspace, parts=parts)
    pushed = stage.tip(far.ref())
    git(stage.bare, "update-ref", "-d", far.ref())
    far.look(workspace, parts=parts)
    assert pushed
    assert not stage.tip(far.ref())


@pytest.mark.full
@pytest.mark.parametrize(("agent", "every"), [("command", '"off"'), ("command", "3"), ("runbook", AT_ONCE)])
def test_nothing_is_pushed_where_it_is_not_wanted_not_time_or_of_no_use(
    machine: MakeMachine, stage: RemoteStage, agent: str, every: str
) -> None:
    far = machine("far", agent=agent, every=every)
    far.work({"hello.txt": "hel"})
    assert not stage.tip(far.ref())


def test_what_looks_like_a_secret_stays_here(machine: MakeMachine, stage: RemoteStage) -> None:
    far = machine("far")
    far.work({"settings.ini": SECRET})
    assert not stage.tip(far.ref())
    assert "not pushed: settings.ini:1 adds what looks like a secret" in far.said
    assert "wJalrXUtnFEMI" not in far.said


@pytest.mark.soak
def test_too_much_stays_here(machine: MakeMachine, stage: RemoteStage) -> None:
    far = machine("far")
    workspace = far.open()
    for number in range(3):
        with open(os.path.join(workspace.path, f"{number}.bin"), "wb") as file:
            file.truncate(8 * 1024 * 1024)
    far.look(workspace)
    assert not stage.tip(far.ref())
    assert "not pushed: 3 files with 25,165,824 bytes are too much" in far.said


@pytest.mark.soak
def test_a_remote_that_refuses_is_told_once_and_the_work_goes_on(machine: MakeMachine, stage: RemoteStage) -> None:
    far = machine("far")
    stage.hook("update", 'case "$1" in refs/planrail/work/*) echo "no such refs here" >&2; exit 1;; esac')
    parts, workspace = Parts(far.site), far.open()
    for text in ("h", "he", "hel"):
        Path(workspace.path, "hello.txt").write_text(text)
        far.look(workspace, parts=parts)
    [told] = far.teller.notes
    assert "no such refs here" in told
    assert '[run] push_work = "off"' in told


def test_a_machine_that_has_lost_the_plan_pushes_nothing(machine: MakeMachine, stage: RemoteStage) -> None:
    far = machine("far")
    workspace = far.work({"hello.txt": "hel"})
    pushed = stage.tip(far.ref())
    machine("near")
    Path(workspace.path, "hello.txt").write_text("hello, far too late")
    far.look(workspace)
    assert stage.tip(far.ref()) == pushed


# ---- finding ----


def test_the_next_attempt_on_another_machine_begins_with_it(machine: MakeMachine, stage: RemoteStage) -> None:
    machine("far").work({"hello.txt": "hel", "README": "changed\n"})
    near = machine("near")
    workspace = near.open(2)
    assert Path(workspace.path, "hello.txt").read_text() == "hel"
    assert Path(workspace.path, "README").read_text() == "changed\n"
    assert workspace.base == stage.tip()
    assert workspace.begun
    assert "begins with what an earlier attempt had begun" in near.said
    assert sorted(git(workspace.path, "diff", "--name-only", "HEAD").split()) == ["README", "hello.txt"]
    taken = Parts(near.site).snapshot(near.at(2), workspace, "snapshot.1")
    assert taken.paths == ("README", "hello.txt")  # type: ignore[union-attr]


def test_an_attempt_on_the_same_machine_begins_anew(machine: MakeMachine) -> None:
    far = machine("far")
    far.work({"hello.txt": "hel"})
    workspace = far.open(2)
    assert not Path(workspace.path, "hello.txt").exists()
    assert (workspace.begun, far.said) == ("", "")


@pytest.mark.full
def test_a_base_that_has_moved_on_keeps_both(machine: MakeMachine, stage: RemoteStage) -> None:
    machine("far").work({"hello.txt": "hel"})
    stage.commit("theirs.txt", "theirs\n")
    workspace = machine("near").open(2)
    assert Path(workspace.path, "hello.txt").read_text() == "hel"
    assert Path(workspace.path, "theirs.txt").read_text() == "theirs\n"


@pytest.mark.soak
def test_work_that_does_not_fit_the_base_any_more_is_left_out_and_told(
    machine: MakeMachine, stage: RemoteStage
) -> None:
    machine("far").work({"README": "ours\n"})
    stage.commit("README", "theirs\n")
    near = machine("near")
    workspace = near.open(2)
    assert (Path(workspace.path, "README").read_text(), workspace.begun) == ("theirs\n", "")
    assert "begins anew" in near.said
    assert "README: both sides changed the same lines" in near.said


@pytest.mark.full
def test_a_link_out_of_the_tree_is_left_out_and_told(machine: MakeMachine) -> None:
    far = machine("far")
    workspace = far.open()
    Path(workspace.path, "hello.txt").symlink_to("/etc/passwd")
    far.look(workspace)
    near = machine("near")
    workspace = near.open(2)
    assert not os.path.lexists(os.path.join(workspace.path, "hello.txt"))
    assert "begins anew" in near.said


def _forge_blob(stage: RemoteStage) -> str:
    return git_input(stage, "hash-object -w --stdin", "forged")


def _forge_commit(stage: RemoteStage, tree: str) -> str:
    return git(stage.bare, "commit-tree", tree, "-p", "main", "-m", "greet 1: work")


def _forge_huge(stage: RemoteStage) -> str:
    """Ten billion files in twelve objects."""
    tree = f"100644 blob {_forge_blob(stage)}\tf"
    for _ in range(10):
        name = git_input(stage, "mktree", tree)
        tree = "\n".join(f"040000 tree {name}\t{number}" for number in range(10))
    return _forge_commit(stage, git_input(stage, "mktree", tree))


def _forge_git_folder(stage: RemoteStage) -> str:
    hooks = git_input(stage, "mktree", f"100755 blob {_forge_blob(stage)}\tpost-checkout")
    return _forge_commit(stage, git_input(stage, "mktree", f"040000 tree {hooks}\t.git"))


def _forge_other_work(stage: RemoteStage) -> str:
    return git(stage.bare, "commit-tree", "main^{tree}", "-p", "main", "-m", "other 1: work")


def git_input(stage: RemoteStage, command: str, text: str) -> str:
    place = stage.folder / "input"
    place.write_text(text + "\n")
    return git(stage.bare, "-c", f"alias.fed=!git {command} < '{place}'", "fed")


@pytest.mark.full
@pytest.mark.parametrize("forge", [_forge_blob, soak(_forge_huge), _forge_git_folder, soak(_forge_other_work)])
def test_what_this_run_has_not_pushed_is_not_even_fetched(
    machine: MakeMachine, stage: RemoteStage, forge: Callable[[RemoteStage], str]
) -> None:
    far = machine("far")
    far.work({"hello.txt": "hel"})
    forged = forge(stage)
    git(stage.bare, "update-ref", far.ref(), forged)
    near = machine("near")
    workspace = near.open(2)
    assert (workspace.begun, os.path.exists(os.path.join(workspace.path, "hello.txt"))) == ("", False)
    assert f"{REMOTE} has something at {far.ref()} that this run has not pushed" in near.said
    assert not git(near.site.root, "cat-file", "-t", forged, check=False)


@pytest.mark.full
def test_the_work_of_another_phase_of_this_run_is_not_taken(machine: MakeMachine, stage: RemoteStage) -> None:
    """Its commit is known: for what it is, and for nothing else."""
    far = machine("far")
    far.work({"hello.txt": "hel"})
    git(stage.bare, "update-ref", far.ref(2), stage.tip(far.ref()))
    near = machine("near")
    assert not near.open(3).begun
    assert "has not pushed" in near.said


# ---- the end ----


@pytest.mark.full
def test_nothing_is_left_when_the_attempt_has_ended(machine: MakeMachine, stage: RemoteStage) -> None:
    machine("far").work({"hello.txt": "hel"})
    near = machine("near")
    near.work({"hello.txt": "hello"}, attempt=2)
    refs = [near.ref(1), near.ref(2)]
    assert all(map(stage.tip, refs))
    lost = PhaseEnd("1", "failed", "lost", "the machine was lost")
    Parts(near.site).end_phase(near.at(1), lost, None, None)
    assert all(map(stage.tip, refs))
    Parts(near.site).end_phase(near.at(2), PhaseEnd("1", "landed", commit=stage.base), None, None)
    assert not any(map(stage.tip, refs))


CHOICES = [([], [], 0), ([1], [], 1), ([1, 2], [], 2), ([1], [1], 0), ([1], [2], 0), ([1, 2], [1], 2)]


@pytest.mark.parametrize(("there", "own", "chosen"), CHOICES)
def test_the_last_attempt_decides_unless_it_was_made_here(there: list[int], own: list[int], chosen: int) -> None:
    assert choose_work(there, own) == chosen
