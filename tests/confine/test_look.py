"""`planrail look`: commands that write change nothing, commands that read answer as they do outside."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed
from planrail.confine.backends import NONE, Backend
from planrail.confine.looking import look
from planrail.confine.trials import find_backend
from tests.confine.outside import BOTH, Outside, need, open_outside
from tests.confine.projects import READS, make_project

MUTATING = """
touch new
echo x >README.md
echo x >>README.md
: >README.md
rm README.md
rm -rf src
rm -rf .git
mv README.md gone.md
cp README.md copy.md
cp /etc/hostname src/
ln -s README.md link
ln README.md hard
mkdir made
mkdir -p a/b/c
rmdir empty
chmod 600 README.md
chmod -R 777 .
chown 1:1 README.md
touch -d 2001-01-01 README.md
truncate -s 0 README.md
dd if=/dev/zero of=README.md count=1
sed -i s/a/b/ README.md
perl -i -pe s/a/b/ README.md
tee README.md </etc/hostname
install -m 755 README.md installed
git add -A
git commit --allow-empty -m x
git checkout -b other
git branch new
git tag new
git config user.name x
git config --global user.name x
git stash
git reset --hard HEAD~1
git clean -fdx
git gc
git update-ref refs/heads/x HEAD
git worktree add ../elsewhere
git init .
git hash-object -w README.md
python3 -c 'open("new", "w")'
python3 -c 'import os; os.unlink("README.md")'
python3 -c 'import os; os.rename("README.md", "x")'
python3 -c 'import os; os.chmod("README.md", 0)'
python3 -c 'import os; os.utime("README.md", (1, 1))'
python3 -c 'import os; os.mkfifo("pipe")'
python3 -c 'import os; os.setxattr("README.md", "user.x", b"1")'
python3 -m venv env
python3 -m compileall src
make
npm init -y
npm install --offline
cargo new made
cargo build --offline
echo x >"$TOP/home/.bashrc"
rm -rf "$TOP/home/.cargo"
echo x >"$TOP/state/ledger"
echo x >"$TOP/rooms/other/own"
rm -rf "$TOP/project" "$TOP/rooms"
find . -delete
find . -name README.md -exec rm {} +
(sleep 0.05; touch late) & wait
kill -9 "$SLEEPER"
chattr +i README.md
echo x >/proc/$SLEEPER/oom_score_adj
"""


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Outside]:
    with open_outside(tmp_path) as made:
        yield made


@BOTH
def test_no_command_changes_anything(outside: Outside, name: str) -> None:
    """The project is an ordinary folder outside: nothing of the process's own but its scratch folder."""
    backend = need(name)
    make_project(outside.project)
    (outside.project / "empty").mkdir()
    before, commands = outside.observe(), MUTATING.strip().splitlines()
    assert len(commands) >= 60
    for command in commands:
        look(["/bin/sh", "-c", command], str(outside.project), backend, outside.environment(), is_kept=True)
        assert outside.observe() == before, command
        assert not outside.is_sleeper_gone(), command
    assert not outside.has_heard()


@pytest.mark.soak  # half of them take a second, twice
@BOTH
def test_toolchains_answer_as_they_do_outside(outside: Outside, name: str) -> None:
    backend = need(name)
    make_project(outside.project)
    environment = {**os.environ, "TOP": str(outside.top), "TMPDIR": str(outside.scratch)}
    environment |= {"CARGO_NET_OFFLINE": "true", "PYTHONDONTWRITEBYTECODE": "1"}
    asked, different = 0, []
    for command in READS.strip().splitlines():
        if shutil.which(command.split()[0]) is None:
            continue
        asked += 1
        argv = ["/bin/sh", "-c", command]
        inside = look(argv, str(outside.project), backend, environment, is_kept=True)
        bare = subprocess.run(
            argv, cwd=outside.project, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
        if (inside.exit, inside.stdout) != (bare.returncode, bare.stdout):
            different.append((command, inside, bare))
    assert asked >= 20
    assert len(different) <= asked * 8 // 78, "\n".join(map(str, different))


@BOTH
def test_a_command_has_a_home_and_temporary_files_of_its_own(outside: Outside, name: str) -> None:
    script = 'echo a >~/f; echo b >"$TMPDIR/f"; cat ~/f "$TMPDIR/f"; cat "$TOP/home/.ssh/id"'
    looked = look(["sh", "-c", script], str(outside.project), need(name), outside.environment(), is_kept=True)
    assert looked.stdout == "a\nb\n"


@BOTH
def test_what_a_command_leaves_is_gone_with_it(outside: Outside, name: str) -> None:
    script = 'mkdir -p ~/a/b; sleep 300 & echo "$TMPDIR"'
    looked = look(["sh", "-c", script], str(outside.project), need(name), outside.environment(), is_kept=True)
    assert looked.stdout.startswith("/")
    assert not os.path.exists(os.path.dirname(looked.stdout.strip()))


def test_nothing_is_run_where_nothing_can_confine(outside: Outside) -> None:
    with pytest.raises(ToolFailed) as told:
        look(["touch", "new"], str(outside.project), Backend(NONE, "", "no way", "apt install bubblewrap"), {})
    assert (told.value.exit_code, told.value.remedy) == (11, "apt install bubblewrap")
    assert not (outside.project / "new").exists()


def _planrail(*words: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-m", "planrail", *words], cwd=folder, capture_output=True, text=True)


def test_the_command_says_what_the_command_said(outside: Outside) -> None:
    if find_backend().name == NONE:
        pytest.skip(find_backend().reason)
    done = _planrail("look", "--", "sh", "-c", "echo out; echo err >&2; exit 5", folder=outside.project)
    assert (done.returncode, done.stdout, done.stderr) == (5, "out\n", "err\n")
    told = _planrail("look", "--json", "--", "sh", "-c", "echo out; echo err >&2; exit 5", folder=outside.project)
    assert (told.returncode, json.loads(told.stdout)) == (
        5,
        {
            "command": ["sh", "-c", "echo out; echo err >&2; exit 5"],
            "exit": 5,
            "stdout": "out\n",
            "stderr": "err\n",
            "confined": find_backend().name,
        },
    )


def test_no_command_is_a_wrong_call(outside: Outside) -> None:
    done = _planrail("look", "--", folder=outside.project)
    assert (done.returncode, "planrail look -- git status" in done.stderr) == (2, True)
