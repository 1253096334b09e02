"""The verifier: another process with a fresh context, the phase verbatim, the diff, and a copy that it only reads."""

import json
import os

from planrail.agents.job import Job
from planrail.engine.crew import SIDE, lay_out_phase
from planrail.records import replace
from planrail.repo.exact_trees import is_pristine
from planrail.repo.work_snapshots import read_diff
from planrail.runs.citations import Ground, read_place
from planrail.runs.model import Verdict
from planrail.runs.prompts import verify_prompt
from planrail.runs.verdict_schema import verdict_schema
from planrail.runs.verifying import Facts, cited_in, drift_text, judge_verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.engine.crew import Crew
    from planrail.engine.rooms import Rooms
    from planrail.engine.site import Site
    from planrail.runs.model import CheckRun, Evidence, PhaseOrder, Snapshot, Work, Workspace
    from planrail.runs.workshop import At

_DIFF, _EVIDENCE = "work.diff", "checks.txt"
_SHELLS = ("Bash", "shell", "local_shell", "exec", "execute", "command", "run_shell_command", "bash")


class Verifying:
    """Asks a verifier, and judges its answer."""

    def __init__(self, site: "Site", rooms: "Rooms", crew: "Crew") -> None:
        self._site, self._rooms, self._crew = site, rooms, crew

    def ask(
        self,
        verifier: str,
        phase: "PhaseOrder",
        at: "At",
        snapshot: "Snapshot",
        evidence: "Evidence",
        said: "Work",
        part: int,
    ) -> Verdict:
        """The verdict of a verifier; one that touched its copy has not read but written, and counts for nothing."""
        copy = self._rooms.open_copy(phase, snapshot.commit)
        self._lay_out(copy, snapshot, evidence)
        prompt = verify_prompt(
            self._site.order,
            phase,
            evidence,
            diff_file=f"{SIDE}/{_DIFF}",
            evidence_file=f"{SIDE}/{_EVIDENCE}",
            phase_file=lay_out_phase(phase, copy.path),
        )
        work = self._crew.work(at, f"verify.{part}", self._job(verifier, phase, prompt, copy))
        if not work.ok:
            return Verdict(False, verifier, (), (f"the verifier did not answer: {work.error}",), work)
        if not is_pristine(self._site.root, copy, snapshot.tree):
            return Verdict(False, verifier, (), ("the verifier changed the copy that it was to read",), work)
        facts = Facts(self._ground(copy, at, snapshot, evidence, work, part), evidence, verifier)
        told = replace(work, text=f"{work.text}\n{drift_text(work.structured)}")
        return judge_verdict(work.structured, phase, facts, told)

    def _job(self, verifier: str, phase: "PhaseOrder", prompt: str, copy: "Workspace") -> Job:
        options, run = self._site.order.options, self._site.settings.run
        return Job(
            driver=verifier,
            role="verifier",
            prompt=prompt,
            folder=copy.path,
            permissions="read",
            timeout=options.verify_minutes * 60,
            model=options.model if verifier == options.agent else "",
            schema=verdict_schema(phase),
            command=run.acp if verifier == "acp" else run.command,
            judge="read_only",
        )

    def _lay_out(self, copy: "Workspace", snapshot: "Snapshot", evidence: "Evidence") -> None:
        """Put the diff and the evidence beside the files of the copy."""
        side = os.path.join(copy.path, SIDE)
        os.makedirs(side, exist_ok=True)
        diff = read_diff(self._site.root, snapshot.base, snapshot.commit)
        _write(os.path.join(side, _DIFF), diff)
        _write(os.path.join(side, _EVIDENCE), "\n\n".join(_describe(run) for run in evidence.runs) + "\n")

    def _ground(
        self, copy: "Workspace", at: "At", snapshot: "Snapshot", evidence: "Evidence", work: "Work", part: int
    ) -> Ground:
        """What the answer's citations are held against: files of the work, and commands that were really run."""
        commands = [run.command for run in evidence.runs]
        commands += _commands_of(os.path.join(self._site.job(at, f"verify.{part}"), "events.jsonl"))
        cited = {read_place(place, commands).path for place in cited_in(work.structured)}
        files = {path: _count_lines(copy.path, path) for path in {*cited, *snapshot.paths} if path}
        known = {path: count for path, count in files.items() if count is not None}
        return Ground(known, snapshot.paths, commands)


def _describe(run: "CheckRun") -> str:
    return f"$ {run.command}\nexit code {run.exit}, {run.seconds:.1f} s\n{run.tail}"


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)


def _count_lines(folder: str, path: str) -> int | None:
    """The number of lines of a file inside the folder; None where there is no such file."""
    place = os.path.realpath(os.path.join(folder, path))
    if not place.startswith(os.path.realpath(folder) + os.sep) or not os.path.isfile(place):
        return None
    with open(place, "rb") as file:
        data = file.read()
    return data.count(b"\n") + (not data.endswith(b"\n"))


def _commands_of(path: str) -> list[str]:
    """The commands that an agent used, by the record of its runner."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = [json.loads(line) for line in file if line.strip()]
    except (OSError, ValueError):
        return []
    used = [line for line in lines if isinstance(line, dict) and line.get("tool") in _SHELLS]
    return [str(line.get("detail") or "") for line in used]
