"""What planrail knows of a pull request, its checks, its pushes and its merge. All of it can be written down."""

from collections.abc import Iterable

from planrail.base.values import value

_PASSED = frozenset(("success",))
_INDIFFERENT = frozenset(("neutral", "skipped"))
_PENDING = frozenset(("pending", "queued", "in_progress", "waiting", "requested", "expected"))
_RED = frozenset(("failure", "error", "cancelled", "timed_out", "action_required", "startup_failure"))


@value
class PullRequest:
    """A pull request as the forge shows it. `state`: open, closed, merged, or unknown."""

    number: int
    url: str
    state: str
    head: str  # the commit that the forge takes for its newest
    branch: str
    base: str  # the branch that it is to be merged into
    title: str = ""
    body: str = ""
    is_draft: bool = False
    merge_commit: str = ""
    readiness: str = ""  # the forge's word: clean, unstable, has_hooks, blocked, behind, dirty, unknown, draft


@value
class CheckState:
    """One check of the forge, by its newest state."""

    name: str
    state: str
    url: str = ""


@value
class Checks:
    """All checks of one commit. `verdict`: green, red, pending, none, unknown."""

    head: str
    verdict: str
    states: tuple[CheckState, ...] = ()
    problem: str = ""  # why they could not be read
    waited: float = 0.0  # seconds

    def named(self, *verdicts: str) -> str:
        """The names of the checks that alone would give such a verdict."""
        return ", ".join(check.name for check in self.states if judge_checks([check.state]) in verdicts)


@value
class Pushed:
    """The branch of the remote is at this commit."""

    branch: str
    commit: str


@value
class PushRejected:
    """The remote has something else than planrail put there, or wants no such push."""

    branch: str
    reason: str
    remedy: str


@value
class PushFailed:
    """The remote could not be reached, or let nobody in."""

    branch: str
    reason: str
    remedy: str


@value
class RequestOrder:
    """What a pull request should be. `former_titles` are planrail's own; a title that a person wrote is kept."""

    branch: str
    head: str  # the commit that the branch was pushed at
    base: str
    title: str
    body: str
    rows: tuple[tuple[str, str, str, str], ...] = ()
    former_titles: tuple[str, ...] = ()
    unpushed: tuple[tuple[str, str], ...] = ()  # commits that travel along because a person said so


@value
class MergeAnswer:
    """What came of wanting to merge. `state`: merged, person (it is ready for one), late, reverify, red, refused."""

    state: str
    number: int
    commit: str = ""
    message: str = ""
    command: str = ""
    url: str = ""


@value
class MergeProof:
    """Whether the target has the verified work. `state`: landed, open, closed, unproven.

    `is_exact`: the target's tree is the verified one. Otherwise the target had moved; the work was proven to be in
    it, but the checks have not seen the two together.
    """

    state: str
    commit: str = ""
    target: str = ""  # the commit that the target's branch is at
    is_exact: bool = False
    problems: tuple[str, ...] = ()


@value
class IssueAnswer:
    """What became of a linked issue. `state`: closed (now), was_closed, failed."""

    number: int
    state: str
    message: str = ""


def judge_checks(states: Iterable[str]) -> str:
    """What the states of all checks say together. One that failed outweighs one that is unknown, that one the rest.

    Checks that are skipped or neutral do not count against it, and do not make it green by themselves.
    """
    known = {state.lower() for state in states}
    if known & _RED:
        return "red"
    if known - _PASSED - _INDIFFERENT - _PENDING:
        return "unknown"
    if known & _PENDING:
        return "pending"
    return "green" if known & _PASSED else "none"
