"""`do`: a step that has ended is never done again, a step that was in flight is done again from its start.

That is all an engine has to give. That a step done twice has one effect is the step's own promise.
"""

from collections.abc import Callable
from typing import TypeVar

from planrail.base.crash_points import reach
from planrail.store.journal import Journal

T = TypeVar("T")
Watch = Callable[[str, str, object], None]
_PROOFS = ("sign_off", "candidate", "prove", "land", "verify_all")


class Durable:
    """Steps over a journal. `watch` is told of each step that begins, and of each that ends with its result."""

    def __init__(self, journal: Journal, watch: Watch = lambda key, state, result: None) -> None:
        self._journal, self._watch = journal, watch

    def do(self, key: str, step: Callable[..., T], *arguments: object) -> T:
        """The result of a step: as it is written down, else by doing it now."""
        if self._is_known(key):
            return self._journal.result(key)  # type: ignore[return-value] # what the same step returned before
        name = key.rpartition("/")[2]
        self._journal.begin(key)
        self._watch(key, "begun", None)
        reach(f"{name}.begun")
        result = step(*arguments)
        reach(f"{name}.done")
        self._journal.end(key, result)
        reach(f"{name}.recorded")
        self._watch(key, "ended", result)
        return result

    def _is_known(self, key: str) -> bool:
        """Whether the journal answers. A line of a dead planrail proves nothing: what decides about a landing is done
        again, unless the attempt has ended, which is held against the target itself."""
        if not self._journal.has(key):
            return False
        attempt, _, name = key.rpartition("/")
        is_proof = name.partition(".")[0] in _PROOFS
        return not is_proof or self._journal.has(f"{attempt}/end") or self._journal.is_ours(key)
