"""The commit gate of the predecessor, kept as a decision for those who move over with its marker files.

planrail itself does not use it: a marker says that somebody made a file, not that anything is so. Work lands on
evidence that planrail produced, bound to a tree.
"""

import re

from planrail.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_GIT = re.compile(r"\bgit\s+(?:-[cC]\s+\S+\s+|-\S+\s+)*(?P<what>commit|cherry-pick|push)\b")
_DELETES = re.compile(r"\brm\s+(?:-\S+\s+)*-\w*[rR]\w*\s[^;&|]*\.zskills/tracking|\bclear-tracking")
_COMMITTED = frozenset(("js", "ts", "json", "css", "html", "rs", "py", "go", "rb"))
_PUSHED = _COMMITTED | {"jsx", "tsx", "mjs", "cjs", "scss", "java", "kt", "c", "h", "cc", "cpp", "hpp", "cs", "swift"}
_PUSHED = _PUSHED | {"php", "sh", "bash", "sql"}


@record
class GateAnswer:
    """`allow` or `deny`, and why."""

    decision: str
    reason: str = ""


def decide_gate(
    markers: "Collection[str]", command: str, staged: "Sequence[str]", *, pipeline_tracked: bool
) -> GateAnswer:
    """Whether a session may commit, pick or push by the markers of its pipeline: requirements met, steps in order."""
    if _DELETES.search(command):
        return GateAnswer("deny", "tracking markers are deleted by people only")
    what = _GIT.search(command)
    if not pipeline_tracked or what is None or not _concerns_code(what["what"], staged):
        return GateAnswer("allow")
    reason = _unmet_requirement(markers) or _unfinished_step(markers)
    return GateAnswer("deny", reason) if reason else GateAnswer("allow")


def _concerns_code(what: str, paths: "Sequence[str]") -> bool:
    if what == "cherry-pick":
        return True
    known = _COMMITTED if what == "commit" else _PUSHED
    return any(path.rpartition(".")[2].lower() in known for path in paths if "." in path)


def _unmet_requirement(markers: "Collection[str]") -> str:
    for name in sorted(markers):
        kind, _, rest = name.partition(".")
        if kind == "requires" and f"fulfilled.{rest}" not in markers:
            return f"what {rest!r} requires is not fulfilled yet"
    return ""


def _unfinished_step(markers: "Collection[str]") -> str:
    for before, after in (("implement", "verify"), ("verify", "report")):
        for name in sorted(markers):
            stem = name.removesuffix(f".{before}")
            if name.startswith("step.") and stem != name and f"{stem}.{after}" not in markers:
                return f"{stem.removeprefix('step.')} has the step {before!r}, but not {after!r}"
    return ""
