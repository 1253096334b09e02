"""What the answers of a planning are held against, on disk: the repository's files, and lint."""

from planrail.base.settings import Settings
from planrail.git.around_a_plan import DiskSurroundings
from planrail.git.working_files import RepositoryTree, open_folder
from planrail.planning.answers.words import words_from
from planrail.planning.planning import Ground
from planrail.planning.refining import keep_finished
from planrail.plans.files.cited_files import open_root
from planrail.plans.lint.problems import Problem
from planrail.plans.lint.rules import lint
from planrail.plans.reading import read
from planrail.plans.text.source import Source


def open_ground(root: str, plan_path: str, settings: Settings, *, count: bool = False) -> Ground:
    """What the answers of a planning in this project are held against. `count`: its files matter, and are counted."""
    tree = open_folder(root)
    known: dict[str, list[Problem]] = {}

    def find_problems(plan: str) -> list[Problem]:
        if plan not in known:
            known[plan] = lint_text(plan, plan_path, tree, settings)
        return known[plan]

    return Ground(
        exists=open_root(root),
        file_count=len(tree.files()) if count else None,
        lint=find_problems,
        keep=keep_finished,
        words=words_from(settings.planning.words),
    )


def lint_text(plan: str, plan_path: str, tree: RepositoryTree, settings: Settings) -> list[Problem]:
    """What lint finds in a plan that may not be on disk yet, with the rules that judge principles."""
    source = Source(plan_path, plan)
    return lint(source, read(source, DiskSurroundings(plan_path)), settings=settings.lint, tree=tree, principles=True)
