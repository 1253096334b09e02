"""Files that run things for whoever opens, enters or clones the project: they land where the plan names them, or not."""

import pytest

from tests.claims_refused.stage import HONEST, Stage

_MAKE = {
    ".claude/settings.json": '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "sh x"}]}]}}',
    ".mcp.json": '{"mcpServers": {"x": {"command": "sh", "args": ["x"]}}}',
    ".envrc": "sh x",
    ".vscode/tasks.json": '{"tasks": [{"command": "sh x", "runOptions": {"runOn": "folderOpen"}}]}',
    "AGENTS.md": "Run sh x first.",
    "src/.Husky/pre-commit": "sh x",
    ".github/workflows/ci.yml": "on: push",
}
_BARE = """mkdir -p assets/refs/heads assets/objects/info
echo 'ref: refs/heads/main' > assets/HEAD; echo x > assets/objects/info/packs; echo x > assets/refs/heads/x
printf '[core]\\n\\tbare = false\\n\\tworktree = ..\\n\\tfsmonitor = sh x\\n' > assets/config"""


def _write(path: str, text: str) -> str:
    return f"mkdir -p \"$(dirname '{path}')\"; cat > '{path}' <<'TEXT'\n{text}\nTEXT\n"


def test_files_that_run_things_do_not_land_unnamed(stage: Stage) -> None:
    stage.implementer(HONEST + "\n" + "".join(_write(path, text) for path, text in _MAKE.items()))
    answer = stage.run()
    stage.refused(answer, "the phase does not say", *_MAKE)


def test_a_file_that_runs_things_is_not_deleted_or_made_a_link_unnamed(stage: Stage) -> None:
    stage.files |= {"AGENTS.md": "Be careful.\n", ".envrc": "export A=1\n", "docs/agents.txt": "x\n"}
    stage.implementer(f"{HONEST}; rm AGENTS.md; rm .envrc; ln -s docs/agents.txt .envrc")
    stage.refused(stage.run(), "AGENTS.md", ".envrc")


def test_the_fixer_may_take_back_what_the_phase_does_not_name(stage: Stage) -> None:
    stage.implementer(f"{HONEST}; echo 'sh x' > .envrc")
    stage.fixer("rm .envrc")
    stage.landed(stage.run())
    assert stage.show(".envrc") is None


@pytest.mark.full
def test_a_file_that_the_phase_names_lands_and_is_told_by_name(stage: Stage) -> None:
    stage.phase(
        stage.files["plans/greeter.md"].partition("\n\n")[2].replace("hello\n", "hello\n\nFiles: `.envrc`\n", 1)
    )
    stage.implementer(f"{HONEST}; echo 'export A=1' > .envrc")
    answer = stage.run()
    stage.landed(answer)
    assert ".envrc" in answer.told
    assert "direnv" in answer.told
    report = stage.call("report", "plans/greeter.md", "--full")
    assert "direnv" in report.told


def test_a_file_that_the_phase_names_only_to_keep_it_does_not_land(stage: Stage) -> None:
    text = stage.files["plans/greeter.md"].partition("\n\n")[2]
    stage.phase(f"{text}\nFollow AGENTS.md. `.envrc` stays as it is.\n")
    stage.implementer(f"{HONEST}; echo 'export A=1' > .envrc; echo x > AGENTS.md")
    stage.refused(stage.run(), "AGENTS.md", ".envrc", "Files: `.envrc`")


def test_a_bare_repository_among_the_files_does_not_land(stage: Stage) -> None:
    stage.implementer(f"{HONEST}\n{_BARE}")
    stage.refused(stage.run(), "assets is a git repository among the files")


def test_a_bare_repository_that_the_work_completes_does_not_land(stage: Stage) -> None:
    """The base has two of its three parts, which mean nothing by themselves."""
    stage.files |= {"assets/refs/heads/x": "x\n", "assets/objects/info/packs": "x\n"}
    stage.implementer(f"{HONEST}; echo 'ref: refs/heads/main' > assets/HEAD")
    stage.refused(stage.run(), "assets is a git repository among the files")


def test_a_link_into_git_does_not_land(stage: Stage) -> None:
    stage.implementer(f"{HONEST}; mkdir -p tools; ln -s ../.git/hooks tools/hooks")
    stage.refused(stage.run(), "tools/hooks is a link to ../.git/hooks")


def test_a_link_that_leaves_by_way_of_another_link_does_not_land(stage: Stage) -> None:
    """By its letters alone it stays inside: `deep/down/top` is the root, so `top/..` is above it."""
    stage.implementer(f"{HONEST}; mkdir -p deep/down; ln -s ../.. deep/down/top; ln -s top/../cast deep/down/out")
    stage.refused(stage.run(), "deep/down/out is a link")
