"""What the scripted forge hosts: a repository, its pull requests, issues and checks, and what goes wrong on purpose."""

from collections.abc import Callable, Mapping

from planrail.base.records import mutable_record, record
from tests.support.forge_server import bare

Action = Callable[[], None]


@mutable_record
class HostedRequest:
    """A pull request. While it is open its head is what the branch is at."""

    number: int
    branch: str
    base: str
    title: str
    body: str
    state: str = "open"
    is_draft: bool = False
    merge_commit: str = ""
    frozen_head: str = ""  # what the forge goes on to show, whatever the branch is at


@mutable_record
class HostedIssue:
    """An issue with its comments."""

    number: int
    state: str
    comments: list[str]


@record
class Fault:
    """How a request goes wrong. `is_done`: the forge does what it was asked, and then does not say so."""

    method: str
    part: str  # of the path
    status: int
    body: Mapping[str, object]
    headers: Mapping[str, str]
    is_done: bool


class Hosted:
    """The world behind the forge. `looks` are the check runs, one set for each look at them; the last one stays."""

    def __init__(self, path: str, owner: str = "o", name: str = "r") -> None:
        self.path, self.owner, self.name = path, owner, name
        self.requests: dict[int, HostedRequest] = {}
        self.issues: dict[int, HostedIssue] = {}
        self.looks: list[dict[str, str]] = []
        self.statuses: dict[str, str] = {}
        self.readiness = ""  # overrules what git says
        self.merges = 0
        self._faults: list[Fault] = []
        self._actions: list[tuple[str, str, Action]] = []

    def fail(
        self,
        method: str,
        part: str,
        status: int,
        *,
        message: str = "the script says so",
        headers: Mapping[str, str] | None = None,
        is_done: bool = False,
    ) -> None:
        """The next such request fails."""
        self._faults.append(Fault(method, part, status, {"message": message}, headers or {}, is_done))

    def before(self, method: str, part: str, action: Action) -> None:
        """Something happens just before the next such request is answered."""
        self._actions.append((method, part, action))

    def take_fault(self, method: str, path: str) -> Fault | None:
        """What goes wrong with this request, once."""
        found = next((fault for fault in self._faults if fault.method == method and fault.part in path), None)
        if found is not None:
            self._faults.remove(found)
        return found

    def act(self, method: str, path: str) -> None:
        """Let happen what is to happen before this request, once."""
        for entry in [entry for entry in self._actions if entry[0] == method and entry[1] in path]:
            self._actions.remove(entry)
            entry[2]()

    def add_issue(self, number: int, state: str = "open") -> HostedIssue:
        """Somebody has opened an issue."""
        self.issues[number] = HostedIssue(number, state, [])
        return self.issues[number]

    def open_request(self, branch: str, base: str, title: str, body: str = "") -> HostedRequest:
        """Somebody opens a pull request."""
        number = max([0, *self.requests, *self.issues]) + 1
        self.requests[number] = HostedRequest(number, branch, base, title, body)
        return self.requests[number]

    def head_of(self, request: HostedRequest) -> str:
        """The head that the forge shows."""
        return request.frozen_head or bare.head_of(self.path, request.branch)

    def merge(self, number: int, method: str, message: str = "") -> str:
        """Merge a pull request, whoever asked for it: the commit."""
        request = self.requests[number]
        head = bare.head_of(self.path, request.branch)
        text = message or f"Merge pull request #{number} from {self.owner}/{request.branch}"
        request.merge_commit = bare.merge(self.path, request.base, head, method, text)
        request.state, request.frozen_head = "merged", head
        self.merges += 1
        return request.merge_commit

    def look(self) -> dict[str, str]:
        """The check runs at this look."""
        if len(self.looks) > 1:
            return self.looks.pop(0)
        return self.looks[0] if self.looks else {}
