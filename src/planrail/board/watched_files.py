"""What has happened since the last look? The files of a project's ledger and of its live runs, looked at while a page
is open: a handful of `stat` calls, ten times a second while something runs, nothing at all while nobody looks.
"""

import os
from collections.abc import Iterator

from planrail.base.json_reading import read_object
from planrail.base.masking import mask
from planrail.base.visible import show_text
from planrail.store.journal_lines import NAME as JOURNAL
from planrail.store.journal_lines import describe_step, parse_journal, split_key
from planrail.store.places import ledger_folder
from planrail.store.runs.run_folders import AGENTS, ENDING
from planrail.team.looking import EVENTS, describe_event

_LEDGER = ("ledger.db", "ledger.db-wal", "spool.jsonl", "runs", "claims")
_LOOK_FOR_RUNS = 0.5  # seconds between two looks for files of runs that are new
_MOST = 16_000  # bytes of an output that are sent at once; the rest of it is left out
_MOST_PLANS = 50
Stamp = tuple[int, int] | None
Message = dict[str, object]


class Watched:
    """One project: what its files were at the last look."""

    def __init__(self, root: str) -> None:
        self.folder = ledger_folder(root)
        self.version = 0
        self._plans: list[str] = []
        self._stamps: dict[str, Stamp] = {}
        self._offsets: dict[str, int] = {}
        self._looked = -_LOOK_FOR_RUNS
        self._list_live(0.0)
        self._stamps = {path: stamp(path) for path in self._paths()}
        self._offsets = {path: found[1] if (found := self._stamps[path]) else 0 for path in self._offsets}

    @property
    def is_live(self) -> bool:
        """Whether a run is under way, or was left without a last word."""
        return bool(self._offsets)

    def add_plan(self, path: str) -> None:
        """Look at the file of a plan that is shown, too."""
        if path not in self._plans:
            self._plans = [*self._plans[-_MOST_PLANS:], path]
            self._stamps[path] = stamp(path)

    def look(self, now: float) -> Iterator[Message]:
        """What is new, as messages to the pages."""
        self._list_live(now)
        for path in self._paths():
            found = stamp(path)
            if found == self._stamps.get(path):
                continue
            self._stamps[path] = found
            self.version += 1
            yield self._tell(path, found)

    def _paths(self) -> list[str]:
        return [*(os.path.join(self.folder, name) for name in _LEDGER), *self._plans, *self._offsets]

    def _list_live(self, now: float) -> None:
        """Find the files that live runs write: the journal, the events of the newest agent, the newest output."""
        if now - self._looked < _LOOK_FOR_RUNS:
            return
        self._looked, found = now, list[str]()
        for run in _folders(os.path.join(self.folder, "runs")):
            if not os.path.exists(os.path.join(run.path, ENDING)):
                found.append(os.path.join(run.path, JOURNAL))
                found += [os.path.join(newest.path, EVENTS) for newest in _folders(os.path.join(run.path, AGENTS))[:1]]
                found += [os.path.join(place, name) for place, name in _newest_output(os.path.join(run.path, "output"))]
        self._offsets = {path: self._offsets.get(path, 0) for path in found}

    def _tell(self, path: str, found: Stamp) -> Message:
        if path not in self._offsets or found is None:
            return {"kind": "changed"}
        data, name = self._read_new(path, found[1]), os.path.basename(path)
        run = os.path.relpath(path, os.path.join(self.folder, "runs")).split(os.sep)[0]
        if name == JOURNAL:
            return {"kind": "journal", "run": run, "lines": list(_describe_lines(data))}
        if name == EVENTS:
            told = [describe_event(event) for raw in data.split(b"\n") if (event := read_object(raw))]
            return {"kind": "agent", "run": run, "lines": [_show(line) for line in told if line]}
        return {"kind": "output", "run": run, "text": _show(data.decode("utf-8", "replace"))}

    def _read_new(self, path: str, size: int) -> bytes:
        """What was added. Of a journal and of events whole lines only; of a large output the end."""
        begin = self._offsets[path] if self._offsets[path] <= size else 0
        try:
            with open(path, "rb") as file:
                file.seek(max(begin, size - _MOST) if not path.endswith(".jsonl") else begin)
                data = file.read(size - begin)
        except OSError:
            return b""
        whole = data.rfind(b"\n") + 1 if path.endswith(".jsonl") else len(data)
        self._offsets[path] = begin + whole if path.endswith(".jsonl") else size
        return data[:whole]


def _describe_lines(data: bytes) -> Iterator[dict[str, object]]:
    for line in parse_journal(data):
        phase, attempt, step = split_key(line.key)
        yield {"at": line.at, "phase": phase, "attempt": attempt, "step": describe_step(step), "state": line.state}


def _folders(place: str) -> list[os.DirEntry[str]]:
    """The folders in a folder, the newest first."""
    try:
        found = [(entry.stat().st_mtime, entry) for entry in os.scandir(place) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return [entry for _, entry in sorted(found, key=lambda pair: pair[0], reverse=True)]


def _newest_output(place: str) -> list[tuple[str, str]]:
    written = [(folder, name) for folder, _, names in os.walk(place) for name in names]
    stamps = {pair: when for pair in written if (when := stamp(os.path.join(*pair)))}
    return [max(stamps, key=lambda pair: stamps[pair])] if stamps else []


def stamp(path: str) -> Stamp:
    """What a file was when it was looked at: another one is another text."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size)


def _show(text: str) -> str:
    return show_text(mask(text))
