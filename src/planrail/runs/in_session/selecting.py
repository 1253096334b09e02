"""Which files does the commit of a phase have? Those that were seen to change since it began, or those a person names.

What lay in the working tree before is somebody else's: it is left out and named. Where nobody saw the phase begin,
nothing is guessed.
"""

import os
from collections.abc import Collection, Iterable

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import record
from planrail.base.wording import quote
from planrail.runs.in_session.cases import Case
from planrail.runs.in_session.working_tree import diff_trees, name_inside, tree_of_head

_MOST_NAMED = 12


@record
class Wish:
    """A commit that somebody asked for. `paths` are files and folders that they named, from the root on."""

    message: str = ""
    paths: tuple[str, ...] = ()
    takes_all: bool = False


@record
class Selection:
    """The files of a commit, and what else has changed. `mixed` of those left out were changed by the phase as well."""

    paths: tuple[str, ...]
    left_out: tuple[str, ...]
    mixed: tuple[str, ...] = ()


def select_files(case: Case, head: str, tree: str, wish: Wish) -> Selection:
    """The files of a phase between HEAD and a tree, without the plan itself. Refuses where nobody can tell."""
    plan = name_inside(case.root, case.paper.place)
    changed = _differing(case.root, tree_of_head(case.root, head), tree) - {plan}
    if wish.paths:
        return choose_named(changed, [name for name in wish.paths if name != plan])
    if wish.takes_all or not changed:
        return Selection(tuple(sorted(changed)), ())
    if not case.base.began:
        raise _cannot_tell(case, sorted(changed))
    before = _differing(case.root, case.base.tree, case.base.began)
    return choose_own(changed, before, _differing(case.root, case.base.began, tree))


def choose_own(changed: Collection[str], before: Collection[str], since: Collection[str]) -> Selection:
    """The files that changed since a phase began, but for those that were changed or untracked before."""
    own = sorted(path for path in changed if path in since and path not in before)
    return Selection(
        tuple(own),
        tuple(sorted(set(changed) - set(own))),
        tuple(sorted(path for path in changed if path in since and path in before)),
    )


def choose_named(changed: Collection[str], names: Iterable[str]) -> Selection:
    """The changed files that were named, or that lie in a folder that was."""
    own: set[str] = set()
    for name in names:
        found = {path for path in changed if path == name or name == "." or path.startswith(f"{name}/")}
        if not found:
            listed = _name_some(sorted(changed)) or "nothing"
            raise UsageError(
                f"{name} has not changed, or git ignores it; changed are: {listed}", remedy="git status --short"
            )
        own |= found
    return Selection(tuple(sorted(own)), tuple(sorted(set(changed) - own)))


def read_names(root: str, names: Iterable[str]) -> tuple[str, ...]:
    """Paths as somebody typed them here, from the root on. A link is meant itself, not what it leads to."""
    top, found = os.path.realpath(root), []
    for name in names:
        whole = os.path.abspath(name)
        place = os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))
        inside = os.path.relpath(place, top)
        if inside.startswith(".."):
            raise UsageError(f"{name} lies outside of {root}", remedy="name files of the working tree")
        found.append(inside)
    return tuple(found)


def _cannot_tell(case: Case, changed: list[str]) -> PlanrailError:
    command = f"planrail done {case.name} {case.id} --commit"
    top = os.path.realpath(case.root)
    typed = [quote(_typed(os.path.relpath(os.path.join(top, path)))) for path in changed]
    wanted = " ".join(typed) if len(changed) <= _MOST_NAMED else "--all"
    return PlanrailError(
        f"nobody saw phase {case.order.id} begin, so it is not known which files are its own; changed are: "
        f"{_name_some(changed)}. Name those of the phase after --commit, or say --commit --all; nothing was marked",
        remedy=f"{command} {wanted}",
    )


def _typed(name: str) -> str:
    return f"./{name}" if name.startswith("-") else name


def _name_some(paths: list[str]) -> str:
    more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
    return ", ".join(paths[:_MOST_NAMED]) + more


def _differing(root: str, before: str, after: str) -> set[str]:
    return {path for _, path in diff_trees(root, before, after)}
