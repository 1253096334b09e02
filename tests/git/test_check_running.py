"""Running checks: on the exact tree, with nothing of planrail in sight, and with nothing left behind."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from planrail.base.records import replace
from planrail.base.run_model import CheckOrder, CheckRun, Finding, Workspace
from planrail.confine.backends import BUBBLEWRAP
from planrail.git.exact_trees import changed_paths, is_pristine, mix_trees
from planrail.git.workspaces.workspaces import move_to
from planrail.runs.checks.enclosures import Enclosure
from planrail.runs.checks.environment import check_environment
from planrail.runs.checks.leftovers import end_forgotten
from planrail.runs.checks.output import Output, read_output, unfinished
from planrail.runs.checks.running import TIMED_OUT, Checked, CheckPlace, run_check, run_checks
from tests.confine.outside import need
from tests.git.snapshot_trees import git, write
from tests.git.workspace_trees import Site, commit
from tests.support.patience import PATIENCE

TREE = "1" * 40


def check(command: str, origin: str = "block") -> CheckOrder:
    return CheckOrder(command, 7, origin)


def run(folder: Path, command: str, timeout: float = 20.0, **variables: str) -> CheckRun:
    work = folder / "work"
    work.mkdir(exist_ok=True)
    environment = check_environment({**os.environ, **variables})
    return run_check(check(command), str(work), TREE, environment, str(folder / "kept" / "01.log"), timeout)


def alive(marker: str) -> list[str]:
    """The processes whose command line has a word."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if marker.encode() in words:
                found.append(name)
    return found


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("true", 0),
        ("false", 1),
        ("exit 7", 7),
        ("false; true", 1),
        ("false\ntrue", 1),
        ("kill -9 $$", 137),
        ("no-such-program-here", 127),
        ("read line", 1),
        ("test ! -t 0", 0),
    ],
)
def test_the_exit_code_is_that_of_the_first_line_that_fails(tmp_path: Path, command: str, code: int) -> None:
    assert run(tmp_path, command).exit == code


def test_an_output_is_kept_with_its_hash_for_its_owner_alone_and_its_end_is_masked(tmp_path: Path) -> None:
    kept = run(tmp_path, f"echo out; echo err >&2; ls '{tmp_path}/kept'")  # it has no name until it is complete
    assert Path(kept.output).read_text() == "out\nerr\n01.log.part\n"
    assert kept.output_hash == hashlib.sha256(b"out\nerr\n01.log.part\n").hexdigest()
    assert read_output(kept) == "out\nerr\n01.log.part\n"
    assert os.stat(kept.output).st_mode & 0o077 == 0
    Path(kept.output).write_text("12 passed\n")
    assert read_output(kept) is None
    token = "ghp_" + "a1B2" * 9
    assert token not in run(tmp_path, f"echo key {token}").tail


def test_a_flood_is_bounded_and_its_end_is_kept(tmp_path: Path) -> None:
    output = Output(str(tmp_path / "x.log"), longest=10_000)
    for number in range(3000):
        output.add(f"line {number}\n".encode())
    digest, tail = output.close()
    data = (tmp_path / "x.log").read_bytes()
    assert len(data) <= 10_000
    assert hashlib.sha256(data).hexdigest() == digest
    assert data.startswith(b"line 0\n")
    assert b"bytes are left out here" in data
    assert data.endswith(b"line 2999\n")
    assert tail.endswith("line 2999\n")
    assert len(tail) <= 2000


def test_a_check_knows_nothing_of_planrail_git_or_an_agent(tmp_path: Path) -> None:
    names = ["PLANRAIL_STATE_DIR", "GIT_DIR", "GIT_INDEX_FILE", "ANTHROPIC_API_KEY", "CLAUDE_CODE_SESSION_ID"]
    names += ["GITHUB_TOKEN", "PYTEST_ADDOPTS", "NODE_OPTIONS", "LD_PRELOAD", "PYTHONPATH", "BASH_ENV"]
    given = dict.fromkeys(names, "x")
    said = (read_output(run(tmp_path, "env", 20.0, **given)) or "").splitlines()
    seen = {line.partition("=")[0] for line in said}
    assert not seen & given.keys()
    assert {"PATH", "HOME", "CI", "TMPDIR"} <= seen
    assert not [line for line in said if "planrail" in line.lower() and not line.startswith(("PATH=", "HOME="))]


def test_a_check_has_a_temporary_folder_of_its_own_and_no_handle_on_where_its_output_is_kept(tmp_path: Path) -> None:
    assert check_environment({"PATH": ".:/bin::bin:/usr/bin"})["PATH"] == "/bin:/usr/bin"
    said = read_output(run(tmp_path, 'echo x > "$TMPDIR/x"; echo "$TMPDIR"; ls -l /proc/self/fd; env; pwd')) or ""
    assert said.splitlines()[0]
    assert not os.path.exists(said.splitlines()[0])
    assert "kept" not in said


@pytest.mark.parametrize(
    "command",
    [
        "sleep {0} &",
        "nohup sleep {0} >/dev/null 2>&1 &",
        "(setsid sleep {0} >/dev/null 2>&1 &)",
        "setsid sh -c 'sleep {0} & exec >/dev/null 2>&1' &",
        "env -i sleep {0} >/dev/null 2>&1 &",
    ],
)
def test_nothing_that_a_check_started_lives_on(tmp_path: Path, command: str) -> None:
    marker = f"77{time.time_ns() % 10**6:06}"
    assert run(tmp_path, command.format(marker)).exit == 0
    assert not alive(marker)


@pytest.mark.full
def test_a_check_that_takes_too_long_is_ended_with_all_its_processes(tmp_path: Path) -> None:
    marker = f"78{time.time_ns() % 10**6:06}"
    kept = run(tmp_path, f"trap '' TERM; (setsid sleep {marker} &) ; sleep {marker}", timeout=0.5)
    assert kept.exit == TIMED_OUT
    assert "ended after 0.5 seconds" in kept.tail
    assert not alive(marker)


def test_a_script_may_be_too_long_for_an_argument_and_what_cannot_be_started_fails(tmp_path: Path) -> None:
    assert run(tmp_path, "x='" + "y" * 300_000 + "'\nexit 5\n").exit == 5
    assert run(tmp_path, "echo \0").exit == 126
    assert run_check(check("true"), str(tmp_path / "none"), TREE, {}, str(tmp_path / "x.log"), 5).exit == 126


@pytest.mark.full
def test_a_check_that_a_dead_planrail_had_begun_is_ended_before_it_is_run_again(tmp_path: Path) -> None:
    marker = f"79{time.time_ns() % 10**6:06}"
    (tmp_path / "work").mkdir()
    program = (
        "import sys; from planrail.runs.checks.running import run_check; from planrail.base.run_model import CheckOrder\n"
        f"run_check(CheckOrder('setsid sleep {marker}', 7, 'block'), sys.argv[1], 'x', {{'PATH': '/usr/bin:/bin'}}, "
        "sys.argv[2], 100)"
    )
    output = tmp_path / "kept" / "01.log"
    planrail = subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "work"), str(output)])
    deadline = time.monotonic() + PATIENCE
    while not alive(marker) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(planrail.pid, signal.SIGKILL)
    planrail.wait()
    assert alive(marker)
    assert os.path.exists(unfinished(str(output)))
    assert run(tmp_path, "echo again").exit == 0
    assert not alive(marker)
    assert output.read_text() == "again\n"
    assert end_forgotten(str(output)) == 0


def place_of(site: Site, workspace: Workspace, tree: str) -> CheckPlace:
    return CheckPlace(
        str(site.root), workspace, tree, check_environment(os.environ), str(site.check_folder / "kept"), 20
    )


@pytest.mark.parametrize(("is_certain", "looks"), [(True, 2), (False, 4)])
def test_between_checks_that_can_change_nothing_nobody_looks_around(site: Site, is_certain: bool, looks: int) -> None:
    enclosure, seen = Enclosure(need(BUBBLEWRAP), may_open=not is_certain), list[Finding]()

    def look() -> list[Finding]:
        seen.append(Finding("seen", ""))
        return []

    place = replace(place_of(site, site.open(), site.tree(site.second)), enclosure=enclosure, look=look)
    done = run_checks([check("true"), check("true"), check("true")], place, lambda: None)
    assert [run.exit for run in done.runs] == [0, 0, 0]
    assert len(seen) == looks


def run_all(site: Site, workspace: Workspace, *commands: str) -> Checked:
    tree = site.tree(site.second)
    orders = [check(command) for command in commands]
    return run_checks(orders, place_of(site, workspace, tree), lambda: move_to(str(site.root), workspace, site.second))


def test_a_fresh_workspace_is_exactly_its_tree_and_so_it_is_when_a_file_was_only_touched(site: Site) -> None:
    workspace = site.open()
    os.utime(os.path.join(workspace.path, "a.py"), (1, 1))
    assert is_pristine(str(site.root), workspace, site.tree(site.second))
    assert not is_pristine(str(site.root), workspace, site.tree(site.first))


@pytest.mark.parametrize(
    "command",
    [
        "echo more >> a.py",
        "mv a.py b.py",
        "chmod +x a.py",
        "rm link; ln -s a.py link",
        "cp -p a.py kept.py; printf 'bb\\n' > a.py; touch -r kept.py a.py",
        "rm -rf .git; echo more >> a.py",
        "git update-index --assume-unchanged a.py; echo more >> a.py",
        "echo '* filter=x' > .gitattributes; git config filter.x.clean 'echo aa'; echo more >> a.py",
    ],
)
def test_a_check_that_changes_what_it_judges_is_found_and_the_next_one_starts_anew(site: Site, command: str) -> None:
    workspace = site.open()
    checked = run_all(site, workspace, command, "grep -qx aa a.py")
    assert [finding.kind for finding in checked.findings if finding.is_failure] == ["check_changed_tree"]
    assert checked.runs[1].exit == 0
    assert is_pristine(str(site.root), workspace, site.tree(site.second))


def test_checks_go_on_after_one_that_fails_and_may_leave_what_nobody_tracks_but_no_harness(site: Site) -> None:
    leave = "mkdir build; echo x > build/x; echo y > y.txt"
    checked = run_all(site, site.open(), "false", leave, "test -f build/x; cat y.txt", "exit 3")
    assert [one.exit for one in checked.runs] == [1, 0, 0, 3]
    assert len({one.output for one in checked.runs}) == 4
    assert not checked.findings
    checked = run_all(site, site.open(), "echo x > conftest.py", "true")
    assert [finding.kind for finding in checked.findings] == ["check_left_tests"]


def test_a_lock_file_that_was_rewritten_is_a_note(site: Site) -> None:
    write(site.root, "package-lock.json", "{}\n")
    head = commit(site.root, "third")
    workspace = site.open(base=head)
    place = place_of(site, workspace, site.tree(head))
    checked = run_checks([check("echo 1 > package-lock.json")], place, lambda: move_to(str(site.root), workspace, head))
    assert [(finding.kind, finding.is_failure) for finding in checked.findings] == [("check_changed_lock", False)]
    assert is_pristine(str(site.root), workspace, site.tree(head))


def test_trees_are_mixed_file_by_file(site: Site) -> None:
    mixed = mix_trees(str(site.root), site.second, site.first, ["a.py", "d/f1.txt", "no/such"])
    workspace = site.open()
    assert changed_paths(str(site.root), workspace, mixed) == ["a.py", "d/f1.txt"]
    without = mix_trees(str(site.root), site.first, site.second, ["d/f1.txt"])
    assert "d/f1.txt" not in git(site.root, "ls-tree", "-r", "--name-only", without).split()
    assert mix_trees(str(site.root), site.second, site.first, []) == site.tree(site.second)
