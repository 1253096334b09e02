"""GitHub's REST interface, as much of it as planrail asks for. What is not here is an error."""

import re
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import parse_qs, urlsplit

from planrail.base.records import record
from tests.support.forge_server import bare
from tests.support.forge_server.hosted import Hosted, HostedIssue, HostedRequest

_CONCLUSIONS = (
    *("success", "failure", "neutral", "cancelled", "skipped", "timed_out"),
    *("action_required", "stale", "startup_failure"),
)


@record
class Asked:
    """One request: what the path names, the query, the body."""

    names: tuple[str, ...]
    query: Mapping[str, str]
    body: Mapping[str, object]


@record
class Given:
    """One answer."""

    status: int
    body: object


class UnknownRequest(Exception):
    """Nothing that planrail should ask."""


def answer(hosted: Hosted, method: str, target: str, body: Mapping[str, object]) -> Given:
    """What the forge says to a request. Raises `UnknownRequest` for what it does not know."""
    parts = urlsplit(target)
    query = {name: values[-1] for name, values in parse_qs(parts.query, strict_parsing=bool(parts.query)).items()}
    root = f"/repos/{hosted.owner}/{hosted.name}/"
    if method == "GET" and parts.path == root.rstrip("/"):
        return Given(200, {"full_name": f"{hosted.owner}/{hosted.name}"})
    if not parts.path.startswith(root):
        return Given(404, {"message": "Not Found"})
    for wanted, pattern, handler in _ROUTES:
        found = re.fullmatch(pattern, parts.path[len(root) :])
        if found and wanted == method:
            return handler(hosted, Asked(found.groups(), query, body))
    raise UnknownRequest(f"{method} {target}")


def show_request(hosted: Hosted, request: HostedRequest) -> dict[str, object]:
    """A pull request as the forge shows it."""
    head, base = hosted.head_of(request), bare.head_of(hosted.path, request.base)
    return {
        "number": request.number,
        "html_url": f"https://github.localhost/{hosted.owner}/{hosted.name}/pull/{request.number}",
        "state": "closed" if request.state == "merged" else request.state,
        "merged_at": "2030-01-01T00:00:00Z" if request.state == "merged" else None,
        "merge_commit_sha": request.merge_commit or None,
        "title": request.title,
        "body": request.body or None,
        "draft": request.is_draft,
        "head": {"ref": request.branch, "sha": head, "label": f"{hosted.owner}:{request.branch}"},
        "base": {"ref": request.base, "sha": base},
        "mergeable_state": _readiness(hosted, request, base, head),
    }


def _readiness(hosted: Hosted, request: HostedRequest, base: str, head: str) -> str:
    if request.state != "open" or request.is_draft:
        return "draft" if request.is_draft else "unknown"
    return hosted.readiness or ("clean" if bare.can_merge(hosted.path, base, head) else "dirty")


def _list_requests(hosted: Hosted, asked: Asked) -> Given:
    into = [request for request in hosted.requests.values() if request.base == asked.query["base"]]
    if "head" in asked.query:
        owner, _, branch = asked.query["head"].partition(":")
        into = [request for request in into if (owner, request.branch) == (hosted.owner, branch)]
    wanted = asked.query.get("state", "open")
    found = [show_request(hosted, request) for request in into if wanted in ("all", request.state)]
    return Given(200, _page(found, asked))


def _create_request(hosted: Hosted, asked: Asked) -> Given:
    title, text, branch, base = (_field(asked, name) for name in ("title", "body", "head", "base"))
    standing = [request for request in hosted.requests.values() if request.state == "open"]
    if any((request.branch, request.base) == (branch, base) for request in standing):
        return _invalid(f"A pull request already exists for {hosted.owner}:{branch}.")
    heads = bare.head_of(hosted.path, branch), bare.head_of(hosted.path, base)
    if not all(heads) or heads[0] == heads[1]:
        return _invalid(f"No commits between {base} and {branch}")
    return Given(201, show_request(hosted, hosted.open_request(branch, base, title, text)))


def _read_request(hosted: Hosted, asked: Asked) -> Given:
    request = hosted.requests.get(int(asked.names[0]))
    return Given(200, show_request(hosted, request)) if request else Given(404, {"message": "Not Found"})


def _change_request(hosted: Hosted, asked: Asked) -> Given:
    request = hosted.requests[int(asked.names[0])]
    if asked.body.keys() - {"title", "body"}:
        raise UnknownRequest(str(asked.body))
    request.title = str(asked.body.get("title", request.title))
    request.body = str(asked.body.get("body", request.body))
    return Given(200, show_request(hosted, request))


def _list_files(hosted: Hosted, asked: Asked) -> Given:
    request = hosted.requests[int(asked.names[0])]
    files = bare.files_between(hosted.path, bare.head_of(hosted.path, request.base), hosted.head_of(request))
    return Given(200, _page([{"filename": file} for file in files], asked))


def _merge(hosted: Hosted, asked: Asked) -> Given:
    """The login is an administrator's: rules that would block others do not stop it."""
    request = hosted.requests[int(asked.names[0])]
    if request.state != "open":
        return Given(405, {"message": "Pull Request is not mergeable"})
    if _field(asked, "sha") != bare.head_of(hosted.path, request.branch):
        return Given(409, {"message": "Head branch was modified. Review and try the merge again."})
    title, text = (str(asked.body.get(name) or "") for name in ("commit_title", "commit_message"))
    message = f"{title}\n\n{text}" if title else ""
    try:
        commit = hosted.merge(request.number, _field(asked, "merge_method"), message)
    except bare.CannotMerge:
        return Given(405, {"message": "Pull Request has merge conflicts"})
    return Given(200, {"sha": commit, "merged": True, "message": "Pull Request successfully merged"})


def _check_runs(hosted: Hosted, asked: Asked) -> Given:
    runs = [_show_run(name, state) for name, state in hosted.look().items()]
    return Given(200, {"total_count": len(runs), "check_runs": _page(runs, asked)})


def _show_run(name: str, state: str) -> dict[str, object]:
    """Conclusions belong to runs that have ended. A word that nobody knows stands for a conclusion of tomorrow."""
    is_running = state in ("queued", "in_progress", "waiting", "requested", "pending")
    assert is_running or state in _CONCLUSIONS or state.startswith("new_"), state
    status, conclusion = (state, None) if is_running else ("completed", state)
    return {"name": name, "html_url": f"https://ci/{name}", "status": status, "conclusion": conclusion}


def _statuses(hosted: Hosted, asked: Asked) -> Given:
    listed = [{"context": name, "state": state} for name, state in hosted.statuses.items()]
    return Given(200, {"state": "pending", "statuses": _page(listed, asked)})


def _read_issue(hosted: Hosted, asked: Asked) -> Given:
    issue = hosted.issues.get(int(asked.names[0]))
    return Given(200, _show_issue(issue)) if issue else Given(404, {"message": "Not Found"})


def _change_issue(hosted: Hosted, asked: Asked) -> Given:
    issue = hosted.issues[int(asked.names[0])]
    issue.state = _field(asked, "state")
    return Given(200, _show_issue(issue))


def _show_issue(issue: HostedIssue) -> dict[str, object]:
    return {"number": issue.number, "state": issue.state}


def _list_comments(hosted: Hosted, asked: Asked) -> Given:
    return Given(200, _page([{"body": text} for text in hosted.issues[int(asked.names[0])].comments], asked))


def _comment(hosted: Hosted, asked: Asked) -> Given:
    hosted.issues[int(asked.names[0])].comments.append(_field(asked, "body"))
    return Given(201, {"body": _field(asked, "body")})


def _page(entries: Sequence[object], asked: Asked) -> list[object]:
    size, page = int(asked.query.get("per_page", "30")), int(asked.query.get("page", "1"))
    return list(entries)[size * (page - 1) : size * page]


def _field(asked: Asked, name: str) -> str:
    value = asked.body.get(name)
    if not isinstance(value, str):
        raise UnknownRequest(f"{name} is missing in {asked.body}")
    return value


def _invalid(message: str) -> Given:
    return Given(422, {"message": "Validation Failed", "errors": [{"message": message}]})


_ROUTES: tuple[tuple[str, str, Callable[[Hosted, Asked], Given]], ...] = (
    ("GET", r"pulls", _list_requests),
    ("POST", r"pulls", _create_request),
    ("GET", r"pulls/(\d+)", _read_request),
    ("PATCH", r"pulls/(\d+)", _change_request),
    ("GET", r"pulls/(\d+)/files", _list_files),
    ("PUT", r"pulls/(\d+)/merge", _merge),
    ("GET", r"commits/([0-9a-f]{40})/check-runs", _check_runs),
    ("GET", r"commits/([0-9a-f]{40})/status", _statuses),
    ("GET", r"issues/(\d+)", _read_issue),
    ("PATCH", r"issues/(\d+)", _change_issue),
    ("GET", r"issues/(\d+)/comments", _list_comments),
    ("POST", r"issues/(\d+)/comments", _comment),
)
