"""May a phase land, how far, and what then? Pure: the caller looks at the repository and does what follows."""

import unicodedata
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from planrail.base.records import record
from planrail.base.values import value

_MOST_NAMED = 5


@record
class Land:
    """Go ahead, in this way."""

    mode: str


@record
class Wait:
    """Not yet: a person is asked first."""

    reason: str


@record
class Refuse:
    """Not at all."""

    reason: str
    remedy: str


@record
class FastForward:
    """The checkout can come along: no uncommitted work is touched."""


@record
class WaitOnBranch:
    """The checkout has uncommitted work in the way, which stays as it is."""

    reason: str
    paths: tuple[str, ...]
    todo: str = "let that come to its end"  # what a person has to do before it can land


@value
class Conflict:
    """The work and the target cannot both be kept as they are."""

    paths: tuple[str, ...]
    text: str


def decide_landing(
    mode: str, *, verified: bool, main_is_protected: bool, awaits_sign_off: bool
) -> Land | Wait | Refuse:
    """Whether a phase may land now. `mode`: cherry-pick, pr or direct."""
    if not verified:
        return Refuse("the phase has no passing verification", remedy="planrail run PLAN PHASE")
    if mode == "direct" and main_is_protected:
        return Refuse("main is protected", remedy="planrail run PLAN --landing pr")
    if awaits_sign_off:
        return Wait("a person must look at the UI change")
    return Land(mode)


def decide_checkout(
    touched: AbstractSet[str],
    dirty: Mapping[str, str],
    candidate: Mapping[str, str],
    *,
    folds_case: bool = False,
) -> FastForward | WaitOnBranch:
    """Whether a checkout can be brought along when these paths change.

    `dirty` has everything that is not as it was committed, and what lies there untracked or ignored, with an identity
    of its content; "" is a file that is gone. What equals the candidate's is no obstacle: it is what would be written.
    """
    names = {_fold(path): path for path in touched} if folds_case else {}
    if folds_case and len(names) < len(touched):
        twins = tuple(sorted(path for path in touched if names[_fold(path)] != path))
        reason = f"names that are one on this file system: {_name_some(list(twins))}"
        return WaitOnBranch(reason, twins, "check the branch out where upper and lower case differ")
    above = {folder for path in touched for folder in _folders(path)}
    blocking = [path for path in sorted(dirty) if _is_in_the_way(path, touched, above, names, dirty, candidate)]
    if not blocking:
        return FastForward()
    named = _name_some(blocking)
    todo = f"commit, stash or move away {named}"
    return WaitOnBranch(f"uncommitted work is in the way: {named}", tuple(blocking), todo)


def _is_in_the_way(
    path: str,
    touched: AbstractSet[str],
    above: AbstractSet[str],
    names: Mapping[str, str],
    dirty: Mapping[str, str],
    candidate: Mapping[str, str],
) -> bool:
    if path in touched:
        return dirty[path] != candidate.get(path, "")
    if path in above or any(folder in touched for folder in _folders(path)):
        return bool(dirty[path])  # a file where a folder must be, or the reverse
    other = names.get(_fold(path)) if names else None
    return other is not None and bool(dirty[path])


def _folders(path: str) -> Iterable[str]:
    parts = path.split("/")
    return ("/".join(parts[:depth]) for depth in range(1, len(parts)))


def _fold(path: str) -> str:
    """A name as a file system sees it to which `A` and `a` are one."""
    return unicodedata.normalize("NFC", path).casefold()


def _name_some(paths: list[str]) -> str:
    more = len(paths) - _MOST_NAMED
    return ", ".join(paths[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
