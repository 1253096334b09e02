"""Which of planrail's states is meant by a word that other tools and people have used for one."""

from planrail.tasks.statuses import (
    ABANDONED,
    BLOCKED,
    COMPLETED,
    EXPANDED,
    IMPLEMENTING,
    NOT_STARTED,
    PARTIAL,
    PLANNED,
    PLANNING,
    PR_READY,
    RESEARCHED,
    RESEARCHING,
    STATUSES,
)

_WORDS = {
    NOT_STARTED: "pending todo to_do open new created creating queued backlog ready draft unstarted",
    RESEARCHING: "investigating exploring in_research",
    RESEARCHED: "investigated explored",
    PLANNING: "revising designing in_planning",
    PLANNED: "revised designed plan_ready ready_to_implement approved",
    IMPLEMENTING: "in_progress started active wip doing working in_implementation executing",
    PARTIAL: "partially_completed partially_complete partially_done incomplete stopped interrupted failed timeout",
    BLOCKED: "on_hold paused waiting deferred hold stuck postponed",
    PR_READY: "review in_review reviewing pr_open pull_request",
    COMPLETED: "complete done finished implemented closed resolved merged shipped",
    ABANDONED: "cancelled canceled dropped wontfix wont_fix obsolete superseded rejected deleted removed",
    EXPANDED: "split divided decomposed",
}
_STATUS_OF = {word: status for status, words in _WORDS.items() for word in words.split()} | {s: s for s in STATUSES}


def fold_status(word: str) -> str:
    """A word as statuses are spelled: `[Not Started]` is `not_started`."""
    letters = [letter if letter.isalnum() else " " for letter in word.strip().lower()]
    return "_".join("".join(letters).split())


def known_status(word: str) -> str | None:
    """The state that a word means; None where that is not known."""
    return _STATUS_OF.get(fold_status(word))


def guess_status(*, is_archived: bool, has_plan: bool, has_report: bool) -> str:
    """Where a task stands of which nobody says it in a word we know. Nothing is guessed to be done."""
    if is_archived:
        return ABANDONED
    if has_plan:
        return PLANNED
    return RESEARCHED if has_report else NOT_STARTED
