"""From a plan file and a person's words to an order: everything that a run has to know, frozen when it begins."""

import os
from collections.abc import Callable, Mapping

from planrail.approval.book import PlanFile, load_policy, open_plan_file, read_book, stand
from planrail.approval.person import find_person, verifier
from planrail.approval.policy import AUTO, HEADLESS, Policy
from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import record, replace
from planrail.base.run_model import PhaseOrder
from planrail.base.settings import FILE_NAME, Settings, load_settings
from planrail.base.wording import quote
from planrail.git.git_writing import ask_git, run_git
from planrail.plans.canonical.canonical import HELD, LOG_GROWN, canonicalise, compare_seal
from planrail.plans.editing.corrections import undo_corrections
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource
from planrail.runs.drift.deciding import leaves_approval
from planrail.store.runs.run_folders import RunState, list_runs


@record
class RunContext:
    """A plan as the target has it, and what the repository says about runs."""

    plan_file: PlanFile
    root: str
    target: str
    head: str  # the commit of the target
    is_tracked: bool
    settings: Settings
    policy: Policy
    working: PlanFile | None = None  # the plan as its file is, where that is another text than the target has
    edits: tuple[str, ...] = ()  # what it says otherwise; marks of progress are no edits


def read_context(path: str, target: str = "") -> RunContext:
    """Read the plan that is to run: as the target has it where it is tracked there, else the file as it is.

    `target` is the branch to land on, where that was said before; else the settings say it, or what is checked out.
    """
    plan_file = open_plan_file(path)
    root = plan_file.root
    if not os.path.exists(os.path.join(root, ".git")):
        raise PlanrailError(
            f"{plan_file.path} is in no git repository, and a run lands commits",
            remedy="git init, and commit something",
        )
    head, branch = _commit(root, target) if target else "", target
    if not target:  # what is checked out; its branch is "" where there is none
        lines = run_git(root, "rev-parse", "HEAD", "--symbolic-full-name", "HEAD", accepted=(0, 128)).split()
        if len(lines) != 2 or len(lines[0]) < 40:
            raise PlanrailError("the repository has no commit yet", remedy="git commit, then try again")
        head, branch = lines[0], lines[1] if lines[1].startswith("refs/heads/") else ""
    settings = load_settings(root, committed=ask_git(root, "show", f"{head}:{FILE_NAME}"))
    if settings.run.target and not target:
        branch = f"refs/heads/{settings.run.target}"
        head = _commit(root, branch)
    if not branch:
        raise PlanrailError(
            "no branch is checked out, so there is none to land on", remedy="git switch main, or [run] target = NAME"
        )
    text = None if os.path.isabs(plan_file.path) else ask_git(root, "show", f"{head}:{plan_file.path}")
    policy, committed = load_policy(root, os.environ), _with_text(plan_file, text)
    edits = find_edits(committed, plan_file)
    working = plan_file if edits else None
    return RunContext(committed, root, branch, head, text is not None, settings, policy, working, edits)


def find_unfinished(context: RunContext) -> RunState | None:
    return next((run for run in list_runs(context.root, context.plan_file.id) if not run.is_over), None)


def _commit(root: str, ref: str) -> str:
    found = ask_git(root, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    if not found:
        name = ref.removeprefix("refs/heads/")
        raise UsageError(f"[run] target = {name!r} is no branch here", remedy=f"git branch {quote(name)}")
    return found.strip()


def _with_text(plan_file: PlanFile, text: str | None) -> PlanFile:
    """The plan file with the text of the target, where that is another one."""
    if text is None or text == plan_file.source.text:
        return plan_file
    source = PlanSource(plan_file.source.path, text)
    plan = read(source)
    return replace(plan_file, source=source, plan=plan, canonical=canonicalise(plan, text))


def find_edits(committed: PlanFile, working: PlanFile) -> tuple[str, ...]:
    """What a plan's file says otherwise than the target. Marks and corrections that planrail writes are no edits."""
    if committed.source.text == working.source.text:
        return ()
    before, after = list_texts(committed), list_texts(working)
    same = {name for name in before if before[name] & after.get(name, set())}
    changed = [f"phase {name}" for name in {**before, **after} if name not in same]
    around = compare_seal(committed.canonical.rest_hash, working.canonical.outside, same)
    return (*changed, *(() if around in (HELD, LOG_GROWN) else (around,)))


def note_unheard(context: RunContext) -> str:
    """That edits of the plan are no part of the run, because its person said so; "" for none."""
    name = context.target.removeprefix("refs/heads/")
    told = f"{context.plan_file.path} runs as {name} has it; your uncommitted edits are no part of it"
    return told if context.edits else ""


def approver(context: RunContext, *, auto: bool) -> Callable[[PhaseOrder], str]:
    """Why a phase may not run, by what people have said up to the moment of asking; "" where it may."""
    plan_file, texts = _without_corrections(context.plan_file), list_texts(context.plan_file)
    if not context.policy.required:
        return lambda phase: _refuse_other_text(phase, texts)
    person = find_person()
    strength = context.policy.strengths[AUTO if auto else HEADLESS]

    def judge(phase: PhaseOrder) -> str:
        book = read_book(context.root, context.plan_file.id)
        standing = stand(plan_file, book, context.policy, strength, verifier(person, context.policy, context.root))
        found = next((part for part in standing.phases if part.key == phase.id), None)
        if found is None or found.state != "approved":
            why = found.why if found is not None and found.why else f"nobody has approved it (strength: {strength})"
            return f"phase {phase.id} is not approved: {why}"
        return _refuse_other_text(phase, texts)

    return judge


def list_texts(plan_file: PlanFile) -> dict[str, set[str]]:
    """The hashes of each phase as it is now, and as it was before planrail itself corrected a number in it."""
    texts: dict[str, set[str]] = {}
    for known in (plan_file, _without_corrections(plan_file)):
        for part in known.canonical.phases:
            texts.setdefault(part.key, set()).add(part.hash)
    return texts


def _refuse_other_text(phase: PhaseOrder, texts: Mapping[str, set[str]]) -> str:
    """A run executes the text that it began with: where the plan says something else by now, that is not what runs."""
    if not phase.canonical or phase.canonical in texts.get(phase.id, ()):
        return ""
    return f"phase {phase.id} says something else than when the run began: planrail stop, and run it anew"


def _without_corrections(plan_file: PlanFile) -> PlanFile:
    """The plan file before the numbers that planrail itself corrected: a small drift was approved with the plan."""
    text, corrections = undo_corrections(plan_file.source.text, plan_file.plan)
    return _with_text(plan_file, text) if corrections and leaves_approval(corrections) else plan_file
