"""Which plan a person means who answers: the file that they name, or the plan of the request whose id they name.

Nothing is guessed: a word must never reach a plan that was not named. What is close to a name is advice.
"""

import difflib
import os
import time

from planrail.approval.book import project_root, read_requests
from planrail.approval.model import Request
from planrail.approval.places import Places
from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import record
from planrail.base.wording import quote
from planrail.projects.listing import list_project_plans, locate_project

_SHORTEST_ID = 4
_MOST_NAMES = 3


@record
class Named:
    """A plan that was named; by a request: with its project, and without a `path` where its file is gone."""

    path: str
    root: str | None = None
    request: Request | None = None


def locate(argument: str) -> Named:
    """The plan that is meant by a path, or by the id of a request or how it begins; else a `UsageError`."""
    if os.path.lexists(argument):
        return Named(argument)
    root = project_root(os.getcwd())
    known = {request.id: request for request in read_requests(root)}
    found = [name for name in known if name.startswith(argument)] if len(argument) >= _SHORTEST_ID else []
    if argument not in known and len(found) > 1:
        raise UsageError(f"{argument!r} is the beginning of {len(found)} requests", remedy="planrail list approvals")
    request = known.get(argument) or (known[found[0]] if found else None)
    if request is None:
        raise UsageError(f"there is no file and no request {argument!r}", remedy=_advise([*known.values()], argument))
    return Named(Places(root).find(request.plan, request.path), root, request)


def refuse_gone(named: Named) -> None:
    """Nobody can approve a text that is not there."""
    if not named.path and named.request is not None:
        raise PlanrailError(
            f"the plan of request {named.request.id} is no longer at {named.request.path}",
            remedy=f"bring it back, or be rid of the request: planrail reject {named.request.id}",
        )


def _advise(requests: list[Request], name: str) -> str:
    wanted = os.path.basename(name).removesuffix(".md").lower()
    plans = {os.path.basename(path).removesuffix(".md").lower(): path for path in _plan_files()}
    gone = {os.path.basename(request.path).removesuffix(".md").lower(): request.id for request in requests}
    known = {**{request.id: request.id for request in requests}, **gone, **plans}
    close = [one for one in known if wanted and wanted in one]
    close += difflib.get_close_matches(wanted, known, _MOST_NAMES)
    names = [quote(known[one]) for one in dict.fromkeys(close)][:_MOST_NAMES]
    return f"did you mean {' or '.join(names)}?" if names else "see what waits: planrail list approvals"


def _plan_files() -> list[str]:
    """The plans of the project as one would type them here; its settings may be wrong, and then there is no advice."""
    try:
        paths = [plan.path for plan in list_project_plans(locate_project(os.getcwd(), os.environ), time.time())]
    except PlanrailError:
        return []
    nearby = [name for name in os.listdir() if name.endswith(".md")]
    shown = [os.path.relpath(path) for path in paths]
    return [*nearby, *(path if short.startswith("..") else short for path, short in zip(paths, shown, strict=True))]
