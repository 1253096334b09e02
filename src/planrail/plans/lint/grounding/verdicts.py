"""Verdicts: what the judge of one kind of citation found."""

from planrail.base.records import record
from planrail.plans.lint.problems import Severity


@record
class Verdict:
    """A broken citation: how certain that is, what is wrong, and what may have been meant."""

    severity: Severity
    message: str
    suggestion: str
