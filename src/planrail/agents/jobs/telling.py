"""Events and outcomes as one line of JSON each, for the files of a job."""

from planrail.agents.model import Asked, Began, Denied, Event, Outcome, Question, Said, Spent, Used
from planrail.base.decoding import decode, encode

_KINDS = {kind.__name__.lower(): kind for kind in (Began, Said, Used, Denied, Asked, Spent)}


def write_event(event: Event, at: float) -> str:
    """The event on a line, with the time."""
    told = {name: getattr(event, name) for name in event.__slots__}  # type: ignore[union-attr]
    if isinstance(event, Asked):
        told = {"questions": [[one.text, list(one.options), one.many] for one in event.questions]}
    return encode({"at": at, "event": type(event).__name__.lower(), **told})


def read_event(line: str) -> Event | None:
    """The event of a line; None for a line that is none, such as one that a newer planrail wrote."""
    try:
        told = decode(line)
        assert isinstance(told, dict)
        kind = _KINDS[told["event"]]
        if kind is Asked:
            return Asked(tuple(Question(text, tuple(options), many) for text, options, many in told["questions"]))
        return kind(**{name: told[name] for name in kind.__slots__ if name in told})  # type: ignore[union-attr]
    except (ValueError, KeyError, TypeError, AssertionError):
        return None


def write_outcome(outcome: Outcome) -> str:
    """The outcome as JSON."""
    return encode({name: getattr(outcome, name) for name in Outcome.__slots__})  # type: ignore[attr-defined]


def read_outcome(text: str) -> Outcome:
    """The outcome that was written. Raises `ValueError` for anything else."""
    told = decode(text)
    if not isinstance(told, dict):
        raise ValueError("this is no outcome")
    known = Outcome.__slots__  # type: ignore[attr-defined]
    try:
        return Outcome(**{name: part for name, part in told.items() if name in known})
    except TypeError as error:
        raise ValueError("an outcome lacks a field") from error
