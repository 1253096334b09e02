"""The names of a run's things: slugs, branches, folders and refs, made from any text that a plan may carry."""

import hashlib

from planrail.records import record

_ALLOWED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
_SLUG_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_HEX = frozenset("0123456789abcdef")
_LONGEST, _KEPT, _HASH = 64, 48, 8
_LONGEST_PIPELINE_ID = 128
_WORKTREES = "/tmp"  # where the predecessor puts them, unless told otherwise


@record
class WorktreeNames:
    """Where a worktree lies, and its branch."""

    path: str
    branch: str


def safe_name(text: str) -> str:
    """A name for a file and for a part of a ref. Two texts have two names; a plain short text is its own."""
    plain = "".join(sign if sign in _ALLOWED else "-" for sign in text).replace("..", "--")
    plain = plain.lstrip(".-").rstrip(".") or "x"
    is_own = plain == text and len(text) <= _LONGEST and not text.lower().endswith(".lock") and not _has_hash(text)
    return text if is_own else f"{plain[:_KEPT]}-{_digest(text)}"


def slug(plan_file: str) -> str:
    """The short name of a plan, for people: its file's name in lower case, with hyphens."""
    name = plan_file.rsplit("/", 1)[-1]
    return name.removesuffix(".md").lower().replace("_", "-")


def tracking_id(plan_file: str) -> str:
    """The name under which the predecessor tracks a plan."""
    return slug(plan_file)


def pipeline_id(raw: str) -> str:
    """An identity of a pipeline: bytes that are no plain sign become `_`, and the rest is cut off."""
    signs = (
        chr(byte) if byte < 128 and chr(byte) in _ALLOWED else "_" for byte in raw.encode("utf-8", "surrogateescape")
    )
    return "".join(signs)[:_LONGEST_PIPELINE_ID]


def default_pipeline_id(plan_file: str) -> str:
    """The identity of a run of a plan to which nobody gave one."""
    return pipeline_id(f"run-plan.{tracking_id(plan_file)}")


def claimable(name: str) -> bool:
    """Whether the predecessor's programs can claim a plan of this slug. planrail itself claims any."""
    return bool(name) and name[0] != "-" and all(sign in _SLUG_SIGNS for sign in name)


def branch_name(prefix: str, name: str) -> str:
    """The branch of a plan; legal whatever its file is called."""
    return prefix + safe_name(name)


def worktree_names(
    name: str, project: str, *, prefix: str = "", root: str = "", branch: str = "", configured_root: str = ""
) -> WorktreeNames:
    """Where the predecessor's worktree for a slug lies. In a root that was named outright, the project is left out."""
    own = f"{prefix}-{name}" if prefix else name
    path = f"{root}/{own}" if root else f"{configured_root or _WORKTREES}/{project}-{own}"
    return WorktreeNames(path, branch or f"{prefix or 'wt'}-{name}")


def new_run_id(name: str, began: int, seed: str) -> str:
    """The identity of a run: the plan's slug, and a digest of when it began and of a seed that no other run has."""
    return safe_name(f"{safe_name(name)[:_KEPT].rstrip('.-')}-{_digest(f'{name} {began} {seed}')[:6]}")


def _has_hash(text: str) -> bool:
    """Whether a text looks like a name that was made here: left as it is, it could be another text's name."""
    head, hyphen, tail = text.rpartition("-")
    return bool(head and hyphen) and len(tail) == _HASH and all(sign in _HEX for sign in tail)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
