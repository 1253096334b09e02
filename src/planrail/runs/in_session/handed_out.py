"""Is the phase the one that was handed out, and does its work keep to it? What speaks against either.

A plan's text can be edited by the agent that works on it. Its checks count as they were when a person had the phase
handed out, or as a person has approved them since; an edit between is named, with the way to have it accepted.
"""

import difflib
import os
import re

from planrail.base.run_model import Finding
from planrail.base.wording import clip
from planrail.git.git_writing import ask_git
from planrail.git.workspaces.work_snapshots import changed_paths
from planrail.plans.execution.executions import order_phases
from planrail.plans.model import Phase
from planrail.plans.states import State
from planrail.runs.evidence.scope import TickedItem, is_named, judge_items, judge_kept, judge_scope, read_scope
from planrail.runs.in_session.cases import PhaseCase, is_approved, list_handed_out, locate_keeper
from planrail.runs.in_session.working_tree import name_inside

_BOX = re.compile(r"\[[ xX]\]")
_LONGEST = 60


def judge_keeping(case: PhaseCase, tree: str) -> list[Finding]:
    """Whether the work on a tree keeps to the files and items of the phase. Only git can tell what has changed."""
    phase = case.plan_file.plan.phase(case.order.id)
    if not case.base.commit or phase is None:
        return []
    kept_by_planrail = {name_inside(case.root, case.plan_file.place), name_inside(case.root, locate_keeper(case))}
    changed = [path for path in changed_paths(case.root, case.base.tree, tree) if path not in kept_by_planrail]
    since = set(changed_paths(case.root, case.base.began, tree)) if case.base.began else _without_others(case, changed)
    scope = read_scope(case.order.text, _around(case), case.order.rules)
    own = [path for path in changed if path in since]
    found = [*judge_scope(scope, own), *judge_kept(case.order.rules, own)]
    return found + _judge_items(case, phase, tree, changed)


def _without_others(case: PhaseCase, changed: list[str]) -> set[str]:
    """The changed files of a phase that nobody saw begin: without those of phases that were finished before it."""
    plan, text = case.plan_file.plan, case.plan_file.source.text
    done = [order.text for order in order_phases(plan, text) if order.state == State.DONE and order.id != case.order.id]
    named = {path for words in done for path in read_scope(words).named}
    return {path for path in changed if not is_named(path, named)}


def find_change(case: PhaseCase) -> str:
    """What changed in the text of a phase since it was handed out; "" where nothing did, or nobody did that."""
    known = list_handed_out(case)
    if not known or known[-1].get("text") == case.order.canonical:
        return ""
    return describe_change(str(known[-1].get("words") or ""), case.order.text, case.line)


def judge_text(case: PhaseCase) -> list[Finding]:
    where = find_change(case)
    if not where or is_approved(case):
        return []
    how = f"the user has it accepted by `planrail approve {case.name}`, or by saying `execute plan` again"
    return [Finding("phase_changed", f"{where} since it was handed out; put it back, or {how}")]


def describe_change(before: str, now: str, line: int) -> str:
    """The first line of a phase that is not as it was, but for its boxes. `line` is the one that the text begins on."""
    old, new = ([_BOX.sub("[ ]", text.rstrip()) for text in whole.split("\n")] for whole in (before, now))
    if not before:
        return "the phase's text changed"
    for kind, start, end, first, last in difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        was, is_now = (" ".join(text).strip() for text in (old[start:end], new[first:last]))
        if kind != "equal" and (was or is_now):
            was, is_now = (f"“{clip(text, _LONGEST)}”" if text else "" for text in (was, is_now))
            said = f"{was} is now {is_now}" if was and is_now else f"{was} is gone" if was else f"{is_now} is new"
            return f"line {line + first}: {said}"
    return "the phase's text changed"


def _around(case: PhaseCase) -> str:
    """What the plan says before its first phase."""
    first = min((phase.first_line for phase in case.plan_file.plan.phases), default=1)
    return "\n".join(case.plan_file.source.text.split("\n")[: first - 1])


def _judge_items(case: PhaseCase, phase: Phase, tree: str, changed: list[str]) -> list[Finding]:
    items = [TickedItem(item.text, item.line, item.is_closed) for item in phase.items]
    folders = {os.path.dirname(path) for path in changed}

    def exists(path: str) -> bool:
        return any(os.path.lexists(os.path.join(case.root, folder, path)) for folder in ("", *folders))

    def has_symbol(name: str) -> bool:
        return ask_git(case.root, "grep", "--quiet", "--word-regexp", "--fixed-strings", "-e", name, tree) is not None

    return judge_items(items, exists, changed, has_symbol)
