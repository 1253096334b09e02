"""May an agent that executes a plan commit to the protected target now, or push to it? Not before its phase is proven.

With `[run] main_protected`, in an agent's own shell alone: a person's terminal is never touched. What a command does is
read from its text, so that this stops a habit and no attacker; landing runs the checks again in any case.
"""

import re
from collections.abc import Collection, Mapping, Sequence

from planrail.approval.book import open_plan_file
from planrail.base.errors import PlanrailError
from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.base.wording import quote
from planrail.git.git_writing import ask_git
from planrail.projects.open_plan import open_known_plan
from planrail.runs.in_session.cases import load_handed_out, locate_work
from planrail.runs.in_session.holding import choose_phase, is_settled

_SEPARATOR = pattern(r"&&|\|\||[;\n|&]")
_RECORDS = pattern(r"\b(?:rm|mv|truncate|shred|unlink)\b.*\.git/planrail\b|\bgit\b.*\bupdate-ref\b.*\brefs/planrail/")
_VALUED = ("-C", "-c", "--git-dir", "--work-tree", "--namespace")
_COMMITTING = ("commit", "cherry-pick", "merge", "revert", "am", "rebase", "pull")
_NEW_BRANCH = ("-b", "-B", "-c", "-C", "--orphan", "--create")
_EVERYTHING = ("--all", "--mirror", "--branches")


@record
class GitCall:
    """One call of git in a script: its sub-command, and the words behind it."""

    verb: str
    words: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        return [word for word in self.words if not word.startswith("-")]


def gate(request: Mapping[str, str]) -> dict[str, object]:
    """Why a command is refused; nothing where it may run."""
    command, target = request["command"], request["target"]
    if _RECORDS.search(command):
        return {"reason": "planrail: the records of plans and evidence are the user's to remove: planrail prune"}
    branch = (ask_git(request["cwd"] or request["root"], "symbolic-ref", "--quiet", "--short", "HEAD") or "").strip()
    target = target or find_default(request["root"])
    known = (ask_git(request["root"], "for-each-ref", "--format=%(refname:short)", "refs/heads") or "").split()
    what = find_reach(read_calls(command), branch, target, known)
    open_phase = _find_open(request) if what else ""
    if not open_phase:
        return {}
    plan = quote(request["plan"])
    return {
        "reason": f"planrail: {what} waits: {target} is protected, and phase {open_phase} is not proven.\n"
        f"Prove it first: planrail done {plan} {quote(open_phase)} (with --commit, if the user wants commits).\n"
        f"Or work on a branch of its own: git switch -c feat/{quote(open_phase)}"
    }


def read_calls(script: str) -> list[GitCall]:
    """The calls of git in a script, in their order. Quotes are looked through: `sh -c 'git push'` is one too."""
    found = []
    for part in _SEPARATOR.split(re.sub(r"[\"'`$(){}]", " ", script)):
        words = part.split()
        at = next((at for at, word in enumerate(words) if word == "git" or word.endswith("/git")), None)
        rest = words[at + 1 :] if at is not None else []
        while rest and rest[0].startswith("-"):
            rest = rest[2:] if rest[0] in _VALUED else rest[1:]
        if rest:
            found.append(GitCall(rest[0], tuple(rest[1:])))
    return found


def find_reach(calls: Sequence[GitCall], branch: str, target: str, branches: Collection[str]) -> str:
    """What calls do to a branch that is protected, where `branch` is checked out at first; "" where they leave it."""
    for call in calls:
        if call.verb in ("checkout", "switch"):
            branch = _goes_to(call, branch, branches)
        elif call.verb in _COMMITTING and branch == target:
            return f"`git {call.verb}` on {target}"
        elif call.verb == "push" and _pushes(call, branch, target):
            return f"`git push` to {target}"
        elif _moves(call, target):
            return f"moving {target}"
    return ""


def _goes_to(call: GitCall, branch: str, branches: Collection[str]) -> str:
    """The branch that is checked out after a call; a name that is no branch may be a file's."""
    is_new = any(option in call.words for option in _NEW_BRANCH)
    return next((name for name in call.names[:1] if is_new or name in branches), branch)


def _moves(call: GitCall, target: str) -> bool:
    is_named = bool(set(call.names) & {target, f"refs/heads/{target}"})
    is_forced = call.verb == "branch" and bool({"-f", "--force", "-M", "-m", "-C"} & set(call.words))
    return is_named and (call.verb == "update-ref" or is_forced)


def _pushes(call: GitCall, branch: str, target: str) -> bool:
    refs = call.names[1:]
    if not refs:
        return branch == target or any(option in call.words for option in _EVERYTHING)
    ends = [ref.removeprefix("+").rpartition(":")[2].removeprefix("refs/heads/") for ref in refs]
    return target in ends or (branch == target and "HEAD" in ends)


def find_default(root: str) -> str:
    """The branch that work lands on where no setting names one: the remote's own, else the usual one that is there."""
    remote = (ask_git(root, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD") or "").strip()
    if remote:
        return remote.removeprefix("origin/")
    known = [name for name in ("main", "master", "trunk") if ask_git(root, "rev-parse", "--verify", "--quiet", name)]
    return known[0] if known else "main"


def _find_open(request: Mapping[str, str]) -> str:
    """The phase that was handed out and is not proven; without one the next of the plan; "" where none is open."""
    try:
        plan = open_known_plan(request["plan"])
        if not plan.phases:
            return ""
        plan_file = open_plan_file(request["plan"], request["root"])
        known = load_handed_out(plan_file, locate_work(plan_file))
    except PlanrailError:
        return ""
    handed = next((str(value.get("phase")) for value in reversed(known) if not value.get("is_offered")), "")
    phase = plan.phase(handed) if handed else choose_phase(plan, "")
    return phase.id if phase is not None and not is_settled(phase) else ""
