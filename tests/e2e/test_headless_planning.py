"""A planning without a session, with the real programs: Claude Code writes the plan and Codex criticises it."""

import json
import subprocess
import sys
from pathlib import Path

import yaml

from planrail.planning.plan_format import EXAMPLE
from planrail.testing.model_server import ModelServer, Script, call, say
from tests.e2e.claude import Claude
from tests.e2e.codex import Codex
from tests.e2e.programs import CLAUDE, CODEX, installed
from tests.e2e.projects import Project
from tests.planning.conducting_fakes import COMPARED, CRITIQUE, EXPLORED, UNDERSTOOD

REVISED = EXAMPLE.replace("with an error\n", "with a `ValueError`\n")
WAIT = 240


def _begin(project: Project) -> None:
    for name, text in {
        "src/greeter.py": "def greet(name): ...\n",
        "tests/test_greeter.py": "def test(): ...\n",
    }.items():
        path = Path(project.path(name))
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    project.git("add", ".")
    project.git("commit", "--quiet", "--message", "Greet")


def _environment(project: Project, of_claude: ModelServer, of_codex: ModelServer) -> dict[str, str]:
    codex = Codex(project, of_codex, with_planrail=False)
    claude = Claude(project, of_claude, plugin=None).environment()
    programs = f"{installed(CLAUDE).parent}:{installed(CODEX).parent}"
    return {**claude, "CODEX_HOME": str(codex.config), "NO_REAL_KEY": "none", "PATH": f"{programs}:{claude['PATH']}"}


def _planrail(project: Project, environment: dict[str, str], *arguments: str) -> "tuple[int, dict[str, object], str]":
    command = [sys.executable, "-m", "planrail", *arguments, "--json"]
    done = subprocess.run(
        command,
        cwd=project.folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=WAIT,
    )
    return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr


def test_claude_writes_a_plan_that_codex_has_criticised(project: Project) -> None:
    """Two explorers, a write that is denied, a poor answer, a failing critique, a revision; and then a refinement."""
    _begin(project)
    writing = call("Write", file_path=project.path("hello.txt"), content="hello\n")
    author_script = Script(
        say("It is about greeting."),  # not good enough
        say(UNDERSTOOD),
        say(EXPLORED),
        say(EXPLORED),
        say(COMPARED),
        writing,  # denied
        call("Bash", command="touch hello.txt"),  # denied
        call("Bash", command="git log --oneline"),
        say(EXAMPLE),
        say(f"{REVISED}\n<promise>PLAN_OK</promise>"),
    )
    critic_script = Script(call("exec_command", cmd="touch hello.txt"), say("All is well."), say(CRITIQUE))
    with ModelServer(author_script) as author, ModelServer(critic_script) as critic:
        environment = _environment(project, author, critic)
        agents = ("--agent", "claude", "--critic", "codex")
        bounds = ("--rounds", "1", "--explorers", "2", "--output", "PLAN.md")
        code, answer, told = _planrail(project, environment, "plan", "Refuse empty names", *agents, *bounds)
        assert code == 0, told
        assert (author_script.left, author_script.overrun, critic_script.left) == (0, 0, 0)
        assert critic.turns[0].was_told("Phase: CRITIQUE")
        assert critic.turns[-1].was_told("Refuse an empty name")
        assert not critic.turns[-1].was_told("It is about greeting")
        last = author.turns[-1]
        assert last.was_told("the error's type is not named")  # the critique
        assert last.was_told("Phase: UNDERSTAND")  # the same conversation, from the first phase on
    text = Path(project.path("PLAN.md")).read_text()
    facts = yaml.safe_load(text.split("---\n")[1])
    assert text.endswith(REVISED)
    assert (facts["author"], facts["critic"]) == ("claude", "codex")
    assert project.changes() == "?? PLAN.md"
    assert "denied" in told
    assert answer["tokens"] != {"in": 0, "out": 0}
    _refine(project, text)


def _refine(project: Project, before: str) -> None:
    """What a person says about the plan reaches Claude; what is finished stays."""
    path = Path(project.path("PLAN.md"))
    finished = before.replace("- [ ] 1.", "- [x] 1.").replace("- [ ] `python3", "- [x] `python3")
    path.write_text(finished)
    stricter = REVISED.replace("exit with 2\n", "exit with 2 and print nothing else\n")
    said = f"Phase 2 is stricter. Why: the output was not said.\n\n{stricter}"
    author_script = Script(say(EXPLORED), say(said), say(f"{said}\n<promise>PLAN_OK</promise>"))
    with ModelServer(author_script) as author, ModelServer(Script(say(CRITIQUE))) as critic:
        environment = _environment(project, author, critic)
        feedback = ("--feedback", "Say what is printed.", "--agent", "claude", "--critic", "codex", "--explorers", "1")
        code, _, told = _planrail(project, environment, "refine", "PLAN.md", *feedback)
        assert code == 0, told
        assert author.turns[0].was_told("Say what is printed.")
    text = path.read_text()
    assert finished[finished.index("### Phase 1") : finished.index("### Phase 2")] in text
    assert "print nothing else" in text
    assert "the output was not said." in text.partition("## Drift Log")[2]


def test_codex_writes_a_plan_that_claude_criticises_and_goes_on_in_the_conversation_that_it_had(
    project: Project,
) -> None:
    """Codex's answers are not good enough any more, and the planning ends; it is resumed, in the same conversation."""
    _begin(project)
    hurtful = call("exec_command", cmd="touch hello.txt")  # the sandbox holds
    failing = Script(say(UNDERSTOOD), hurtful, say("no"), say("no"))
    with ModelServer(failing) as author, ModelServer(Script()) as critic:
        environment = _environment(project, critic, author)
        agents = ("--agent", "codex", "--critic", "claude")
        bounds = ("--rounds", "1", "--explorers", "1", "--attempts", "2", "--output", "PLAN.md")
        code, answer, _ = _planrail(project, environment, "plan", "Refuse empty names", *agents, *bounds)
        assert (code, answer["status"], answer["phase"]) == (1, "exhausted", "explore")
    rest = Script(say(EXPLORED), say(COMPARED), say(EXAMPLE), say(f"{REVISED}\n<promise>PLAN_OK</promise>"))
    judging = Script(call("Bash", command="touch hello.txt"), say(CRITIQUE))
    with ModelServer(rest) as author, ModelServer(judging) as critic:
        environment = _environment(project, critic, author)
        code, answer, told = _planrail(project, environment, "plan", "--resume", str(answer["planning"]))
        assert (code, answer["status"]) == (0, "finished"), told
        assert (rest.left, judging.left) == (0, 0)
        assert author.turns[0].was_told("Phase: UNDERSTAND")
        assert not critic.turns[0].was_told("Phase: UNDERSTAND")
    assert Path(project.path("PLAN.md")).read_text().endswith(REVISED)
    assert project.changes() == "?? PLAN.md"
