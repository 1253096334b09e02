"""Files that run things: which they are, and when a phase has named one."""

import os
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planrail.runs.evidence.running_files import (
    find_bare,
    find_running,
    judge_links,
    judge_running_files,
    name_running_files,
    resolve_link,
)
from planrail.runs.strength.permitted_files import name_line
from tests.support.tables import read_table

_RUNNING = """
.claude/settings.json pkg/.claude/commands/x.md .mcp.json .codex/config.toml .gemini/settings.json
.opencode/plugin/x.ts opencode.json .cursor/mcp.json .cursorrules CLAUDE.md sub/CLAUDE.local.md AGENTS.md
docs/agents.md GEMINI.md .github/copilot-instructions.md .vscode/tasks.json .idea/runConfigurations/x.xml
.run/x.run.xml .devcontainer/devcontainer.json .husky/pre-commit .githooks/post-merge scripts/hooks/post-checkout
.pre-commit-config.yaml lefthook.yml .gitmodules .envrc a/b/.ENVRC mise.toml .mise.local.toml .tool-versions .npmrc
a/.npmrc .yarnrc.yml .github/workflows/ci.yml .gitlab-ci.yml .circleci/config.yml Jenkinsfile ci/Jenkinsfile.release
.gitpod.yml .gitpod/init.sh .helix/languages.toml .idx/dev.nix .codesandbox/tasks.json shell.nix mise/config.toml
.config/mise/config.toml default.nix flake.nix .env app/.env.local .iex.exs .ghci .ocamlinit amplify.yml
native/binding.gyp gradle.properties init.gradle init.gradle.kts Directory.Build.props src/Directory.Build.targets
rust-toolchain.toml .cargo/config.toml .bazelrc sitecustomize.py x.pth .pythonrc.py .pnpmfile.cjs pnpmfile.cjs
.zed/tasks.json .exrc x.code-workspace .dir-locals.el devbox.json azure-pipelines.yml .drone.yml .woodpecker/x.yml
bitbucket-pipelines.yml .buildkite/pipeline.yml appveyor.yml Procfile .hg/hgrc .jj/repo/config.toml .sl/config
jupyter_server_config.py .RData .perldb .sbtopts .jvmopts rust-analyzer.toml uv.toml ansible.cfg heroku.yml
bitrise.yml AGENT.md .openhands/setup.sh .roomodes jupyter_notebook_config.json .Claude/Settings.json .claude .husky
planrail.toml
"""
_QUIET = """
src/app.py README.md claude.py docs/claude/x.md vscode/x.json .gitignore Makefile husky.md build.rs conftest.py
tests/conftest.py setup.py build.gradle Tiltfile Dockerfile env.py docs/environment.md src/dotenv.py environment.yml
Cargo.toml go.mod src/path.pthx .env.example docs/mise/x.md vendor/.circleci-notes.txt src/.github/workflows/ci.yml
envrc agents/main.py precommit.py
"""


def test_a_file_that_runs_things_is_known_and_may_be_changed_where_the_phase_names_it() -> None:
    for path in (*_RUNNING.split(), ".cla\u200dude/settings.json"):
        assert find_running(path) is not None, path
        found = judge_running_files("- [ ] write the settings, and a hook", [path], {}, {})
        assert [(finding.place, finding.is_failure) for finding in found] == [(path, True)]
    for path in _RUNNING.split():
        for text in (f"- [ ] write `{path}`", f"- [ ] write ./{path}.", f"Files: {path}, x.py", name_line(path)):
            assert [finding.is_failure for finding in judge_running_files(text, [path], {}, {})] == [False], text


def test_another_file_is_not() -> None:
    assert [path for path in _QUIET.split() if find_running(path)] == []


@pytest.mark.parametrize(("text", "is_named"), read_table("runs/tables/running_files", "folders"))
def test_a_folder_that_is_special_itself_names_its_files(text: str, is_named: bool) -> None:
    found = judge_running_files(text, [".github/workflows/ci.yml"], {}, {})
    assert [finding.is_failure for finding in found] == [not is_named]


_PERMITTED = read_table("runs/tables/running_files", "said to be changed")
_NOT_PERMITTED = read_table("runs/tables/running_files", "only named")


@pytest.mark.parametrize("text", _PERMITTED)
def test_what_a_phase_says_it_changes_it_may_change(text: str) -> None:
    assert [name for name, _ in name_running_files(text)] == ["AGENTS.md"]
    assert [finding.is_failure for finding in judge_running_files(text, ["AGENTS.md"], {}, {})] == [False]


@pytest.mark.parametrize("text", _NOT_PERMITTED)
def test_naming_a_file_permits_nothing(text: str) -> None:
    assert name_running_files(text) == ()
    found = judge_running_files(text, ["AGENTS.md"], {}, {})
    assert [finding.is_failure for finding in found] == [True]
    assert found[0].text.endswith("Files: `AGENTS.md`")


@given(st.sampled_from(_NOT_PERMITTED), st.sampled_from(["\n", "\n\n"]))
def test_the_line_that_a_failure_proposes_permits_the_file_in_any_phase(text: str, gap: str) -> None:
    before = judge_running_files(text, ["AGENTS.md"], {}, {})[0].text
    line = before.rpartition("the line: ")[2]
    found = judge_running_files(f"{line}\n\n{gap}{text}", ["AGENTS.md"], {}, {})
    assert [finding.is_failure for finding in found] == [False]


def test_a_common_folder_names_nothing() -> None:
    assert judge_running_files("- [ ] rewrite `src/`", ["src/.envrc"], {}, {})[0].is_failure


@pytest.mark.parametrize(
    "scripts", [b'{"postprepare": "sh x"}', b'{"post\\u0069nstall": "sh x"}', b'{"install":\n"sh x"}', b'{"prepare": 3']
)
def test_a_script_that_npm_runs_is_found_however_it_is_spelled(scripts: bytes) -> None:
    changes = {"package.json": (b'{"scripts": {"test": "x"}}', b'{"scripts": ' + scripts + b"}")}
    found = judge_running_files("Write greeting.txt", ["package.json"], changes, {})
    assert [finding.is_failure for finding in found] == [True]


def test_attributes_and_manifests_count_where_they_run_something() -> None:
    attributes = {".gitattributes": (b"*.png binary\n", b"*.png binary\n*.sh text\n")}
    filters = {".gitattributes": (b"*.png binary\n", b"*.png binary\n* filter=x\n")}
    scripts = {"package.json": (b'{"name": "x"}', b'{"name": "x",\n"scripts": {"postinstall": "sh x"}}')}
    versions = {"package.json": (b'{"version": "1"}', b'{"version": "2"}')}
    composer = {"composer.json": (b"{}", b'{"scripts": {"post-install-cmd": ["sh x"]}}')}
    required = {"composer.json": (b"{}", b'{"require": {"a/b": "1"}, "scripts": {"test": "phpunit"}}')}
    changes = (attributes, filters, scripts, versions, composer, required)
    found = [bool(judge_running_files("", list(one), one, {})) for one in changes]
    assert found == [False, True, True, False, True, False]


def test_a_file_behind_a_link_has_the_name_of_the_link_too() -> None:
    found = judge_running_files("", ["config/agent/settings.json"], {}, {".claude": "config/agent"})
    assert [finding.place for finding in found] == ["config/agent/settings.json"]


def test_what_a_text_names_is_listed_with_what_runs_it() -> None:
    assert [name for name, _ in name_running_files("- [ ] write `.envrc` and AGENTS.md, and src/app.py")] == [
        ".envrc",
        "AGENTS.md",
    ]


# ---- links and repositories ----

_PARTS = st.sampled_from(["a", "b", "c", "..", ".", ".git"])
_TARGETS = st.lists(_PARTS, min_size=1, max_size=5).map("/".join)
_PLACES = st.sampled_from(["l1", "a/l2", "a/b/l3", "c/l4", "a/b"])


@pytest.mark.full
@settings(max_examples=150, deadline=None)
@given(st.dictionaries(_PLACES, _TARGETS, max_size=4))
def test_a_link_is_resolved_as_the_system_does_it(links: "dict[str, str]") -> None:
    """Every folder that a way can lead through is there, so that the system follows it to its end."""
    if "a/b" in links and "a/b/l3" in links:
        del links["a/b"]
    with tempfile.TemporaryDirectory() as place:
        top = os.path.realpath(os.path.join(place, "x", "y", "top"))
        for folder in ("a", "c", ".git", *(() if "a/b" in links else ("a/b",))):
            os.makedirs(os.path.join(top, folder))
        for path, target in links.items():
            os.symlink(target, os.path.join(top, path))
        for path in links:
            try:
                reached = os.path.realpath(os.path.join(top, path), strict=True)
            except OSError:
                continue  # it leads to nothing, or round in a circle
            is_inside = reached == top or reached.startswith(f"{top}/")
            found = resolve_link(path, links)
            # A way that leaves and comes back is not one inside: what is above is another folder elsewhere.
            assert found is None or (is_inside and os.path.join(top, found).rstrip("/") == reached)
            assert is_inside or found is None


@pytest.mark.parametrize("target", ["/etc/passwd", "../x", "a/../../x", ".git/hooks", "sub/.GIT/config", ".git"])
def test_a_link_out_or_into_git_is_refused(target: str) -> None:
    assert list(judge_links({"link": target})) == ["link"]


@pytest.mark.parametrize("target", ["README", "a/../b", ".github/x", "./x", "link"])
def test_a_link_that_stays_inside_is_not(target: str) -> None:
    assert judge_links({"link": target}) == {}


def test_a_repository_among_the_files_is_found_in_any_letter_case_and_only_where_it_is_touched() -> None:
    names = [
        "c/HEAD",
        "d/HEAD",
        "d/commondir",
        "a/HEAD",
        "a/objects/x",
        "a/refs/y",
        "b/head",
        "b/Objects/x",
        "b/refs/y",
    ]
    assert [finding.place for finding in find_bare(names, names)] == ["a", "b", "d"]
    assert [finding.place for finding in find_bare(names, ["b/refs/y", "x"])] == ["b"]
    assert find_bare(names, ["c/HEAD", "README"]) == []


def test_a_repository_is_named_by_its_folder_and_at_the_top_by_a_dot() -> None:
    for names, named in ((["a/HEAD", "a/commondir"], "a "), (["HEAD", "commondir"], ". ")):
        assert [finding.text.startswith(named) for finding in find_bare(names, names)] == [True], named
