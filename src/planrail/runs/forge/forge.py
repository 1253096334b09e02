"""Pull requests and issues through the `gh` program. Every call may be made twice: what is there is found again.

By the forge's REST interface (`gh api`), which every version of gh passes on as it is. Of its own commands,
`gh pr edit` fails in older versions against newer forges, and `gh pr checks --watch` has ended with 0 on red checks.
"""

from collections.abc import Iterator
from typing import TypeVar
from urllib.parse import quote

from planrail.base.crash_points import reach
from planrail.git.remotes.forge_places import Forge
from planrail.git.remotes.request_values import IssueAnswer, PullRequest, RequestOrder
from planrail.runs.forge.gh import ForgeFailed, ask, check_login

PER_PAGE = 100
_MOST_PAGES = 50
Shape = TypeVar("Shape")


def check_access(forge: Forge) -> None:
    """Raise `ForgeFailed` where gh has no login, or one that may not see the repository. An outage refuses nothing."""
    check_login(forge.host)
    try:
        ask(forge.host, "GET", forge.path)
    except ForgeFailed as error:
        if not error.is_passing:
            raise


def find_pr(forge: Forge, branch: str, base: str) -> PullRequest | None:
    """The pull request of a branch into a base: the open one, else the newest; None where there never was one."""
    query = f"head={quote(f'{forge.head_owner}:{branch}', safe='')}&base={quote(base, safe='')}&state=all"
    found = [read_request(entry) for entry in pages(forge, f"{forge.path}/pulls?{query}")]
    own = [pr for pr in found if pr.branch == branch]
    return max(own, key=lambda pr: (pr.state == "open", pr.number), default=None)


def read_pr(forge: Forge, number: int) -> PullRequest:
    return read_request(ask(forge.host, "GET", f"{forge.path}/pulls/{number}"))


def create_pr(forge: Forge, order: RequestOrder) -> PullRequest:
    """The pull request of a branch: the one that is open, or that has ended with this very commit; else a new one.

    So one that was merged, or that a person closed, is not made a second time by a run that has forgotten it.
    """
    if found := _find_same(forge, order):
        return found
    fields = {"title": order.title, "body": order.body, "base": order.base}
    fields["head"] = order.branch if forge.head_owner == forge.owner else f"{forge.head_owner}:{order.branch}"
    try:
        made = read_request(ask(forge.host, "POST", f"{forge.path}/pulls", fields))
    except ForgeFailed as error:
        again = _find_same(forge, order) if error.is_passing or error.status == 422 else None
        if again is None:  # it may have been made, though the answer was lost
            raise
        return again
    reach("pr.created")
    return made


def _find_same(forge: Forge, order: RequestOrder) -> PullRequest | None:
    found = find_pr(forge, order.branch, order.base)
    return found if found and (found.state == "open" or found.head == order.head) else None


def update_pr(forge: Forge, pr: PullRequest, title: str, body: str) -> PullRequest:
    """The pull request with this title and body; the forge is asked only where one of them differs."""
    changes = {"title": title} if title != pr.title else {}
    changes |= {"body": body} if body != pr.body else {}
    if not changes:
        return pr
    changed = read_request(ask(forge.host, "PATCH", f"{forge.path}/pulls/{pr.number}", changes))
    reach("pr.updated")
    return changed


def merge_pr(forge: Forge, number: int, head: str, method: str, message: tuple[str, str] | None = None) -> str:
    """Merge, if the head is still that commit. The commit that came of it. Raises `ForgeFailed` where it is refused.

    `message` are the title and the text of the commit, where the forge makes one.
    """
    fields = {"sha": head, "merge_method": method}
    if message and method != "rebase":
        fields |= {"commit_title": message[0], "commit_message": message[1]}
    answer = ask(forge.host, "PUT", f"{forge.path}/pulls/{number}/merge", fields)
    reach("pr.merged")
    return _text(_expect(answer, dict), "sha")


def close_issue(forge: Forge, number: int, comment: str, key: str) -> IssueAnswer:
    """Close an open issue with a comment, once: the comment carries the key, by which it is found again."""
    place = f"{forge.path}/issues/{number}"
    if _text(_expect(ask(forge.host, "GET", place), dict), "state") != "open":
        return IssueAnswer(number, "was_closed")
    mark = f"<!-- planrail:{key} -->"
    said = [_text(_expect(entry, dict), "body") for entry in pages(forge, f"{place}/comments?")]
    if not any(mark in text for text in said):
        ask(forge.host, "POST", f"{place}/comments", {"body": f"{comment}\n\n{mark}"})
        reach("issue.commented")
    ask(forge.host, "PATCH", place, {"state": "closed", "state_reason": "completed"})
    reach("issue.closed")
    return IssueAnswer(number, "closed")


def pages(forge: Forge, path: str, key: str = "") -> Iterator[object]:
    """Each entry of a list that the forge hands out in pages; `key` names the list inside of an answer."""
    for page in range(1, _MOST_PAGES + 1):
        answer = ask(forge.host, "GET", f"{path}{'' if path.endswith('?') else '&'}per_page={PER_PAGE}&page={page}")
        entries = _expect(_expect(answer, dict).get(key) if key else answer, list)
        yield from entries
        if len(entries) < PER_PAGE:
            return
    raise ForgeFailed(f"{forge.host} has more of {path} than planrail reads", remedy=f"gh api {path}")


def read_request(answer: object) -> PullRequest:
    entry = _expect(answer, dict)
    head, base, state = _expect(entry.get("head"), dict), _expect(entry.get("base"), dict), _text(entry, "state")
    merged = bool(entry.get("merged_at"))
    return PullRequest(
        int(_text(entry, "number")),
        _text(entry, "html_url"),
        "merged" if merged else state if state in ("open", "closed") else "unknown",
        *(_text(head, "sha"), _text(head, "ref"), _text(base, "ref"), _text(entry, "title"), _text(entry, "body")),
        is_draft=entry.get("draft") is True,
        merge_commit=_text(entry, "merge_commit_sha") if merged else "",
        readiness=_text(entry, "mergeable_state"),
    )


def _expect(thing: object, shape: type[Shape]) -> Shape:
    if not isinstance(thing, shape):
        raise ForgeFailed("the forge gave an answer of another shape", remedy="gh --version: is it a recent one?")
    return thing


def _text(entry: dict[str, object], name: str) -> str:
    value = entry.get(name)
    return "" if value is None else str(value)
