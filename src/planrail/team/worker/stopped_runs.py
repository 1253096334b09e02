"""Ending a run that somebody stopped after its process had died: its agents must not work on for nobody."""

import os

from planrail.base.records import replace
from planrail.runs.request.stopping import end_away_run, end_dead_run
from planrail.store.runs.run_folders import list_runs, run_folder
from planrail.team.queueing import Submission
from planrail.team.worker.run_homes import clone_folder
from planrail.team.worker.sources import Source


def end_stopped_run(source: Source, submission: Submission) -> None:
    """End what is left of the run of a submission that was stopped: here if it is at home here, else on record."""
    os.environ.update(source.variables(submission.repository))
    root = clone_folder(submission) if submission.remote else submission.root
    for run in list_runs(root, submission.plan):
        folder = run_folder(run.order.root, run.order.run)
        if run.is_over:
            continue
        if run.is_home and os.path.isdir(folder):
            end_dead_run(replace(run, folder=folder))
        else:
            end_away_run(run, root)
