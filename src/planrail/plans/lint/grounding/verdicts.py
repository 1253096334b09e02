"""Verdicts: what the judge of one kind of citation found."""

from planrail.plans.lint.problems import Severity
from planrail.records import record


@record
class Verdict:
    """A broken citation: how certain that is, what is wrong, and what may have been meant."""

    severity: Severity
    message: str
    suggestion: str
