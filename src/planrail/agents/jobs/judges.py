"""Judges answer an agent that asks whether it may use a tool, where no person sits in front of it.

`read_only` is the guard of plan mode: what cannot be proven harmless is refused. `workspace` is for an agent that works
in a private copy: it may do there what it likes. What is held, and what not, is said in docs/agents.md.
"""

import os
from collections.abc import Mapping

from planrail.agents.jobs.job_files import Job
from planrail.agents.model import Judge
from planrail.git.embedded import look_at
from planrail.guard.judging import SHELLS, WRITERS, GuardPolicy, script_of, written_paths
from planrail.guard.second_opinion import decide

_ELSEWHERE = "{path} is outside of your workspace; write only below {folder}"
_UNCLEAR = "it cannot be told which file {tool} would write; name it by an absolute path below {folder}"
_PROTECTED = "{place} is not yours to change; work in {folder}, where you have a copy of your own ({reason})"
_CUTS = " \t\n\r;|&()<>\"'`="
_AFTER = "/:" + _CUTS


class WorkspaceJudge:
    """The judge of one workspace. `protected` are places that a command may read by name, and not write.

    A tool that writes files says where, so it is held to the folder, links resolved. A shell command can hide what it
    does: one that names a protected place has to be provably harmless; one that hides the name is not seen. What keeps
    that harmless is elsewhere: nothing lands that was not verified and proven.
    """

    def __init__(self, folder: str, protected: tuple[str, ...] = ()) -> None:
        self._folder = os.path.realpath(folder)
        self._folders = tuple(dict.fromkeys((self._folder, os.path.abspath(folder))))
        self._home = os.path.expanduser("~")
        both = (spelled for place in protected for spelled in (os.path.normpath(place), os.path.realpath(place)))
        self._protected = tuple(place for place in dict.fromkeys(both) if place not in ("/", self._folder))

    def refuse(self, tool: str, given: Mapping[str, object]) -> str | None:
        call = dict(given)
        if tool in WRITERS:
            return self._refuse_write(tool, call)
        if tool in SHELLS:
            return self._refuse_command(tool, call)
        return None

    def _refuse_write(self, tool: str, call: dict[str, object]) -> str | None:
        paths = written_paths(tool, call)
        if paths is None:
            return _UNCLEAR.format(tool=tool, folder=self._folder)
        for path in paths:
            resolved = os.path.realpath(os.path.join(self._folder, path))
            if not resolved.startswith(self._folder + os.sep):
                return _ELSEWHERE.format(path=path, folder=self._folder)
        return None

    def _refuse_command(self, tool: str, call: dict[str, object]) -> str | None:
        script = script_of(tool, call) or str(call.get("command", ""))
        place = self._named(script)
        if not place:
            return None
        verdict = decide(tool, call, GuardPolicy((), self._folder, self._home, look_at(self._folder)))
        if verdict.decision == "allow":
            return None
        return _PROTECTED.format(place=place, folder=self._folder, reason=verdict.reason)

    def _named(self, script: str) -> str:
        """The protected place that a command names; "" where it names none. The workspace may lie below one."""
        plain = script.replace("${HOME}", self._home).replace("$HOME", self._home)
        for folder in self._folders:
            plain = _without(plain, folder)
        spelled = next((place for place in self._protected if _without(plain, place) != plain), "")
        return spelled or next((place for word in _words(plain) if (place := self._reached(word))), "")

    def _reached(self, word: str) -> str:
        """The protected place that a word leads to; a word may be no path at all."""
        path = self._home + word[1:] if word == "~" or word.startswith("~/") else word
        if "/" not in path and path != "..":
            return ""
        whole = os.path.join(self._folder, path)
        try:
            both = (os.path.normpath(whole), os.path.realpath(whole))
        except (OSError, ValueError):
            both = (os.path.normpath(whole), path)
        for reached in both:
            found = next((place for place in self._protected if _is_at(reached, place)), "")
            if found and not _is_at(reached, self._folder):
                return found
        return ""


def _without(script: str, place: str) -> str:
    """The command with a place spelled as `.`, where it is that place or something below it; also one with spaces."""
    first, *rest = script.split(place)
    return first + "".join(("." if not part or part[0] in _AFTER else place) + part for part in rest)


def _words(script: str) -> list[str]:
    """The words of a command, roughly; of a flag with its value in one word, such as -C/somewhere, the value."""
    for sign in _CUTS:
        script = script.replace(sign, " ")
    return [word[2:] if word.startswith("-") and word[2:3] == "/" else word for word in script.split()]


def _is_at(path: str, place: str) -> bool:
    return path == place or path.startswith(place + os.sep)


def load_judge(job: Job) -> Judge:
    """The judge that a job names. One that is not known refuses everything."""
    if job.judge == "read_only":
        return read_only(job.folder, job.allowed)
    if job.judge == "workspace" and job.permissions == "write":
        return WorkspaceJudge(job.folder, job.protected).refuse
    return lambda tool, given: f"{job.judge!r} is no judge of tools for an agent that may {job.permissions}"


def read_only(folder: str, allowed: tuple[str, ...] = ()) -> Judge:
    policy = GuardPolicy((), folder, os.path.expanduser("~"), look_at(folder), allowed)

    def refuse(tool: str, given: Mapping[str, object]) -> str | None:
        verdict = decide(tool, dict(given), policy)
        if verdict.decision != "allow":
            return f"you are here to read, and to change nothing: {verdict.reason}"
        return None

    return refuse
