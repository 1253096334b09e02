"""Open requests of others that change the same files: the one that is merged first makes the other one wrong."""

from collections.abc import Collection, Sequence
from urllib.parse import quote

from planrail.base.records import record
from planrail.base.wording import name_some
from planrail.git.remotes.forge_places import Forge
from planrail.git.remotes.request_values import PullRequest
from planrail.runs.forge.forge import pages, read_request

_MOST_REQUESTS = 50  # the newest ones: each costs a question
_MOST_NAMED = 3


@record
class Meeting:
    """A request that changes files of ours."""

    number: int
    title: str
    paths: Sequence[str]

    def __str__(self) -> str:
        return f"#{self.number} ({self.title}) changes {name_some(self.paths, _MOST_NAMED)}"


def find_meetings(forge: Forge, own: PullRequest, paths: Collection[str]) -> list[Meeting]:
    """The open requests into the same branch, drafts left out, that change one of these files."""
    query = f"base={quote(own.base, safe='')}&state=open&sort=created&direction=desc"
    entries = [read_request(entry) for entry in pages(forge, f"{forge.path}/pulls?{query}")]
    others = [pr for pr in entries if pr.number != own.number and pr.state == "open" and not pr.is_draft]
    found = []
    for pr in others[:_MOST_REQUESTS]:
        files = [entry for entry in pages(forge, f"{forge.path}/pulls/{pr.number}/files?") if isinstance(entry, dict)]
        touched = {entry.get(name) for entry in files for name in ("filename", "previous_filename")}
        if same := sorted(path for path in paths if path in touched):
            found.append(Meeting(pr.number, pr.title, same))
    return found
