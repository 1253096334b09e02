"""The stage of a plan after a person's word, so that `planrail plans` shows it."""

import os

from planrail.approval.book import Paper
from planrail.base.state_folder import state_folder
from planrail.plans.files.lifecycle import Step
from planrail.plans.files.plan_records import hash_of, take_step


def note_approved(paper: Paper, at: int) -> None:
    """The plan counts as approved, if it may from where it is."""
    _take(paper, at, "proposed", "approved")


def note_rejected(paper: Paper, at: int) -> None:
    """The plan is a draft again."""
    _take(paper, at, "draft")


def note_proposed(paper: Paper, at: int) -> None:
    """The plan waits for a person."""
    _take(paper, at, "proposed")


def _take(paper: Paper, at: int, *stages: str) -> None:
    """Go as far as the life of a plan allows: a running or archived plan stays what it is."""
    text_hash = hash_of(paper.plan, paper.source.text)
    for stage in stages:
        take_step(state_folder(), paper.place, os.path.realpath(paper.root), Step(stage, text_hash, at))
