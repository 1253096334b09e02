"""The pages that are open, and what each of them hears. While nobody looks, nothing is looked at."""

import asyncio
import json
import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planrail.board.watched_files import Watched

_LIVE, _QUIET, _UNSEEN = 0.1, 0.2, 0.5  # seconds between two looks
_MOST_WAITING = 200  # messages that a page which does not read them is kept for


class BoardWatcher:
    """All projects, and the pages that are open."""

    def __init__(self, roots: dict[str, str]) -> None:
        self._roots = roots
        self._watched: dict[str, Watched] = {}
        self._pages: dict[asyncio.Queue[str | None], str] = {}

    @property
    def pages(self) -> int:
        return len(self._pages)

    def find_pause(self) -> float:
        """Seconds until the next look: short while something runs, longer while nothing does, long without a page."""
        if not self._pages:
            return _UNSEEN
        return _LIVE if any(watched.is_live for watched in self._watched.values()) else _QUIET

    def version(self, project: str) -> tuple[int, float]:
        """Two answers to the same question are the same while this is: nothing was written, and a second not over."""
        watched = self._watched.get(project)
        return (watched.version if watched is not None else -1, time.monotonic() // 1)

    def join(self, project: str, plan: str) -> asyncio.Queue[str | None]:
        """A page that wants to hear of a project, and of the file that it shows; None is the last that it hears."""
        queue = asyncio.Queue[str | None](_MOST_WAITING)
        if project not in self._watched:
            from planrail.board.watched_files import Watched  # with the first page: it knows all that runs write

            self._watched[project] = Watched(self._roots[project])
        if plan:
            self._watched[project].add_plan(os.path.join(self._roots[project], plan))
        self._pages[queue] = project
        return queue

    def leave(self, queue: asyncio.Queue[str | None]) -> None:
        project = self._pages.pop(queue, "")
        if project not in self._pages.values():
            self._watched.pop(project, None)

    def look(self) -> None:
        for project, watched in list(self._watched.items()):
            for message in watched.look(time.monotonic()):
                self.send(project, message)

    def send(self, project: str, message: Mapping[str, object]) -> None:
        text = json.dumps(message)
        for queue in [queue for queue, whose in self._pages.items() if whose == project]:
            if queue.full():  # it does not read: it may ask anew
                while not queue.empty():
                    queue.get_nowait()
                self._pages.pop(queue, None)
                queue.put_nowait(None)
            else:
                queue.put_nowait(text)

    def end(self) -> None:
        for queue in list(self._pages):
            while queue.full():
                queue.get_nowait()
            queue.put_nowait(None)
        self._pages.clear()
