"""What is wrong with a plan file, by the settings of its project and with its repository at hand."""

import os

from planrail.base.errors import UsageError
from planrail.base.records import record
from planrail.base.settings import LintSettings, load_settings
from planrail.git.git import DiskSurroundings, top_level
from planrail.git.working_files import RepositoryTree, open_folder, open_tree
from planrail.plans.lint.document import Problem
from planrail.plans.lint.rules import RULE_NAMES, lint
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource, load


@record
class LintedPlan:
    """The problems of one plan file."""

    path: str
    problems: list[Problem]
    is_grounded: bool  # what it cites was looked up, or nobody asked for it


def lint_file(path: str, root: str | None = None, *, is_grounding: bool = True, principles: bool = False) -> LintedPlan:
    """What the plan cites is looked up below `root`, else in its own repository. `UsageError` where it cannot be."""
    if root is not None and not os.path.isdir(root):
        raise UsageError(f"there is no folder {root}", remedy="name the root of the code: --root DIR")
    source = load(path)
    plan = read(source, DiskSurroundings(source.path))
    tree = open_folder(root) if root is not None else open_tree(source.path)
    looked_up = tree if is_grounding else None
    problems = lint(source, plan, settings=_load_settings(tree), tree=looked_up, principles=principles)
    return LintedPlan(source.path, problems, tree is not None or not is_grounding)


def lint_text(source: PlanSource, plan: Plan, root: str) -> list[Problem]:
    """The problems of a plan that is no file yet, in the project at `root`."""
    tree = open_folder(root) if os.path.isdir(root) else None
    return lint(source, plan, settings=_load_settings(tree), tree=tree, principles=False)


def _load_settings(tree: RepositoryTree | None) -> LintSettings:
    root = (top_level(tree.root) or tree.root) if tree is not None else None  # it may be a part of the repository only
    settings = load_settings(root).lint
    unknown = sorted(set(settings.ignore) - RULE_NAMES)
    if unknown:
        known = ", ".join(sorted(RULE_NAMES))
        raise UsageError(
            f"planrail.toml: [lint] ignore names no rule: {', '.join(unknown)}", remedy=f"use one of: {known}"
        )
    return settings
