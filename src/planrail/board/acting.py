"""What a person can do on a page: comment, reject, approve with a click, let a plan be revised; pause, stop and resume.

Each calls the function that the command of the same name calls, or starts that command. A click counts as much as an
answer in an agent's own dialog, and no more.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from planrail.approval.model import DIALOG
from planrail.approval.people.terminals import read_who
from planrail.approval.person import find_person
from planrail.base.errors import PlanrailError, UsageError
from planrail.board.asking import Board, Document, PageRequest
from planrail.board.comments import as_comments, keep_remark, mark_sent, take_back
from planrail.board.pages import open_plan
from planrail.board.reviewing import find_commented, list_open, make_blocks
from planrail.runs.request.approving import approve_by_click
from planrail.runs.request.rejecting import RejectRequest
from planrail.runs.request.rejecting import reject as reject_plan
from planrail.runs.request.stopping import pause_run
from planrail.store.runs.run_folders import list_runs

_LONGEST = 20_000  # characters of a comment
_started: list[subprocess.Popen[bytes]] = []  # commands that outlive the request


def comment(_board: Board, asked: PageRequest) -> Document:
    plan_file = open_plan(asked)
    if not asked.get("text").strip() and not asked.get("replacement").strip():
        raise UsageError("the comment is empty", remedy="say what should be different")
    if any(len(value) > _LONGEST for value in asked.given.values()):
        raise UsageError(f"a comment has at most {_LONGEST} characters", remedy="make several of it")
    block = find_commented(plan_file, asked.get("block"), asked.get("line"))
    if block is None:
        raise PlanrailError("the plan has changed, and that part is no longer in it", remedy="read it anew")
    return {"id": keep_remark(plan_file, block, asked.given, read_who(os.environ), int(time.time()))}


def uncomment(_board: Board, asked: PageRequest) -> Document:
    plan_file = open_plan(asked)
    if asked.get("id") not in {remark.id for remark in list_open(plan_file)}:
        raise UsageError("there is no such comment, or it was sent", remedy="reload the page")
    take_back(plan_file, asked.get("id"), int(time.time()))
    return {"id": asked.get("id")}


def reject(_board: Board, asked: PageRequest) -> Document:
    """Send the plan back, with all comments that were not sent yet."""
    plan_file = open_plan(asked)
    remarks = list_open(plan_file)
    comments = as_comments(remarks, make_blocks(plan_file.source.text, plan_file.path))
    request = RejectRequest(
        asked.plan, asked.get("feedback")[:_LONGEST], lambda _text: comments, (read_who(os.environ), DIALOG)
    )
    told = reject_plan(request, find_person())
    mark_sent(told.plan_file, remarks, told.rejection.id, told.rejection.at)
    return {"sessions": told.sessions, "comments": len(remarks)}


def approve(_board: Board, asked: PageRequest) -> Document:
    open_plan(asked)
    said = approve_by_click(asked.plan, asked.get("hash"), find_person())
    return {"approved": said.is_approved, "text": said.text}


def refine(board: Board, asked: PageRequest) -> Document:
    return _start(board, asked, "refine", asked.plan)


def resume(board: Board, asked: PageRequest) -> Document:
    return _start(board, asked, "resume", asked.plan)


def stop(board: Board, asked: PageRequest) -> Document:
    return _start(board, asked, "stop", asked.plan)


def pause(_board: Board, asked: PageRequest) -> Document:
    plan_file = open_plan(asked)
    live = next((run for run in list_runs(plan_file.root, plan_file.id) if run.is_live), None)
    if live is None or not pause_run(live):
        raise PlanrailError("no run of this plan is under way on this machine", remedy=f"planrail status {asked.plan}")
    return {"text": "it rests after what it is doing; its agent goes on", "command": f"planrail resume {asked.plan}"}


def raise_priority(board: Board, asked: PageRequest) -> Document:
    if not asked.get("number").lstrip("-").isdecimal():
        raise UsageError("a priority is a number", remedy="0 is usual, larger is earlier")
    return board.tell(asked, "queue", "priority", "--", asked.get("plan"), asked.get("number"))


def remove(board: Board, asked: PageRequest) -> Document:
    return board.tell(asked, "queue", "remove", "--", asked.get("plan"))


def _start(board: Board, asked: PageRequest, *words: str) -> Document:
    """Start a command that may outlive this server; what it says soon, where it refuses."""
    _started[:] = [process for process in _started if process.poll() is None]
    command = [sys.executable, "-P", "-m", "planrail", *words[:-1], "--", words[-1]]
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen(
            command,
            cwd=asked.project.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=told,
            start_new_session=True,
        )
        try:
            code = process.wait(board.patience)
        except subprocess.TimeoutExpired:
            _started.append(process)
            return {"text": f"planrail {' '.join(words)} was started"}
        told.seek(0)
        said = told.read(_LONGEST).decode("utf-8", "replace").strip()
    if code:
        raise PlanrailError(said.removeprefix("planrail: ") or "it could not be done", remedy=" ".join(words))
    return {"text": f"planrail {' '.join(words)}: done"}


ACTIONS: dict[str, Callable[[Board, PageRequest], object]] = {
    "comment": comment,
    "uncomment": uncomment,
    "reject": reject,
    "approve": approve,
    "pause": pause,
    "refine": refine,
    "resume": resume,
    "stop": stop,
    "priority": raise_priority,
    "remove": remove,
}
