"""`planrail init` in a project, as a person would type it, and the agents as they are started every day."""

from planrail.testing.model_server import ModelServer, Script, call, say
from tests.e2e.attempts import ALLOW, DENIED, assert_each_denied, attempts, desk
from tests.e2e.claude import Claude
from tests.e2e.claude_host import Host
from tests.e2e.codex import Codex
from tests.e2e.projects import PLUGIN, Project

FULL_REMINDER = "You plan; you do not act."


def test_an_installed_project_plans_read_only_until_planrail_has_left(project: Project) -> None:
    """No flag, no plugin folder: what `planrail init` wrote is enough. After `uninstall` git sees nothing, nobody is held."""
    before = project.git("status", "--porcelain", "--ignored")
    project.planrail("init", "--agent", "claude,codex,gemini,opencode")
    project.planrail("uninstall")
    assert project.git("status", "--porcelain", "--ignored") == before
    project.planrail("init", "--agent", "claude")
    tried, touch = attempts(project), call("Bash", command="touch made.txt")
    with ModelServer(Script(*tried, say("I give up."), touch, say("Done."))) as server:
        claude = Claude(project, server, plugin=None)
        done = claude.ask("plan a greeting", "--permission-mode", "plan", *desk(project), "--allowedTools", *ALLOW)
        assert done.text == "I give up."
        assert project.changes() == ""
        project.planrail("uninstall")
        claude.ask("go", "--permission-mode", "plan", "--allowedTools", "Bash(touch *)")
    assert_each_denied(server.turns[1 : len(tried) + 1])
    assert DENIED not in server.turns[-1].news


def test_the_plugin_and_an_installed_project_answer_once(project: Project) -> None:
    """Both are there. The agent is told everything once, not twice."""
    project.planrail("init", "--agent", "claude")
    with (
        ModelServer(Script(call("Bash", command="touch made.txt"), say("I plan."))) as server,
        Host(Claude(project, server, plugin=PLUGIN)) as host,
    ):
        host.say("/planrail:plan a greeting")
    assert server.turns[0].said_by("system", "user").count(FULL_REMINDER) == 1
    assert server.turns[1].news.count(DENIED) == 1


def test_codex_finds_what_an_installed_project_has_for_it(project: Project) -> None:
    """The project's own hooks file holds Codex too, once its hooks are trusted."""
    project.planrail("init", "--agent", "codex")
    with ModelServer(Script(call("exec_command", cmd="touch made.txt"), say("I give up."))) as server:
        codex = Codex(project, server, with_planrail=False)
        codex.trust_project()
        codex.ask("/plan a greeting")
    assert DENIED in server.turns[-1].news
    assert not project.holds("made.txt")
