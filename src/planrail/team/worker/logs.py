"""What a worker says: one line for each thing that happens, with its time; and a file for what each run says."""

import contextlib
import datetime
import json
import os
import sys
from typing import TextIO

from planrail.base.identity import safe_name
from planrail.base.masking import mask
from planrail.base.state_folder import state_folder
from planrail.base.wording import clean
from planrail.git.remotes.forge_places import hide_credentials
from planrail.runs.reporting.gathering import changed_at
from planrail.store.places import make_private
from planrail.team.queueing import Submission

_MOST = 200  # files of finished runs that are kept


class Log:
    """The lines of a worker: for people, or for programs as JSON."""

    def __init__(self, stream: TextIO | None = None, *, is_json: bool = False) -> None:
        self._stream, self._is_json = stream or sys.stderr, is_json

    def say(self, event: str, text: str = "", **details: object) -> None:
        """One line. A reader who has left is no reason to stop working."""
        at = datetime.datetime.now(datetime.UTC).astimezone().isoformat(timespec="seconds")
        if self._is_json:
            line = json.dumps({"at": at, "event": event, "text": mask(text), **details})
        else:
            line = f"{at}  {event:<9} {' '.join(clean(mask(text)).splitlines())}".rstrip()
        try:
            self._stream.write(line + "\n")
            self._stream.flush()
        except (OSError, ValueError):
            return


def name_submission(submission: Submission) -> str:
    """What lines call a submission: its plan, and where that is, where a worker serves many repositories."""
    place = submission.repository or submission.root
    return f"{submission.path} of {hide_credentials(place)}" if place else submission.path


def log_file(submission: Submission) -> str:
    """Where a run that a worker carries out says what it does; the oldest files go as new ones come."""
    folder = os.path.join(state_folder(), "logs")
    make_private(folder)
    names = sorted(os.listdir(folder), key=lambda name: changed_at(os.path.join(folder, name)))
    for name in names[:-_MOST]:
        with contextlib.suppress(OSError):  # another worker was faster
            os.unlink(os.path.join(folder, name))
    return os.path.join(folder, f"{safe_name(submission.path)[-60:]}-{safe_name(submission.id)[-40:]}.log")
