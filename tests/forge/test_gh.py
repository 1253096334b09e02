"""What people are told where gh, its login or the forge is not as it should be; and the pull requests in the way."""

import os
import shutil
from pathlib import Path

import pytest

from planrail.base.errors import PlanrailError
from planrail.git.remotes.forge_places import locate_forge
from planrail.git.remotes.pushing import fetch_ref
from planrail.runs.forge.forge import close_issue, find_pr, read_pr
from planrail.runs.forge.gh import ForgeFailed
from planrail.runs.forge.steps import push_step
from tests.forge.stage import BRANCH, Story, add_work, git
from tests.support.forge_server import ForgeServer, Hosted, bare


def test_a_missing_gh_is_explained(story: Story, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").symlink_to(str(shutil.which("git")))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(ForgeFailed, match="gh cannot be started") as caught:
        read_pr(story.forge, 1)
    assert "install gh" in caught.value.remedy


def test_a_gh_without_a_login_is_explained(
    story: Story, server: ForgeServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in server.environment(str(tmp_path / "empty"), is_logged_in=False).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ForgeFailed, match="not logged in") as caught:
        read_pr(story.forge, 1)
    assert caught.value.remedy == "gh auth login --hostname github.localhost"


def test_a_refused_login_is_explained(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = os.environ["GH_CONFIG_DIR"]
    hosts = Path(folder, "hosts.yml")
    hosts.write_text(hosts.read_text().replace("oauth_token: a", "oauth_token: another"))
    with pytest.raises(ForgeFailed, match="refuses the login") as caught:
        read_pr(story.forge, 1)
    assert "gh auth login" in caught.value.remedy


@pytest.mark.parametrize(
    ("status", "headers", "words"),
    [
        (403, {"x-ratelimit-remaining": "0"}, "limit of requests"),
        (429, {"retry-after": "30"}, "for 30 seconds"),
        (404, {}, "not for this login"),
        (422, {}, "the script says so"),
    ],
)
def test_each_refusal_of_the_forge_says_what_to_do(
    story: Story, hosted: Hosted, status: int, headers: dict[str, str], words: str
) -> None:
    hosted.fail("GET", "/pulls/1", status, headers=headers)
    with pytest.raises(ForgeFailed, match=words) as caught:
        read_pr(story.forge, 1)
    assert caught.value.remedy
    assert caught.value.is_passing == (status in (403, 429))


@pytest.mark.full
def test_a_forge_that_stays_down_is_a_failure_that_passes(story: Story, hosted: Hosted) -> None:
    for _ in range(3):
        hosted.fail("GET", "/pulls/1", 503)
    with pytest.raises(ForgeFailed, match="503") as caught:
        read_pr(story.forge, 1)
    assert caught.value.is_passing


@pytest.mark.full
def test_a_forge_that_cannot_be_reached_is_a_failure_that_passes(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with pytest.raises(ForgeFailed) as caught:
        read_pr(story.forge, 1)
    assert caught.value.is_passing
    assert "network" in caught.value.remedy


def test_a_remote_that_is_a_folder_is_no_forge(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", ".")
    git(tmp_path, "remote", "add", "origin", str(tmp_path / "elsewhere"))
    with pytest.raises(PlanrailError, match="no repository on a forge") as caught:
        locate_forge(str(tmp_path), "origin")
    assert caught.value.remedy == "git remote set-url origin URL"


def test_an_open_issue_is_closed_with_one_comment_and_a_closed_one_hears_nothing(story: Story, hosted: Hosted) -> None:
    issue = hosted.add_issue(7)
    assert close_issue(story.forge, 7, "All phases landed.", "run-1").state == "closed"
    assert close_issue(story.forge, 7, "All phases landed.", "run-1").state == "was_closed"
    assert len(issue.comments) == 1
    assert issue.comments[0].startswith("All phases landed.")
    closed = hosted.add_issue(8, "closed")
    assert close_issue(story.forge, 8, "All phases landed.", "run-1").state == "was_closed"
    assert closed.comments == []


def test_an_open_request_is_found_before_an_older_closed_one(story: Story, hosted: Hosted, root: Path) -> None:
    work = add_work(root, "one.txt")
    push_step(story.root, "origin", BRANCH, work.commit, "")
    hosted.open_request(BRANCH, "main", "First").state = "closed"
    hosted.open_request(BRANCH, "main", "Second")
    found = find_pr(story.forge, BRANCH, "main")
    assert found is not None
    assert found.number == 2


def test_nothing_of_the_users_refs_or_files_is_touched(story: Story, hosted: Hosted, root: Path) -> None:
    before = git(root, "for-each-ref", "refs/heads", "refs/tags"), git(root, "status", "--porcelain")
    work = add_work(root, "one.txt")
    push_step(story.root, "origin", BRANCH, work.commit, "")
    bare.commit_file(hosted.path, "main", "theirs.txt", "theirs\n")
    (root / ".git" / "FETCH_HEAD").unlink(missing_ok=True)
    tracking = git(root, "rev-parse", "refs/remotes/origin/main")
    assert fetch_ref(story.root, "origin", "main") == bare.head_of(hosted.path, "main")
    assert git(root, "rev-parse", "refs/remotes/origin/main") == tracking
    assert not (root / ".git" / "FETCH_HEAD").exists()
    assert (git(root, "for-each-ref", "refs/heads", "refs/tags"), git(root, "status", "--porcelain")) == before
