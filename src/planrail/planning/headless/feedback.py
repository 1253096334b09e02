"""What people said about a plan and nobody has answered yet: rejections with a reason, from the ledger."""

from planrail.approval.book import Book, open_paper, read_book
from planrail.approval.feedback import has_reason
from planrail.approval.model import NOBODY, Approval, Rejection, Request


def open_feedback(path: str) -> list[str]:
    """The words of each open rejection, comments with the lines that they quote, the oldest first."""
    paper = open_paper(path)
    return [render_feedback(rejection) for rejection in open_rejections(read_book(paper.root, paper.id))]


def open_rejections(book: Book) -> list[Rejection]:
    """The rejections with a reason after the last yes, which no later proposal has answered."""
    said = book.history
    last_yes = max((at for at, word in enumerate(said) if isinstance(word, Approval)), default=-1)
    newest = book.requests[-1] if book.requests else None
    return [
        word
        for word in said[last_yes + 1 :]
        if isinstance(word, Rejection) and has_reason(word) and not _is_old(word, newest)
    ]


def _is_old(rejection: Rejection, newest: Request | None) -> bool:
    """Whether another text was proposed after it."""
    return newest is not None and newest.canonical != rejection.canonical and newest.at > rejection.at


def render_feedback(rejection: Rejection) -> str:
    """What one person said, without what only a session can do about it."""
    who = rejection.who or "Somebody"
    parts = [f"{who} rejected it{' (no person was seen doing so)' if rejection.channel == NOBODY else ''}:"]
    if rejection.feedback.strip():
        parts.append(rejection.feedback.strip())
    for comment in rejection.comments:
        quoted = "\n".join(f"> {line}" for line in comment.quote.split("\n"))
        parts.append(f"To line {comment.line}:\n{quoted}\n{comment.text}")
    return "\n\n".join(parts)
