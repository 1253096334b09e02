"""The one GraphQL question that planrail has `gh` ask: the open pull requests with their files (`gh pr list`)."""

import re
from collections.abc import Mapping

from tests.support.forge_server import bare
from tests.support.forge_server.hosted import Hosted, HostedRequest
from tests.support.forge_server.rest import Given, UnknownRequest

_FRAGMENT = re.compile(r"fragment pr on PullRequest\s*\{(?P<fields>.*?)\}\s*query PullRequestList\(", re.DOTALL)
_FILES = "files(first: 100) {nodes {additions,deletions,path}}"
_FIELDS = {"number", "title", "headRefName", "changedFiles", "files"}
_SHOWN = 100  # files of each request


def answer(hosted: Hosted, body: Mapping[str, object]) -> Given:
    """What the forge says. Raises `UnknownRequest` for every other question."""
    query, variables = body.get("query"), body.get("variables")
    found = _FRAGMENT.search(query) if isinstance(query, str) else None
    if found is None or not isinstance(variables, dict):
        raise UnknownRequest(str(query))
    fields = set(found["fields"].replace(_FILES, "files").split(","))
    if fields != _FIELDS or variables.get("state") != ["OPEN"]:
        raise UnknownRequest(f"{sorted(fields)} {variables}")
    return _list_open(hosted, int(str(variables["limit"])), str(variables.get("endCursor") or "0"))


def _list_open(hosted: Hosted, limit: int, cursor: str) -> Given:
    standing = [request for request in hosted.requests.values() if request.state == "open"]
    newest = sorted(standing, key=lambda request: -request.number)
    start = int(cursor)
    nodes = [_show(hosted, request) for request in newest[start : start + limit]]
    more = {"hasNextPage": len(newest) > start + limit, "endCursor": str(start + limit)}
    listed = {"totalCount": len(newest), "nodes": nodes, "pageInfo": more}
    return Given(200, {"data": {"repository": {"pullRequests": listed}}})


def _show(hosted: Hosted, request: HostedRequest) -> dict[str, object]:
    files = bare.files_between(hosted.path, bare.head_of(hosted.path, request.base), hosted.head_of(request))
    nodes = [{"additions": 1, "deletions": 0, "path": file} for file in files[:_SHOWN]]
    return {
        "number": request.number,
        "title": request.title,
        "headRefName": request.branch,
        "changedFiles": len(files),
        "files": {"nodes": nodes},
    }
