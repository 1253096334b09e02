"""The verifier: another process with a fresh context, the phase verbatim, the diff, and a copy that it only reads."""

import contextlib
import glob
import json
import os
import shlex

from planrail.agents.jobs.job_files import Job
from planrail.agents.jobs.runner import look
from planrail.base.records import replace
from planrail.base.run_model import WHOLE, Evidence, Snapshot, Verdict, Work, Workspace
from planrail.git.checkouts import locate_home
from planrail.git.exact_trees import is_pristine
from planrail.git.git_writing import ask_git
from planrail.git.workspaces.work_snapshots import read_diff
from planrail.runs.evidence.judging import describe_exit
from planrail.runs.phases.choosing import type_again
from planrail.runs.prompts import verify_prompt
from planrail.runs.steps.agents import Agents, lay_out, write_beside
from planrail.runs.steps.site import SIDE, At, Paused, Site
from planrail.runs.steps.workspaces import Workspaces
from planrail.runs.verdicts.judging import VerdictFacts, cited_in, drift_text, judge_verdict
from planrail.runs.verdicts.reading import CitationContext, read_answer, read_place, verdict_schema

_DIFF, _EVIDENCE = f"{SIDE}/work.diff", f"{SIDE}/checks.txt"
_TRIES = 2  # verifiers that fail by themselves, one after the other
_MOST_ASKED = 100  # over all resumptions
_PASSING = ("failed", "lost", "timeout")  # what another one need not come to
_SHELLS = ("Bash", "shell", "local_shell", "exec", "execute", "command", "run_shell_command", "bash")


def render_evidence(evidence: Evidence) -> str:
    parts = [f"Checks that planrail ran on the tree {evidence.tree}, in a clean checkout.\n"]
    for number, run in enumerate(evidence.runs, 1):
        parts.append(f"\n## {number}. {run.origin}: {describe_exit(run)} in {run.seconds:g} s.\n")
        command, tail = (text.rstrip("\n").replace("\n", "\n    ") for text in (run.command, run.tail))
        parts.append(f"    {command}\n")
        parts.append(f"\nThe end of its output:\n    {tail}\n" if run.tail.strip() else "\nNo output.\n")
    if evidence.findings:
        parts.append("\n## Findings\n\n")
        found = [("FAILURE" if finding.is_failure else "note", finding) for finding in evidence.findings]
        parts += [f"- {kind}: {finding.text} [{finding.place}]\n" for kind, finding in found]
    return "".join(parts)


class Verifying:
    def __init__(self, site: Site, workspaces: Workspaces, agents: Agents) -> None:
        self._site, self._workspaces, self._agents = site, workspaces, agents

    def ask(self, verifier: str, at: At, snapshot: Snapshot, evidence: Evidence, part: int) -> Verdict:
        """The verdict of a verifier; one that touched its copy has not read but written, and counts for nothing."""
        copy = self._workspaces.open_copy(at, snapshot.commit)
        diff = read_diff(self._site.root, snapshot.base, snapshot.commit)
        for name, text in ((_DIFF, diff), (_EVIDENCE, render_evidence(evidence))):  # beside the files of the copy
            write_beside(copy.path, name, text)
        files = {"diff_file": _DIFF, "evidence_file": _EVIDENCE, **lay_out(self._site, at.phase, copy)}
        prompt = verify_prompt(self._site.order, at.phase, evidence, **files)
        minutes, more = self._site.order.options.verify_minutes, {"schema": verdict_schema(at.phase)}
        job = self._agents.make_job(verifier, "verifier", prompt, copy, minutes, **more)
        work, place = self._have_read(at, job, part)
        if not is_pristine(self._site.root, copy, snapshot.tree):
            return Verdict(False, verifier, (), ("the verifier changed the copy that it was to read",), work)
        facts = VerdictFacts(self._context(copy, place, snapshot, evidence, work), evidence, verifier)
        told = replace(work, text=f"{work.text}\n{drift_text(work.structured)}")
        return judge_verdict(work.structured, at.phase, facts, told)

    def _have_read(self, at: At, job: Job, part: int) -> tuple[Work, str]:
        """The answer, and the folder of the job. A verifier that fails by itself, or answers by no schema, says nothing
        about the work.

        So nobody is asked to fix anything: another one is asked, once, and then the run rests until a person has seen
        to it. Each resumption asks anew.
        """
        tried, error = 0, ""
        for number in range(1, _MOST_ASKED + 1):
            name = f"verify.{part}" if number == 1 else f"verify.{part}-{number}"
            is_new = look(self._site.job(at, name)) == "absent"
            work = self._agents.work_through(at, name, job)
            problem = read_answer(work.structured).problem if work.ok else ""
            if work.ok and not problem:
                return work, self._site.job(at, name)
            tried, error = tried + is_new, problem or work.error
            if is_new and (tried == _TRIES or (not problem and work.reason not in _PASSING)):
                break
        other = "runbook" if at.phase.checks else "codex" if job.driver == "claude" else "claude"
        again = type_again(self._site.order, "" if at.phase.id == WHOLE else at.phase.id, verifier=other)
        way_out = f"planrail stop {self._site.order.path} && {again}"  # this run keeps its verifier
        text = f"the verifier did not answer: {error}; to begin the phase anew with another one: {way_out}"
        raise Paused("paused", text, way_out if number > tried else self._site.resume)

    def _context(
        self, copy: Workspace, job: str, snapshot: Snapshot, evidence: Evidence, work: Work
    ) -> CitationContext:
        """What the answer's citations are held against: files of the work, and commands that were really run.

        The verifier may have made files itself: those count that the work has.
        """
        commands = [*(run.command for run in evidence.runs), *_list_run(job)]
        cited = {read_place(place, commands).path for place in cited_in(work.structured)}
        asked = sorted(path for path in cited if path and not os.path.isabs(path) and ".." not in path.split("/"))
        view, tracked = locate_home(self._site.root).git_dir, ""
        if asked:
            tracked = ask_git(copy.path, "ls-files", "-z", "--", *asked, index=copy.index, view=view) or ""
        there = {*filter(None, tracked.split("\0")), *snapshot.paths}
        known, top = {}, os.path.realpath(copy.path) + os.sep
        for path in there:
            place = os.path.realpath(os.path.join(copy.path, path))
            if place.startswith(top) and os.path.isfile(place):
                with open(place, "rb") as file:
                    data = file.read()
                known[path] = data.count(b"\n") + (not data.endswith(b"\n"))
        return CitationContext(known, snapshot.paths, commands)


def _list_run(job: str) -> list[str]:
    """The commands that an agent ran, also after each usage limit, by the record of its runner: those that were refused
    it has not run. Without the shell that a program has put around one: `/bin/bash -lc 'make test'`."""
    events: list[object] = []
    for place in (job, *sorted(glob.glob(f"{glob.escape(job)}.[0-9]*"))):
        with (
            contextlib.suppress(OSError, ValueError),
            open(os.path.join(place, "events.jsonl"), encoding="utf-8", errors="replace") as file,
        ):
            events += [json.loads(line) for line in file if line.strip()]
    told = [event for event in events if isinstance(event, dict) and event.get("tool") in _SHELLS]
    ran = [(event.get("event"), str(event.get("command") or event.get("detail") or "")) for event in told]
    commands = []
    for command in [command for kind, command in ran if kind == "used" and ("denied", command) not in ran]:
        words = []
        with contextlib.suppress(ValueError):  # else it is no such line
            words = shlex.split(command)
        is_wrapped = len(words) == 3 and words[0].endswith("sh") and words[1] in ("-c", "-lc")
        commands.append(words[2] if is_wrapped else command)
    return commands
