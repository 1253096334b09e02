"""The state of a task that did not come to its end, committed: no command leaves the folder of tasks changed behind."""

from planrail.approval.book import open_paper
from planrail.git.git_writing import ask_git
from planrail.store.runs.run_folders import list_runs
from planrail.tasks.desk.desk import Desk
from planrail.tasks.model import Task
from planrail.tasks.stages.owed_commits import commit_documents
from planrail.tasks.statuses import marker
from planrail.tasks.work.plan_phases import plan_path


def keep_views(desk: Desk, task: Task) -> str:
    """Commit the views as they are now, if they are not: `task 7: partial`. The commit, "" where there is none.

    Nothing is committed where work is to be fast-forwarded to: it lands on a remote, or waits on a branch for a person
    who merges it. The user's branch would have gone another way. The next commit about a task takes the views along.
    """
    if not desk.commit or _waits_on_branch(desk.root) or _lands_on_remote(desk.root, task):
        return ""
    commit, _ = commit_documents(desk, f"task {task.number}: {marker(task.status).lower()}")
    return commit


def _waits_on_branch(root: str) -> bool:
    """Whether a branch of planrail's is ahead of what is checked out."""
    return bool(ask_git(root, "for-each-ref", "--contains", "HEAD", "--no-merged", "HEAD", "refs/heads/planrail/"))


def _lands_on_remote(root: str, task: Task) -> bool:
    place = plan_path(root, task)
    if not place:
        return False

    run = next(iter(list_runs(root, open_paper(place, root).id)), None)
    return run is not None and (bool(run.order.remote) or run.order.options.landing == "pr")
