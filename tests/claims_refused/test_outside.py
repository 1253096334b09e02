"""What an agent plants outside of its workspace is told before anything lands; nothing of it is undone."""

import os

import pytest

from tests.claims_refused.stage import HONEST, Stage
from tests.support.lanes import soak

_PLANTS = {
    "a hook of the user's repository": ('echo "sh x" > "$ROOT/.git/hooks/pre-commit"', ".git/hooks/pre-commit (new"),
    "a monitor of the user's repository": ('git -C "$ROOT" config core.fsmonitor "sh x"', ".git/config (changed"),
    "another folder of hooks": ('git -C "$ROOT" config core.hooksPath "$CAST"', ".git/config (changed"),
    "git's settings of the user": ('git config --file "$HOME/.gitconfig" core.editor "sh x"', ".gitconfig (new"),
    "a start file of the shell": ('echo "sh x" >> "$HOME/.bashrc"', ".bashrc (changed; a shell runs it"),
    "a key that opens the machine": ('mkdir -p "$HOME/.ssh"; echo ssh-ed25519 SECRETKEY > "$HOME/.ssh/authorized_keys"', ".ssh/authorized_keys (new"),
    "settings of an agent": ('mkdir -p "$HOME/.claude"; echo "{}" > "$HOME/.claude/settings.json"', ".claude/settings.json (new"),
    "servers of an agent": ("""echo '{"mcpServers": {"x": {"command": "sh"}}}' > "$HOME/.claude.json" """, ".claude.json (new"),
    "a unit of the system": ('d="$HOME/.config/systemd/user"; mkdir -p "$d"; echo x > "$d/x.service"', "x.service (new"),
}  # fmt: skip
_PAUSED = ("paused", "nothing of it was undone", "nothing has landed", "planrail resume")


def test_each_of_many_places_is_told(stage: Stage) -> None:
    (stage.home / ".bashrc").write_text("true\n")
    stage.implementer("\n".join((HONEST, *(plant for plant, _ in _PLANTS.values()))))
    answer = stage.run()
    stage.refused(answer, *_PAUSED, *{told for _, told in _PLANTS.values()})
    assert "SECRETKEY" not in answer.told


@pytest.mark.full
@pytest.mark.parametrize("what", ["a hook of the user's repository", soak("a start file of the shell")])
def test_the_run_goes_on_when_a_person_has_looked(stage: Stage, what: str) -> None:
    (stage.home / ".bashrc").write_text("true\n")
    stage.implementer(f"{HONEST}\n{_PLANTS[what][0]}")
    stage.refused(stage.run(), *_PAUSED)
    stage.landed(stage.call("resume"))
    assert _PLANTS[what][1].partition(" (")[0] in stage.call("report", "plans/greeter.md", "--full").told


@pytest.mark.parametrize("mark", [{"AI_AGENT": "claude_agent", "CLAUDECODE": "1"}, {"CODEX_THREAD_ID": "x"}])
def test_an_agent_that_resumes_the_run_is_no_person_who_has_looked(stage: Stage, mark: dict[str, str]) -> None:
    stage.implementer(f"{HONEST}\n{_PLANTS['a start file of the shell'][0]}")
    stage.refused(stage.run(), *_PAUSED)
    stage.refused(stage.call("resume", **mark), *_PAUSED)
    stage.landed(stage.call("resume"))


def test_what_changes_after_a_person_has_looked_is_told_anew(stage: Stage) -> None:
    stage.implementer(f"{HONEST}\n{_PLANTS['a start file of the shell'][0]}")
    stage.refused(stage.run(), *_PAUSED)
    (stage.home / ".zshrc").write_text("sh x\n")
    stage.refused(stage.call("resume"), *_PAUSED, ".zshrc (new")
    stage.landed(stage.call("resume"))


def test_what_a_verifier_plants_is_told_too(stage: Stage) -> None:
    was = (stage.cast / "verifier.sh").read_text()
    stage.verifier(f"{_PLANTS['a start file of the shell'][0]}\n{was}")
    stage.refused(stage.run(), *_PAUSED, ".bashrc (new")


def test_a_pipe_in_the_place_of_a_start_file_is_not_waited_for(stage: Stage) -> None:
    stage.implementer(f'{HONEST}; mkfifo "$HOME/.bashrc"')
    stage.refused(stage.run(), *_PAUSED, ".bashrc (new")


def test_what_git_notes_about_branches_is_nothing(stage: Stage) -> None:
    """A push with `-u` writes it, and people push while a run works."""
    stage.implementer(
        f'{HONEST}; git -C "$ROOT" config branch.main.remote origin; git -C "$ROOT" config branch.main.merge x'
    )
    stage.landed(stage.run())


def test_what_stands_there_before_is_not_told(stage: Stage) -> None:
    (stage.home / ".bashrc").write_text("true\n")
    os.symlink("/nowhere", stage.home / ".zshrc")
    stage.landed(stage.run())
