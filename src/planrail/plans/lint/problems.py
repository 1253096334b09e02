"""Problems: what a rule has to say about a line of a plan."""

from enum import StrEnum

from planrail.base.records import record


class Severity(StrEnum):
    """An error is certain and fails the command; a warning is advice."""

    ERROR = "error"
    WARNING = "warning"


@record
class Problem:
    """One finding. `suggestion` is what may have been meant, "" where nothing comes close."""

    rule: str
    severity: Severity
    line: int
    message: str
    suggestion: str = ""


def error(rule: str, line: int, message: str, suggestion: str = "") -> Problem:
    return Problem(rule, Severity.ERROR, line, message, suggestion)


def warning(rule: str, line: int, message: str, suggestion: str = "") -> Problem:
    return Problem(rule, Severity.WARNING, line, message, suggestion)
