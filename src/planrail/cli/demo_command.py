"""Show the whole life of a plan on a small project that comes with planrail, in a temporary repository.

A plan is read, linted and approved; an agent's false claim is refused; the plan is run, one check fails and is fixed,
each phase lands. No model and no network is needed.
"""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
from argparse import ArgumentParser, Namespace

import planrail.examples
from planrail.base.errors import UsageError
from planrail.base.records import record
from planrail.base.wording import paint, plural, quote
from planrail.cli.screen import print_next, say, warn

_PLAN = "plans/languages.md"
_SETTINGS = '[run]\ncommand = "sh lying-agent.sh"\n'
_SECONDS = 10  # of silence after which a terminal is given up
_WITHOUT_APPROVAL = "[approval]\nrequired = false\n"


@record
class Scene:
    """One command of the story, the sentence before it, and the exit code that it should have."""

    sentence: str
    command: tuple[str, ...]
    code: int = 0


_READING = (
    Scene("A plan, as it was left. planrail reads it as it is: no set-up, nothing written.", ("show", "PLAN.md")),
    Scene(
        "Is it a good plan? A path that does not exist, a check that cannot fail, a word that proves nothing.",
        ("lint", "PLAN.md", "--root", "."),
        1,
    ),
    Scene("A better one: each phase says what is done and how that is checked.", ("lint", _PLAN)),
)
_RUNNING = (
    Scene(
        "An agent that ticks the boxes and says that all is done. planrail runs the checks itself, and refuses.",
        ("run", _PLAN, "1", "auto", "--agent", "command"),
        1,
    ),
    Scene(
        "Now an honest one: the plan's own blocks. In phase 2 a check fails, and is fixed; then each phase lands.",
        ("run", _PLAN, "finish", "auto"),
    ),
    Scene("What was proven, by which command, on which tree.", ("report", _PLAN)),
    Scene("Where does it stand?", ("show", _PLAN)),
)


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--keep", metavar="DIR", help="leave the example project in this new folder")


def run(arguments: Namespace) -> int:
    """Tell the story. Every scene is a command as a user would type it."""
    import tempfile

    if arguments.keep and os.path.lexists(arguments.keep):
        raise UsageError(
            f"{arguments.keep} is there already; nothing was done", remedy="planrail demo --keep A-NEW-FOLDER"
        )
    with tempfile.TemporaryDirectory(prefix="planrail-demo-") as folder:
        project = os.path.join(os.path.realpath(folder), "greeter")
        environment = {**os.environ, "PLANRAIL_STATE_DIR": os.path.join(os.path.realpath(folder), "state")}
        example = os.path.join(os.path.dirname(planrail.examples.__file__), "greeter")
        shutil.copytree(example, project, ignore=shutil.ignore_patterns("__pycache__"))
        _settle(project, _SETTINGS, environment, first=True)
        failed = _tell(project, environment)
        if arguments.keep:
            shutil.copytree(project, arguments.keep)
    if failed:
        warn(f"the demo failed at: {' '.join(failed)}")
        return 1
    where = f"The repository is in {arguments.keep}." if arguments.keep else "The repository is gone again."
    say(f"\n{plural(3, 'phase')} landed, each in a commit with its evidence. {where}")
    kept = f"cd {quote(arguments.keep)} && planrail show PLAN.md" if arguments.keep else ""
    print_next(kept or "planrail next PLAN.md        (in a project of yours; any plan file will do)")
    return 0


def _settle(project: str, settings: str, environment: dict[str, str], *, first: bool = False) -> None:
    """Commit the settings of the example: planrail hears them only so."""
    with open(os.path.join(project, "planrail.toml"), "w", encoding="utf-8") as file:
        file.write(settings)
    who = ("-c", "user.name=planrail demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false")
    begin = [["git", "init", "--quiet", "--initial-branch=main"]] if first else []
    for command in (*begin, ["git", "add", "."], ["git", *who, "commit", "--quiet", "-m", "The example"]):
        subprocess.run(command, cwd=project, env=environment, check=True, stdin=subprocess.DEVNULL)


def _tell(project: str, environment: dict[str, str]) -> list[str] | None:
    """Play the scenes in the project; the one that failed, if any."""
    for scene in (*_READING, None, *_RUNNING):
        if scene is None:
            _approve(project, environment)
            continue
        _announce(scene.sentence, scene.command)
        done = subprocess.run([sys.executable, "-m", "planrail", *scene.command], cwd=project, env=environment)
        if done.returncode != scene.code:
            return ["planrail", *scene.command]
    return None


def _announce(sentence: str, command: tuple[str, ...]) -> None:
    say(f"\n{paint('#', 'cyan')} {paint(sentence, 'cyan')}")
    say(f"{paint('$', 'dim')} {paint('planrail ' + ' '.join(command), 'bold')}")
    sys.stdout.flush()


def _approve(project: str, environment: dict[str, str]) -> None:
    """A person approves, at a terminal. Here the demo types it; where that is refused, the example does without."""
    _announce(
        "Only a person starts a run. The demo types the answer for you, in this repository only.", ("approve", _PLAN)
    )
    code, shown = _approve_at_terminal(["approve", _PLAN], project, environment)
    say(shown)
    if code:
        say("It was refused here, since an agent started the demo. The example goes on without approval, and says so.")
        _settle(project, _WITHOUT_APPROVAL + _SETTINGS, environment)


def _approve_at_terminal(command: list[str], project: str, environment: dict[str, str]) -> tuple[int, str]:
    """The exit code of a command at a terminal of its own, where its question is answered, and what it showed."""
    process, terminal = pty.fork()
    if not process:
        os.chdir(project)
        given = {**environment, "NO_COLOR": "1", "TERM": "dumb"}
        os.execve(sys.executable, [sys.executable, "-m", "planrail", *command], given)
    try:
        shown = _converse(terminal)
    finally:
        os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), shown


def _converse(terminal: int) -> str:
    """Read the word in the question, as a person does, and type it. All that was shown."""
    shown, is_asked = b"", False
    while select.select([terminal], [], [], _SECONDS)[0]:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the other side has hung up
            part = b""
        if not part:
            break
        shown += part
        question = re.search(rb"approve\? Type (\w+) for yes \(.*\): ", shown)
        if question and not is_asked:
            is_asked = True
            os.write(terminal, question[1] + b"\n")
    return shown.decode("utf-8", "replace").replace("\r", "").strip()
