"""What plannings in a session and headless ones share: their ids, their options, and what a plan says about itself."""

import re
import secrets
import time
from collections.abc import Collection, Mapping

from planrail.base.settings import FILE_NAME, PlanningSettings, Settings, load_settings
from planrail.git.git import DiskSurroundings, show_committed
from planrail.git.working_files import RepositoryTree, open_folder
from planrail.planning.answers.words import words_from
from planrail.planning.machine import CRITIQUE
from planrail.planning.options import PlanningOptions
from planrail.planning.planning import AnswerContext, Planning, begin
from planrail.planning.plannings import KeptPlanning, count_planning, save
from planrail.planning.refining import keep_finished
from planrail.plans.canonical.canonical import canonicalise
from planrail.plans.files.cited_files import open_root
from planrail.plans.lint.document import Problem
from planrail.plans.lint.grounding.files import FileIndex
from planrail.plans.lint.rules import lint
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource


def load_committed_settings(root: str) -> Settings:
    """The project's settings; what loosens the guard counts only as it is committed."""
    return load_settings(root, committed=show_committed(root, FILE_NAME))


def open_context(root: str, plan_path: str, settings: Settings, *, count: bool = False) -> AnswerContext:
    """What the answers of a planning in this project are held against. `count`: its files matter, and are counted."""
    tree = open_folder(root)
    known: dict[str, list[Problem]] = {}

    def find_problems(plan: str) -> list[Problem]:
        if plan not in known:
            known[plan] = lint_text(plan, plan_path, tree, settings)
        return known[plan]

    on_disk = open_root(root)
    files: list[FileIndex] = []

    def exists(path: str) -> bool:
        """Whether a file is there: by its path, or by its last parts, as people name it."""
        if on_disk(path):
            return True
        files[:] = files or [FileIndex(tree.files())]
        return any(place in files[0].files for place in files[0].find(path, ""))

    def names_in(names: Collection[str]) -> Collection[str]:
        known = tree.find_words("|".join(map(re.escape, names)), excluding="")
        return {name for name in names if exists(name)} | (known or set())

    return AnswerContext(
        exists=exists,
        file_count=len(tree.files()) if count else None,
        lint=find_problems,
        keep=keep_finished,
        words=words_from(settings.planning.words),
        names=names_in,
    )


def lint_text(plan: str, plan_path: str, tree: RepositoryTree, settings: Settings) -> list[Problem]:
    """What lint finds in a plan that may not be on disk yet, with the rules that judge principles."""
    source = PlanSource(plan_path, plan)
    return lint(source, read(source, DiskSurroundings(plan_path)), settings=settings.lint, tree=tree, principles=True)


def begin_kept(
    folder: str, request: str, options: PlanningOptions, about: Mapping[str, str], **more: str
) -> KeptPlanning:
    """Begin a planning, and keep it; `about` says its `root` and when it was `created`."""
    number = str(count_planning(about["root"], options))
    began = time.strftime("%Y%m%d-%H%M%S", time.gmtime(float(about["created"])))
    planning = begin(f"{began}-{secrets.token_hex(3)}", request, options, **more)
    return save(folder, KeptPlanning(planning, {**about, "number": number}))


def options_from(settings: PlanningSettings) -> PlanningOptions:
    return PlanningOptions(
        usual_rounds=settings.rounds,
        attempts=settings.attempts,
        length=settings.length,
        interview=settings.workflow == "interview",
        free=settings.workflow == "free",
        size="" if settings.size == "auto" else settings.size,
    )


def describe_plan(kept: KeptPlanning, planning: Planning) -> dict[str, str]:
    """What stands in the front matter of a plan: facts of planrail's own, and no word of a person or an agent."""
    about = kept.about
    return {
        "id": f"plan-{planning.id}",
        "created": time.strftime("%Y-%m-%d", time.gmtime(float(about["created"]))),
        "author": about["agent"],
        "critic": about.get("critic") or about["agent"],
        "rounds": str(planning.progress.phases.count(CRITIQUE)),
    }


def says_the_same(path: str, text: str, other: str) -> bool:
    """Whether two texts of a plan differ in nothing that an approval would notice: blanks, marks, planrail's keys."""
    first, second = (canonicalise(read(PlanSource(path, one)), one) for one in (text, other))
    return first.hash == second.hash
